// The text form (docs/text-form.md): one event a line in, one step a line out, as JSON.
#ifndef BLOCKX_REPLAY_TEXT_H_
#define BLOCKX_REPLAY_TEXT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "blockx/engine/commands.h"
#include "blockx/engine/events.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/time.h"
#include "blockx/proto/segment.pb.h"
#include "blockx/replay/convert.h"

namespace blockx::replay {

// A line has an event with its time; or, at the beginning of a log's text form, a header or a
// snapshot.
struct InputLine {
  engine::Instant now{};
  engine::Event event{};
  const log::v1::Line* message = nullptr;  // All that the line says.
  [[nodiscard]] bool has_event() const {
    return !message->has_header() && !message->has_snapshot();
  }
};

// Reads lines one after the other, in the same memory.
class LineReader {
 public:
  // `line` is without its end. The event borrows from this reader: it is valid until the next Read.
  // InvalidArgument: the text says in one line where in the input what was found and what was
  // expected.
  [[nodiscard]] absl::StatusOr<InputLine> Read(std::string_view line);

 private:
  log::v1::Line message_;
  EventReader events_;
};

// What is shown of an engine's state after a step.
struct StateAfter {
  std::optional<engine::Instant> next_deadline{};
  std::uint64_t digest = 0;
};

// Writes steps one after the other, in the same memory.
class StepWriter {
 public:
  // Appends one line, its end included. `number` counts from 1; without `state` the line has none.
  void Append(std::uint64_t number, const engine::Reply& reply,
              std::span<const engine::Command> commands, const std::optional<StateAfter>& state,
              std::string& out);

 private:
  void AppendReply(const engine::Reply& reply, std::string& out);

  log::v1::Reply reply_;
  log::v1::Command command_;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_TEXT_H_
