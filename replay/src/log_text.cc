#include "blockx/replay/log_text.h"

#include <google/protobuf/util/json_util.h>

#include <charconv>
#include <cstdio>
#include <optional>

#include "blockx/replay/convert.h"

namespace blockx::replay {
namespace {

std::optional<std::uint64_t> ParseDigest(const std::string& text) {
  std::uint64_t digest = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, digest, 16);
  if (text.size() != 16 || error != std::errc() || at != end) return std::nullopt;
  return digest;
}

}  // namespace

std::string DigestText(std::uint64_t digest) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
  return text;
}

void ToLine(const log::v1::Header& header, log::v1::Line& line) {
  line.Clear();
  *line.mutable_header() = header;
}

void ToLine(const LogSnapshot& snapshot, log::v1::Line& line) {
  line.Clear();
  line.set_now_us(engine::ToMicroseconds(snapshot.now));
  log::v1::Snapshot& message = *line.mutable_snapshot();
  message.set_sequence(static_cast<std::int64_t>(snapshot.sequence));
  message.set_digest(snapshot.digest);
  message.set_state_digest(snapshot.state_digest);
  message.set_state(snapshot.state);
}

void ToLine(const Record& record, log::v1::Line& line) {
  line.Clear();
  // Reply and commands have the same meaning in both messages.
  log::v1::Record outputs;
  outputs.ParseFromArray(record.outputs.data(), static_cast<int>(record.outputs.size()));
  line.set_now_us(engine::ToMicroseconds(record.now));
  ToProto(record.event, *line.mutable_event());
  line.set_sequence(static_cast<std::int64_t>(record.sequence));
  line.set_digest(DigestText(record.digest));
  if (outputs.has_reply()) line.mutable_reply()->Swap(outputs.mutable_reply());
  line.mutable_commands()->Swap(outputs.mutable_commands());
}

void ToLine(const engine::Step& step, log::v1::Line& line) {
  line.Clear();
  line.set_now_us(engine::ToMicroseconds(step.now));
  ToProto(step.event, *line.mutable_event());
  line.set_sequence(static_cast<std::int64_t>(step.sequence));
  line.set_digest(DigestText(step.digest));
  if (step.reply.index() != 0) ToProto(step.reply, *line.mutable_reply());
  for (const engine::Command& command : step.commands) ToProto(command, *line.add_commands());
}

std::string JsonOf(const log::v1::Line& line) {
  std::string out;
  // It fails only over text that is not UTF-8, which no protocol brings in.
  if (!google::protobuf::util::MessageToJsonString(line, &out).ok()) {
    return R"({"problem":"has text that is not UTF-8"})";
  }
  return out;
}

absl::StatusOr<LogSnapshot> SnapshotOf(const log::v1::Line& line) {
  const log::v1::Snapshot& message = line.snapshot();
  if (message.sequence() < 0) {
    return absl::InvalidArgumentError("snapshot.sequence: expected a number of at least 0");
  }
  LogSnapshot snapshot;
  snapshot.sequence = static_cast<std::uint64_t>(message.sequence());
  snapshot.now = engine::AtMicroseconds(line.now_us());
  snapshot.digest = message.digest();
  snapshot.state_digest = message.state_digest();
  snapshot.state = message.state();
  return snapshot;
}

absl::StatusOr<Record> RecordOf(const InputLine& line, std::string& outputs) {
  const log::v1::Line& message = *line.message;
  if (message.sequence() < 1) {
    return absl::InvalidArgumentError("sequence: expected a number of at least 1");
  }
  const std::optional<std::uint64_t> digest = ParseDigest(message.digest());
  if (!digest) return absl::InvalidArgumentError("digest: expected 16 hexadecimal digits");
  log::v1::Record said;
  if (message.has_reply()) *said.mutable_reply() = message.reply();
  *said.mutable_commands() = message.commands();
  said.SerializeToString(&outputs);
  Record record;
  record.sequence = static_cast<std::uint64_t>(message.sequence());
  record.now = line.now;
  record.event = line.event;
  record.digest = *digest;
  record.outputs = outputs;
  return record;
}

}  // namespace blockx::replay
