#include "json_document.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace blockx::sim {
namespace {

constexpr std::size_t kShownBytes = 60;

// Where byte `offset` of the text stands, for people: both count from 1.
std::string LineAndColumn(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  std::size_t line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] != '\n') continue;
    ++line;
    line_start = i + 1;
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(offset - line_start + 1);
}

// Printable ASCII alone: the parser quotes the text that it could not read.
std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

// The parser's own words about an error, without its name and its idea of the position.
std::string Reason(std::string_view what) {
  const std::size_t position = what.find("column ");
  const std::size_t colon = what.find(": ", position == std::string_view::npos ? 0 : position);
  const std::size_t bracket = what.find("] ");
  if (position != std::string_view::npos && colon != std::string_view::npos) {
    what.remove_prefix(colon + 2);
  } else if (bracket != std::string_view::npos) {
    what.remove_prefix(bracket + 2);
  }
  return Printable(what);
}

// Builds the tree from the parser's events; each returns false to stop the parser, after it said
// why.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, InputErrors& errors) : text_(text), errors_(errors) {}

  [[nodiscard]] Json Take() { return std::move(root_); }

  bool null() { return Add(nullptr); }
  bool boolean(bool value) { return Add(value); }
  bool number_integer(std::int64_t value) { return Add(value); }
  bool number_unsigned(std::uint64_t value) { return Add(value); }
  bool number_float(double value, const std::string&) { return Add(value); }
  bool string(std::string& value) { return Add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }

  bool start_object(std::size_t) { return Open(Json::object()); }
  bool start_array(std::size_t) { return Open(Json::array()); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }

  bool key(std::string& name) {
    Level& level = levels_.back();
    if (!level.keys.insert(name).second) {
      errors_.push_back({PointerTo(level.path, name), "the key stands twice in its object"});
      return false;
    }
    level.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t offset, const std::string&,
                   const nlohmann::detail::exception& error) {
    // The parser counts bytes from 1.
    errors_.push_back(
        {"", LineAndColumn(text_, offset == 0 ? 0 : offset - 1) + ": " + Reason(error.what())});
    return false;
  }

 private:
  struct Level {
    Json* value = nullptr;  // Stays put: its parent only grows after this level is closed.
    std::string path;
    std::string key;             // Of the member that comes next.
    std::set<std::string> keys;  // Seen so far; the object itself finds a key in linear time.
  };

  Json* Place(Json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.value->is_array()) {
      level.value->push_back(std::move(value));
      return &level.value->back();
    }
    auto& members = level.value->get_ref<Json::object_t&>();
    members.emplace_back(level.key, std::move(value));
    return &members.back().second;
  }

  bool Add(Json value) {
    Place(std::move(value));
    return true;
  }

  bool Open(Json value) {
    Level level;
    if (!levels_.empty()) {
      const Level& parent = levels_.back();
      level.path = parent.value->is_array() ? PointerTo(parent.path, parent.value->size())
                                            : PointerTo(parent.path, parent.key);
    }
    if (levels_.size() == kMaxJsonDepth) {
      errors_.push_back({"", "objects and arrays are nested more than " +
                                 std::to_string(kMaxJsonDepth) + " deep"});
      return false;
    }
    level.value = Place(std::move(value));
    levels_.push_back(std::move(level));
    return true;
  }

  bool Close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  InputErrors& errors_;
  Json root_;
  std::vector<Level> levels_;
};

std::string EscapedForPointer(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

Json ValueOfOverride(std::string_view text) {
  InputErrors none;
  if (std::optional<Json> value = ParseJson(text, none)) return *std::move(value);
  return std::string(text);
}

// The element of `array` that `step` names, or nullptr after an error.
Json* Element(Json& array, std::string_view step, const std::string& path, InputErrors& errors) {
  std::size_t index = 0;
  bool number = !step.empty() && step.size() <= 9;
  for (const char c : step) {
    number = number && c >= '0' && c <= '9';
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  if (number && index < array.size()) return &array[index];
  errors.push_back({PointerTo(path, step), "found \"" + std::string(step) +
                                               "\", expected a place in the list, which has " +
                                               std::to_string(array.size()) +
                                               " elements, counted from 0"});
  return nullptr;
}

}  // namespace

std::optional<std::string> ReadJsonFile(const std::string& path, std::string_view expected,
                                        InputErrors& errors) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    errors.push_back({"", "is a directory, expected " + std::string(expected)});
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    errors.push_back({"", "cannot be opened for reading; expected " + std::string(expected)});
    return std::nullopt;
  }
  std::string text(kMaxJsonBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) {
    errors.push_back({"", "reading failed; expected " + std::string(expected)});
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string PointerTo(const std::string& path, std::string_view key) {
  return path + '/' + EscapedForPointer(key);
}

std::string PointerTo(const std::string& path, std::size_t index) {
  return path + '/' + std::to_string(index);
}

std::string Shown(const Json& value) {
  // Scalars of any length are cheap to print; trees are cut before they are printed.
  if (value.is_object()) return value.empty() ? "{}" : "an object";
  if (value.is_array()) return value.empty() ? "[]" : "a list";
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kShownBytes) return text;
  text.resize(kShownBytes);
  // Not inside a UTF-8 sequence.
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U)
    text.pop_back();
  if (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80U) != 0) text.pop_back();
  return text + "...";
}

std::optional<Json> ParseJson(std::string_view text, InputErrors& errors) {
  if (text.size() > kMaxJsonBytes) {
    errors.push_back({"", "the file has more than " + std::to_string(kMaxJsonBytes) + " bytes"});
    return std::nullopt;
  }
  TreeBuilder builder(text, errors);
  constexpr bool kWholeText = true;
  constexpr bool kIgnoreComments = true;
  const bool read = Json::sax_parse(text.begin(), text.end(), &builder, Json::input_format_t::json,
                                    kWholeText, kIgnoreComments);
  if (!read) return std::nullopt;
  return builder.Take();
}

void ApplyOverride(Json& document, std::string_view assignment, InputErrors& errors) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    errors.push_back({"", "found the setting \"" + std::string(assignment) +
                              "\", expected path=value, such as workload.0.arrivals.rate=90"});
    return;
  }
  std::string_view steps = assignment.substr(0, equals);
  std::string path;
  Json* place = &document;
  while (true) {
    const std::size_t dot = steps.find('.');
    const std::string_view step = steps.substr(0, dot);
    if (place->is_array()) {
      place = Element(*place, step, path, errors);
      if (place == nullptr) return;
    } else if (place->is_object()) {
      place = &(*place)[std::string(step)];
      // What is missing becomes an object when the path goes on.
      if (place->is_null() && dot != std::string_view::npos) *place = Json::object();
    } else {
      errors.push_back({PointerTo(path, step), "no such place: " + path + " is " + Shown(*place)});
      return;
    }
    path = PointerTo(path, step);
    if (dot == std::string_view::npos) break;
    steps.remove_prefix(dot + 1);
  }
  *place = ValueOfOverride(assignment.substr(equals + 1));
}

}  // namespace blockx::sim
