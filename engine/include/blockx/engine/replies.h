#ifndef BLOCKX_ENGINE_REPLIES_H_
#define BLOCKX_ENGINE_REPLIES_H_

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "blockx/engine/ids.h"
#include "blockx/engine/task_result.h"
#include "blockx/engine/time.h"

namespace blockx::engine {

// Why a request was refused. Which gRPC status each becomes: R-ERR.
enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  // The request is malformed, whatever the state: change it.
  kNoSlot,           // No capacity: another Worker, or later.
  kUnavailable,      // Not ready, draining or stopped: another Worker.
  kInvalidSlot,      // The named slot does not exist, or the task holds none: reserve again.
  kNotFound,         // No such task, or its result is no longer kept.
  kSlotUncertain,    // The task holds another slot than the one named: begin again from the
                     // reservation.
};

struct Error {
  ErrorCode code{};
  std::string_view message{};  // a literal: a refusal allocates nothing
};

// One uniform view of a task: each member is there when it applies. Borrowed from the engine, valid
// until the next Apply.
struct TaskView {
  std::string_view task_id{};
  TaskState state = TaskState::kAllocated;
  std::optional<SlotIndex> slot{};            // while it holds one
  std::optional<Phase> phase{};               // once submitted
  std::optional<Instant> lease_expires_at{};  // while its slot is ALLOCATED
  const TaskResult* result = nullptr;         // once ended
};

// The present state of the known tasks of a watch, in the order asked. Borrowed like TaskView.
struct WatchView {
  std::span<const TaskView> tasks{};
};

// What a request is answered with: a value, or the Error that it was refused with.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : content_(std::move(value)) {}  // NOLINT(google-explicit-constructor): returned by value
  Result(Error error)
      : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor): as above

  [[nodiscard]] bool ok() const { return content_.index() == 0; }
  [[nodiscard]] const T& value() const {
    return *std::get_if<0>(&content_);
  }  // Precondition: ok().
  [[nodiscard]] const Error& error() const {
    return *std::get_if<1>(&content_);
  }  // Precondition: !ok().

 private:
  std::variant<T, Error> content_;
};

// The reply to any event; monostate for those that have none.
using Reply = std::variant<std::monostate, Error, TaskView, WatchView>;

// A typed door's answer as the reply to any event.
template <class T>
Reply ToReply(const Result<T>& result) {
  return result.ok() ? Reply(result.value()) : Reply(result.error());
}
inline Reply ToReply(std::monostate) { return Reply(); }

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_REPLIES_H_
