// Workload traces, read row by row: CSV with a header line, and the Standard Workload Format (SWF)
// of the Parallel Workloads Archive.
//
// CSV: fields separated by commas, optionally in double quotes; LF or CRLF; blank lines and lines
// that start with
// '#' are skipped. SWF: 18 columns separated by blanks; lines that start with ';' are skipped; a
// row in which a column that is needed is unknown (-1) is left out and counted. Arrivals must not
// go backwards.
#ifndef BLOCKX_SIM_TRACE_H_
#define BLOCKX_SIM_TRACE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "blockx/engine/time.h"

namespace blockx::sim {

enum class TraceFormat { kCsv, kSwf };

// Names of the 18 SWF columns, in the file's order. Times are in seconds.
inline constexpr std::array<std::string_view, 18> kSwfColumns = {"job",
                                                                 "submit",
                                                                 "wait",
                                                                 "run",
                                                                 "processors",
                                                                 "cpu_time",
                                                                 "memory",
                                                                 "requested_processors",
                                                                 "requested_time",
                                                                 "requested_memory",
                                                                 "status",
                                                                 "user",
                                                                 "group",
                                                                 "program",
                                                                 "queue",
                                                                 "partition",
                                                                 "previous_job",
                                                                 "think_time"};

// Rows to keep: those whose column has exactly this text.
using RowFilter = std::vector<std::pair<std::string, std::string>>;

struct TraceSpec {
  std::string file;  // Absolute, or relative to the working directory.
  TraceFormat format = TraceFormat::kCsv;
  std::string arrival_column = "submit";
  engine::Duration arrival_unit = std::chrono::seconds(1);
  RowFilter where;
  std::vector<std::string>
      columns;  // Numeric columns whose values each row carries, in this order.
};

struct TraceRow {
  engine::Duration arrival{};  // Since the arrival of the first row that was kept.
  std::span<const double>
      values;  // One for each of TraceSpec::columns; valid until the next Next().
};

// What is wrong with a trace, with file and line:
// `trace.csv:17: column "context_tokens": found "many", expected a number`.
struct TraceError {
  std::string message;
};

class TableFile;

// Holds one line of the file at a time. One thread at a time.
class TraceReader {
 public:
  // Opens the file and finds the columns by their names.
  [[nodiscard]] static std::variant<TraceReader, TraceError> Open(const TraceSpec& spec);

  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;
  ~TraceReader();

  // The next row; nothing at the end of the file. A file without any row to keep is an error. After
  // an error: the same error again.
  [[nodiscard]] std::variant<std::optional<TraceRow>, TraceError> Next();

  // Rows left out so far because a value that is needed was unknown.
  [[nodiscard]] std::int64_t skipped_rows() const { return skipped_rows_; }

 private:
  TraceReader(const TraceSpec& spec, std::unique_ptr<TableFile> table);

  enum class RowKind { kGood, kFilteredOut, kUnknown, kBad };
  RowKind ReadRow();

  std::unique_ptr<TableFile> table_;
  bool minus_one_is_unknown_ = false;
  double arrival_unit_ = 0;  // In microseconds.
  std::size_t arrival_place_ = 0;
  std::vector<std::pair<std::size_t, std::string>> where_;  // Place of the column, text.
  std::vector<std::size_t> places_;                         // Of TraceSpec::columns in the file.

  std::optional<std::int64_t> first_arrival_;  // In microseconds, as the file counts.
  std::int64_t last_arrival_ = 0;              // Never decreases.
  std::vector<double> values_;
  std::int64_t skipped_rows_ = 0;
};

// The names of a trace's columns: the header line of a CSV file, kSwfColumns for SWF.
[[nodiscard]] std::variant<std::vector<std::string>, TraceError> ReadColumnNames(
    const std::string& file, TraceFormat format);

// All numbers of one column of a CSV file (with `column` empty: of a file with one number a line),
// in file order.
[[nodiscard]] std::variant<std::vector<double>, TraceError> ReadColumn(const std::string& file,
                                                                       const std::string& column,
                                                                       const RowFilter& where);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_TRACE_H_
