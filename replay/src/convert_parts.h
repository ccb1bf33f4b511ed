// What the conversions of events, replies and commands share.
#ifndef BLOCKX_REPLAY_SRC_CONVERT_PARTS_H_
#define BLOCKX_REPLAY_SRC_CONVERT_PARTS_H_

#include <string>
#include <string_view>

#include "blockx/engine/events.h"
#include "blockx/engine/payload.h"
#include "blockx/engine/task_result.h"
#include "blockx/proto/event_log.pb.h"

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

inline std::string Bytes(const engine::Payload& payload) {
  return payload.bytes() == nullptr ? std::string() : *payload.bytes();
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
