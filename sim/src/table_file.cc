#include "table_file.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "blockx/sim/trace.h"
#include "blockx/sim/units.h"

namespace blockx::sim {
namespace {

constexpr std::size_t kShownBytes = 40;

// Whatever bytes the file has, as printable text of bounded length in quotes.
std::string Shown(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, kShownBytes)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > kShownBytes ? "...\"" : "\"");
}

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

TableFile::TableFile(std::string path, TableLayout layout)
    : path_(std::move(path)), layout_(layout), line_(kMaxLineBytes + 1) {
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) {
    error_ = path_ + ": is a directory, expected a file";
    return;
  }
  file_.open(path_, std::ios::binary);
  if (!file_) {
    error_ = path_ + ": cannot be opened for reading";
    return;
  }
  ReadHeader();
}

void TableFile::ReadHeader() {
  switch (layout_) {
    case TableLayout::kNumbers:
      columns_ = {"value"};
      return;
    case TableLayout::kSwf:
      columns_.assign(kSwfColumns.begin(), kSwfColumns.end());
      return;
    case TableLayout::kCsv:
      if (!NextLine()) {
        if (error_.empty())
          error_ = path_ + ": is empty, expected a header line with the columns' names";
        return;
      }
      if (SplitCsv(text_)) columns_.assign(fields_.begin(), fields_.end());
      return;
  }
}

bool TableFile::NextLine() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const char comment = layout_ == TableLayout::kSwf ? ';' : '#';
  while (error_.empty()) {
    file_.getline(line_.data(), static_cast<std::streamsize>(line_.size()));
    const auto read = static_cast<std::size_t>(file_.gcount());
    if (file_.bad()) {
      error_ = path_ + ": reading failed after line " + std::to_string(line_number_);
      return false;
    }
    if (file_.eof() && read == 0) return false;
    ++line_number_;
    if (file_.fail()) {
      Fail("the line has more than " + std::to_string(kMaxLineBytes - 1) + " bytes");
      return false;
    }
    // gcount includes the line's end, which the last line may lack.
    text_ = std::string_view(line_.data(), file_.eof() ? read : read - 1);
    if (line_number_ == 1 && text_.substr(0, 3) == kByteOrderMark) text_.remove_prefix(3);
    if (!text_.empty() && text_.back() == '\r') text_.remove_suffix(1);
    const std::string_view content = Trim(text_);
    if (!content.empty() && content.front() != comment) return true;
  }
  return false;
}

bool TableFile::Next() {
  if (!NextLine()) return false;
  if (layout_ == TableLayout::kCsv) {
    if (!SplitCsv(text_)) return false;
  } else {
    SplitAtBlanks(text_);
  }
  if (fields_.size() == columns_.size()) return true;
  Fail("found " + std::to_string(fields_.size()) + " fields, expected " +
       std::to_string(columns_.size()));
  return false;
}

bool TableFile::SplitCsv(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  unquoted_.reserve(line.size());  // So that fields that point into it stay valid.
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] != '"') {
      const std::size_t comma = line.find(',');
      fields_.push_back(Trim(line.substr(0, comma)));
      if (comma == std::string_view::npos) return true;
      line.remove_prefix(comma + 1);
      continue;
    }
    const std::size_t start = unquoted_.size();
    std::size_t at = begin + 1;
    while (at < line.size() && (line[at] != '"' || line.substr(at, 2) == "\"\"")) {
      unquoted_ += line[at];
      at += line[at] == '"' ? 2 : 1;
    }
    if (at >= line.size()) {
      Fail("a field's quote is not closed; expected '\"' before the end of the line");
      return false;
    }
    fields_.push_back(std::string_view(unquoted_).substr(start));
    line = Trim(line.substr(at + 1));
    if (line.empty()) return true;
    if (line.front() != ',') {
      Fail("found " + Shown(line) + " after a quoted field, expected a comma");
      return false;
    }
    line.remove_prefix(1);
  }
}

void TableFile::SplitAtBlanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  fields_.clear();
  std::size_t begin = line.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = line.find_first_of(kBlanks, begin);
    fields_.push_back(line.substr(begin, end == std::string_view::npos ? end : end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
}

std::optional<double> TableFile::Number(std::size_t column) {
  const std::optional<double> number = ParseNumber(fields_[column]);
  if (!number) {
    Fail("column \"" + columns_[column] + "\": found " + Shown(fields_[column]) +
         ", expected a number");
  }
  return number;
}

void TableFile::Fail(std::string_view message) {
  error_ = path_ + ':' + std::to_string(line_number_) + ": " + std::string(message);
}

}  // namespace blockx::sim
