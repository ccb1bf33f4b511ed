#ifndef BLOCKX_ENGINE_TASK_RESULT_H_
#define BLOCKX_ENGINE_TASK_RESULT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "blockx/engine/payload.h"
#include "blockx/engine/time.h"

namespace blockx::engine {

// What is seen of a task from outside.
enum class TaskState : std::uint8_t { kAllocated, kRunning, kSucceeded, kFailed };

// Where a submitted task is. It only moves forward; all but kTerminal show as RUNNING outside.
enum class Phase : std::uint8_t { kPreparing, kBuilder, kCalls, kPlugin, kTerminal };

// The failure codes that the rules give (R-END-2). A report may bring a code of its own instead.
namespace failure_code {
inline constexpr std::string_view kActivationFailed = "ACTIVATION_FAILED";
inline constexpr std::string_view kIoScopeFailed = "IO_SCOPE_FAILED";
inline constexpr std::string_view kBuilderNotFound = "BUILDER_NOT_FOUND";
inline constexpr std::string_view kBuilderFailed = "BUILDER_FAILED";
inline constexpr std::string_view kCallFailed = "CALL_FAILED";
inline constexpr std::string_view kCallTimedOut = "CALL_TIMED_OUT";
inline constexpr std::string_view kExecutorLost = "EXECUTOR_LOST";
inline constexpr std::string_view kSubcallDepthExceeded = "SUBCALL_DEPTH_EXCEEDED";
inline constexpr std::string_view kPluginNotFound = "PLUGIN_NOT_FOUND";
inline constexpr std::string_view kPluginFailed = "PLUGIN_FAILED";
inline constexpr std::string_view kTimedOut = "TIMED_OUT";
inline constexpr std::string_view kWatchDisconnected = "WATCH_DISCONNECTED";
inline constexpr std::string_view kSlotLost = "SLOT_LOST";
inline constexpr std::string_view kWorkerShutdown = "WORKER_SHUTDOWN";
}  // namespace failure_code

// Every call that got a call id, subcalls included.
struct CallCounts {
  std::uint32_t total = 0;
  std::uint32_t failed = 0;   // for good
  std::uint32_t retried = 0;  // attempts beyond a call's first
};

// When a task took each step; kNever for a step that it did not reach (R-END-3). What a task asks
// for next it asks for at the moment its last step ends: the builder permit at `activated`, the
// scan or executor-task permit at `built` (a stream asks for the latter at `scan_granted`), the
// plugin permit at `called`.
struct StepTimes {
  Instant accepted = kNever;
  Instant activated = kNever;
  Instant builder_granted = kNever;
  Instant built = kNever;
  Instant scan_granted = kNever;
  Instant executors_granted = kNever;
  Instant called = kNever;
  Instant plugin_granted = kNever;
  Instant ended = kNever;
};

struct TaskResult {
  TaskState state = TaskState::kSucceeded;  // kSucceeded or kFailed
  bool retryable = false;
  CallCounts calls{};
  std::string failure_code{};  // empty when it succeeded
  std::string message{};
  Payload plugin_results{};
  StepTimes times{};
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_TASK_RESULT_H_
