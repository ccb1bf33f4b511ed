// What the conversions of events, replies and commands share.
#ifndef BLOCKX_REPLAY_SRC_CONVERT_PARTS_H_
#define BLOCKX_REPLAY_SRC_CONVERT_PARTS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "blockx/engine/events.h"
#include "blockx/engine/payload.h"
#include "blockx/engine/task_result.h"
#include "blockx/proto/event_log.pb.h"
#include "blockx/replay/convert.h"

namespace blockx::replay {

// A visitor out of functions, one for each alternative: a forgotten one does not compile.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// Protobuf's setters take std::string.
inline std::string Text(std::string_view text) { return std::string(text); }

// Calls set(bytes), or fills the message that left_out() gives when they were or are to be left
// out.
template <class Set, class LeftOut>
void SetPayload(const engine::Payload& payload, PayloadMode mode, Set set, LeftOut left_out) {
  if (payload.size() == 0) return set(std::string());
  if (payload.bytes() != nullptr && mode == PayloadMode::kFull) return set(*payload.bytes());
  log::v1::LeftOut& message = left_out();
  message.set_size(static_cast<std::int64_t>(payload.size()));
  message.set_fingerprint(payload.fingerprint());
}

// For a failure of its own message, and for events that carry code, message and retryable as
// fields.
template <class Message>
void SetFailure(const engine::Failure& failure, Message& message) {
  message.set_code(Text(failure.code));
  message.set_message(Text(failure.message));
  message.set_retryable(failure.retryable);
}

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_CONVERT_PARTS_H_
