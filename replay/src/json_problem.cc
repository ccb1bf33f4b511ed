#include "json_problem.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "blockx/proto/segment.pb.h"
#include "shown.h"

namespace blockx::replay {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

constexpr std::size_t kShownBytes = 100;

// It may quote any input.
std::string Shown(std::string_view text) { return replay::Shown(text, kShownBytes); }

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool TakeSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// The place that a complaint is about: "event.open_watch.task_ids[0]" as the text form writes it,
// and what stands there.
struct Place {
  std::string path;
  const Descriptor* message = log::v1::Line::descriptor();  // null: no object
  const EnumDescriptor* enumeration = nullptr;
};

Place PlaceOf(std::string_view path) {
  Place place;
  while (!path.empty()) {
    const std::string_view step = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    const std::string_view name = step.substr(0, step.find('['));
    const FieldDescriptor* field =
        place.message == nullptr ? nullptr : place.message->FindFieldByName(std::string(name));
    if (!place.path.empty()) place.path += '.';
    place.path += field == nullptr ? Shown(name) : field->json_name();
    place.path += Shown(step.substr(name.size()));
    place.message = field == nullptr ? nullptr : field->message_type();
    place.enumeration = field == nullptr ? nullptr : field->enum_type();
  }
  return place;
}

template <class Names, class NameOf>
std::string Listed(const Names& names, int count, NameOf name_of) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    if (i > 0) out += ", ";
    out += name_of(names, i);
  }
  return out;
}

std::string KeysOf(const Descriptor& message) {
  if (message.field_count() == 0) return "none";
  return Listed(message, message.field_count(),
                [](const Descriptor& m, int i) { return m.field(i)->json_name(); });
}

std::string AlternativesOf(const Descriptor& message) {
  if (message.oneof_decl_count() == 0) return KeysOf(message);
  const google::protobuf::OneofDescriptor& alternatives = *message.oneof_decl(0);
  return Listed(
      alternatives, alternatives.field_count(),
      [](const google::protobuf::OneofDescriptor& o, int i) { return o.field(i)->json_name(); });
}

std::string ExpectedAt(const Place& place, std::string_view type) {
  if (place.enumeration != nullptr) {
    return "one of " + Listed(*place.enumeration, place.enumeration->value_count(),
                              [](const EnumDescriptor& e, int i) { return e.value(i)->name(); });
  }
  if (place.message != nullptr) return "an object";
  if (type == "TYPE_INT64") return "a 64-bit integer, as a number or as a string of digits";
  if (type == "TYPE_STRING") return "a string";
  if (type == "TYPE_BYTES") return "bytes, as a string in base64";
  if (type == "TYPE_BOOL") return "true or false";
  return std::string(type);
}

// "(event.tick) x" names a key by its object's path and as it stands in the text; without
// parentheses at the top.
struct Key {
  Place object;
  std::string path;
};

std::optional<Key> KeyOf(std::string_view place) {
  Key key;
  if (TakePrefix(place, "(")) {
    const std::size_t end = place.find(") ");
    if (end == std::string_view::npos) return std::nullopt;
    key.object = PlaceOf(place.substr(0, end));
    place.remove_prefix(end + 2);
  }
  key.path = key.object.path + (key.object.path.empty() ? "" : ".") + Shown(place);
  return key;
}

// "(event.tick) x: Cannot find field."
std::optional<std::string> ExplainKey(std::string_view complaint) {
  if (TakeSuffix(complaint, ": Cannot find field.")) {
    const std::optional<Key> key = KeyOf(complaint);
    if (!key) return std::nullopt;
    const Descriptor* object = key->object.message;
    return key->path + ": unknown key" +
           (object == nullptr ? "" : "; known here: " + KeysOf(*object));
  }
  if (TakeSuffix(complaint, ": Proto field is not repeating, cannot start list.")) {
    const std::optional<Key> key = KeyOf(complaint);
    if (!key) return std::nullopt;
    return key->path + ": found a list, expected a single value";
  }
  return std::nullopt;
}

// "(event.open_watch.task_ids[0]): invalid value 1 for type TYPE_STRING".
std::optional<std::string> ExplainValue(std::string_view complaint) {
  constexpr std::string_view kInvalid = ": invalid value ";
  constexpr std::string_view kForType = " for type ";
  const std::size_t colon = complaint.find(kInvalid);
  const std::size_t for_type = complaint.rfind(kForType);
  if (colon == std::string_view::npos || for_type == std::string_view::npos) return std::nullopt;
  std::string path(complaint.substr(0, colon));  // "(event.tick)", or nothing at the top
  if (!path.empty()) path = path.substr(1, path.size() - 2);
  const std::size_t value_begin = colon + kInvalid.size();
  if (for_type < value_begin) return std::nullopt;
  std::string_view value = complaint.substr(value_begin, for_type - value_begin);
  const std::string type(complaint.substr(for_type + kForType.size()));

  if (value == "Starting an object on a scalar field") {  // Here the type is the field's name.
    return PlaceOf(path.empty() ? type : path + '.' + type).path +
           ": found an object, expected a single value";
  }
  const Place place = PlaceOf(path);
  if (TakePrefix(value, "oneof field '")) {
    return place.path + ": has two alternatives, expected one of " +
           (place.message == nullptr ? "its alternatives" : AlternativesOf(*place.message));
  }
  return place.path + ": found " + Shown(value) + ", expected " + ExpectedAt(place, type);
}

// The reason, a piece of the text, and below it a caret at the place.
std::optional<std::string> ExplainSyntax(std::string_view complaint) {
  const std::size_t reason_end = complaint.find('\n');
  const std::size_t caret_line = complaint.rfind('\n');
  if (reason_end == std::string_view::npos || caret_line == reason_end) return std::nullopt;
  const std::string_view piece = complaint.substr(reason_end + 1, caret_line - reason_end - 1);
  const std::size_t caret = complaint.size() - caret_line - 2;
  std::string out = "not JSON: " + Shown(complaint.substr(0, reason_end));
  out += caret < piece.size() ? " At: " + Shown(piece.substr(caret)) : " At the end of the line.";
  return out;
}

}  // namespace

std::string ExplainJsonProblem(std::string_view complaint) {
  if (complaint.ends_with("Root element must be a message.")) {
    return "found no object, expected {\"nowUs\": ..., \"event\": {...}}";
  }
  if (auto text = ExplainKey(complaint)) return *std::move(text);
  if (auto text = ExplainValue(complaint)) return *std::move(text);
  if (auto text = ExplainSyntax(complaint)) return *std::move(text);
  return Shown(complaint);
}

}  // namespace blockx::replay
