// A text file of rows and columns, read one line at a time.
#ifndef BLOCKX_SIM_SRC_TABLE_FILE_H_
#define BLOCKX_SIM_SRC_TABLE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blockx::sim {

enum class TableLayout {
  kCsv,      // A header line, then fields separated by commas; '#' begins a comment line.
  kSwf,      // Standard Workload Format: 18 fields separated by blanks; ';' begins a comment line.
  kNumbers,  // One field a line, no header; '#' begins a comment line.
};

class TableFile {
 public:
  // Lines longer than this are an error, so that a file of any shape needs bounded memory.
  static constexpr std::size_t kMaxLineBytes = std::size_t{64} << 10;

  // Opens the file, reads the header; on failure error() says why.
  TableFile(std::string path, TableLayout layout);
  TableFile(const TableFile&) = delete;  // Fields point into the line.
  TableFile& operator=(const TableFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  // Goes to the next row that is no comment and not blank. False: the end, or error() is set.
  bool Next();

  // Of the present row, one for each column. Valid until Next().
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }

  // The number in a field of the present row; nothing: error() is set.
  std::optional<double> Number(std::size_t column);

  // Says what is wrong with the present row; the table ends here.
  void Fail(std::string_view message);

  // With file and line; empty: none.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  bool NextLine();
  void ReadHeader();
  bool SplitCsv(std::string_view line);
  void SplitAtBlanks(std::string_view line);

  std::string path_;
  TableLayout layout_;
  std::ifstream file_;
  std::int64_t line_number_ = 0;
  std::vector<char> line_;
  std::string_view text_;  // The present line without its end, inside line_.
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // Where fields with doubled quotes are undone.
  std::string error_;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_TABLE_FILE_H_
