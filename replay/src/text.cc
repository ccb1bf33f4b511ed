#include "blockx/replay/text.h"

#include <google/protobuf/util/json_util.h>

#include <cstddef>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "json_problem.h"

namespace blockx::replay {
namespace {

// Appends. It cannot fail: that needs text that is not UTF-8 or a type that is not compiled in.
void AppendJson(const google::protobuf::Message& message, std::string& out) {
  (void)google::protobuf::util::MessageToJsonString(message, &out);
}

void AppendHex(std::uint64_t value, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) out += kDigits[(value >> shift) & 15];
}

}  // namespace

absl::StatusOr<InputLine> LineReader::Read(std::string_view line) {
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(line.data(), line.size()), &message_);
  if (!status.ok()) {
    const auto text = status.message();
    return absl::InvalidArgumentError(ExplainJsonProblem({text.data(), text.size()}));
  }
  InputLine input{.now = engine::AtMicroseconds(message_.now_us()), .message = &message_};
  if (!input.has_event()) {
    if (message_.has_event() || (message_.has_header() && message_.has_snapshot())) {
      return absl::InvalidArgumentError(
          "has several of header, snapshot and event; expected one of them");
    }
    return input;
  }
  absl::StatusOr<engine::Event> event = events_.Read(message_.event());
  if (!event.ok()) return event.status();
  input.event = *std::move(event);
  return input;
}

void StepWriter::Append(std::uint64_t number, const engine::Reply& reply,
                        std::span<const engine::Command> commands,
                        const std::optional<StateAfter>& state, std::string& out) {
  out += "{\"step\":";
  out += std::to_string(number);
  out += ",\"reply\":";
  AppendReply(reply, out);
  out += ",\"commands\":[";
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (i > 0) out += ',';
    ToProto(commands[i], command_);
    AppendJson(command_, out);
  }
  out += ']';
  if (state) {
    out += ",\"nextDeadlineUs\":";
    if (state->next_deadline) {
      out += '"' + std::to_string(engine::ToMicroseconds(*state->next_deadline)) + '"';
    } else {
      out += "null";
    }
    out += ",\"digest\":\"";
    AppendHex(state->digest, out);
    out += '"';
  }
  out += "}\n";
}

void StepWriter::AppendReply(const engine::Reply& reply, std::string& out) {
  if (std::holds_alternative<std::monostate>(reply)) {
    out += "null";
    return;
  }
  const auto* watch = std::get_if<engine::WatchView>(&reply);
  if (watch != nullptr && watch->tasks.empty()) {
    out += "{\"tasks\":[]}";  // An empty list is left out by the mapping; here it is the answer.
    return;
  }
  ToProto(reply, reply_);
  AppendJson(reply_, out);
}

}  // namespace blockx::replay
