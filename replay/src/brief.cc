#include "blockx/replay/brief.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "shown.h"

namespace blockx::replay {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::size_t kShownBytes = 60;
constexpr int kShownElements = 4;

std::string Shown(std::string_view text) { return replay::Shown(text, kShownBytes); }

void AppendFields(const Message& message, std::string& out);

std::string Nested(const Message& message) {
  if (const auto* left_out = dynamic_cast<const log::v1::LeftOut*>(&message)) {
    return std::to_string(left_out->size()) + " bytes (left out)";
  }
  std::string fields;
  AppendFields(message, fields);
  if (!fields.empty()) fields.erase(0, 1);
  return "{" + fields + "}";
}

// One value: of a singular field, or of an element of a repeated one.
std::string Value(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& reflection = *message.GetReflection();
  const bool repeated = index >= 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Nested(repeated ? reflection.GetRepeatedMessage(message, &field, index)
                             : reflection.GetMessage(message, &field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return (repeated ? reflection.GetRepeatedEnum(message, &field, index)
                       : reflection.GetEnum(message, &field))
          ->name();
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text = repeated ? reflection.GetRepeatedString(message, &field, index)
                                        : reflection.GetString(message, &field);
      if (field.type() == FieldDescriptor::TYPE_BYTES) {
        return std::to_string(text.size()) + " bytes";
      }
      return text.find(' ') == std::string::npos && !text.empty() ? Shown(text)
                                                                  : "\"" + Shown(text) + "\"";
    }
    case FieldDescriptor::CPPTYPE_UINT64:
      return std::to_string(reflection.GetUInt64(message, &field));
    default:
      return std::to_string(repeated ? reflection.GetRepeatedInt64(message, &field, index)
                                     : reflection.GetInt64(message, &field));
  }
}

void AppendFields(const Message& message, std::string& out) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    out += " " + field->json_name() + "=";
    if (!field->is_repeated()) {
      out += Value(message, *field, -1);
      continue;
    }
    const int count = message.GetReflection()->FieldSize(message, field);
    out += "[";
    for (int i = 0; i < count && i < kShownElements; ++i) {
      out += (i > 0 ? ", " : "") + Value(message, *field, i);
    }
    if (count > kShownElements) out += ", ... " + std::to_string(count) + " in all";
    out += "]";
  }
}

// Of a message that is one of several: its name, and its fields.
std::string BriefOneof(const Message& message) {
  const auto& oneof = *message.GetDescriptor()->oneof_decl(0);
  const FieldDescriptor* field = message.GetReflection()->GetOneofFieldDescriptor(message, &oneof);
  if (field == nullptr) return "nothing";
  std::string out = field->json_name();
  AppendFields(message.GetReflection()->GetMessage(message, field), out);
  return out;
}

std::string Brief(const log::v1::Task& task) {
  std::string out = Shown(task.task_id()) + " " + log::v1::TaskState::Value_Name(task.state());
  if (!task.slot_id().empty()) out += " " + task.slot_id();
  if (task.phase() != log::v1::Phase::UNSPECIFIED) {
    out += " " + log::v1::Phase::Value_Name(task.phase());
  }
  if (!task.result().failure_code().empty()) out += " " + Shown(task.result().failure_code());
  return out;
}

}  // namespace

std::string Brief(const log::v1::Event& event) { return BriefOneof(event); }
std::string Brief(const log::v1::Command& command) { return BriefOneof(command); }

std::string Brief(const log::v1::Reply& reply) {
  if (reply.has_error()) {
    return log::v1::ErrorCode::Value_Name(reply.error().code()) + ": " +
           Shown(reply.error().message());
  }
  if (reply.has_task()) return "task " + Brief(reply.task());
  std::string out;
  for (const log::v1::Task& task : reply.tasks())
    out += (out.empty() ? "tasks " : ", ") + Brief(task);
  return out;
}

std::string FormatInstant(engine::Instant at, log::v1::World::Value world) {
  const std::int64_t us = engine::ToMicroseconds(at);
  char text[48];
  if (world == log::v1::World::SIMULATION || us < 0) {
    std::snprintf(text, sizeof text, "%c%lld.%06llds", us < 0 ? '-' : '+',
                  static_cast<long long>(std::abs(us / 1'000'000)),
                  static_cast<long long>(std::abs(us % 1'000'000)));
    return text;
  }
  using namespace std::chrono;  // NOLINT: its literals and calendar
  const sys_time<microseconds> time{microseconds(us)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02lld:%02lld:%02lld.%06lldZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<long long>(clock.hours().count()),
                static_cast<long long>(clock.minutes().count()),
                static_cast<long long>(clock.seconds().count()),
                static_cast<long long>(clock.subseconds().count()));
  return text;
}

std::string FormatSpan(engine::Duration duration) {
  const std::int64_t us = duration.count();
  char text[40];
  const double magnitude = std::abs(static_cast<double>(us));
  if (magnitude < 1'000) {
    std::snprintf(text, sizeof text, "%lld us", static_cast<long long>(us));
  } else if (magnitude < 1'000'000) {
    std::snprintf(text, sizeof text, "%.3g ms", static_cast<double>(us) / 1e3);
  } else if (magnitude < 120'000'000) {
    std::snprintf(text, sizeof text, "%.3g s", static_cast<double>(us) / 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.1f min", static_cast<double>(us) / 60e6);
  }
  return text;
}

}  // namespace blockx::replay
