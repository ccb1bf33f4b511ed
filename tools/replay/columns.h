#ifndef BLOCKX_TOOLS_REPLAY_COLUMNS_H_
#define BLOCKX_TOOLS_REPLAY_COLUMNS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output.h"

namespace blockx::tools {

// Each text once, told by its number.
class Texts {
 public:
  Texts() { NumberOf(""); }  // 0: no text
  std::int64_t NumberOf(std::string_view text);
  void Write(Output& out) const;  // As an array.

 private:
  std::deque<std::string> texts_;
  std::map<std::string_view, std::int64_t> numbers_;
};

// A table as columns of whole numbers, or null where there is none: small numbers in long rows, as
// text needs them. A column whose values are all the same is written as that value alone.
class Columns {
 public:
  using Cell = std::optional<std::int64_t>;

  // Rows are added cell by cell, all in the same order of columns.
  void Add(std::string_view column, Cell cell);
  // Of a time column in which times do not fall: the difference to the row before.
  void AddRising(std::string_view column, std::int64_t value);
  void EndRow();

  // As the members of an object, with the number of rows as its first one, "rows".
  void Write(Output& out) const;

 private:
  struct Column {
    std::string_view name;
    std::vector<Cell> cells;
    std::int64_t last = 0;
  };
  Column& Next(std::string_view name);

  std::vector<Column> columns_;
  std::size_t next_ = 0;
  std::size_t rows_ = 0;
};

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_COLUMNS_H_
