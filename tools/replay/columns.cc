#include "columns.h"

#include <algorithm>

namespace blockx::tools {

std::int64_t Texts::NumberOf(std::string_view text) {
  const auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  texts_.emplace_back(text);  // Its address stays, as that of the key.
  const auto number = static_cast<std::int64_t>(numbers_.size());
  numbers_.emplace(texts_.back(), number);
  return number;
}

void Texts::Write(Output& out) const {
  out.Write("[");
  for (const std::string& text : texts_) {
    out.Write((&text == &texts_.front() ? "" : ",") + JsonString(text));
  }
  out.Write("]");
}

Columns::Column& Columns::Next(std::string_view name) {
  if (rows_ == 0) columns_.push_back({name, {}, 0});
  return columns_[next_++];
}

void Columns::Add(std::string_view column, Cell cell) { Next(column).cells.push_back(cell); }

void Columns::AddRising(std::string_view column, std::int64_t value) {
  Column& rising = Next(column);
  const auto before = static_cast<std::uint64_t>(std::exchange(rising.last, value));
  rising.cells.emplace_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - before));
}

void Columns::EndRow() {
  next_ = 0;
  ++rows_;
}

void Columns::Write(Output& out) const {
  const auto text_of = [](const Cell& cell) { return cell ? std::to_string(*cell) : "null"; };
  out.Write("{\"rows\":" + std::to_string(rows_));
  for (const Column& column : columns_) {
    std::string text = ",\"" + std::string(column.name) + "\":";
    const bool same = std::all_of(column.cells.begin(), column.cells.end(),
                                  [&](const Cell& cell) { return cell == column.cells.front(); });
    if (same) {
      out.Write(text + text_of(column.cells.front()));
      continue;
    }
    text += '[';
    for (const Cell& cell : column.cells) text.append(text_of(cell)).append(",");
    text.back() = ']';
    out.Write(text);
  }
  out.Write("}");
}

}  // namespace blockx::tools
