#ifndef BLOCKX_ENGINE_EVENTS_H_
#define BLOCKX_ENGINE_EVENTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "blockx/engine/ids.h"
#include "blockx/engine/payload.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/time.h"

// What can happen to a Worker. An event borrows: the text and spans that it points to need to live
// only until Apply returns. Requests name their reply; all other events are reports from the world,
// in the past tense, or orders.
namespace blockx::engine {

enum class CallFailurePolicy : std::uint8_t {
  kFailTask,  // The first call that fails for good ends the task (R-CALL-5).
  kContinue,  // Every call runs, and the writer sees each outcome.
};

struct RetryPolicy {
  std::int64_t max_attempts = 0;
  Duration base_backoff{};
  std::int64_t jitter_percent = 0;
};

// A function of the code view, or a result handler: its registered type and what it is given.
struct Invocation {
  std::string_view type{};
  Payload payload{};
};

struct CallSpec {
  std::string_view function{};
  Payload args{};
};

// Why something failed. An empty code means the code that the rules give to this kind of failure.
struct Failure {
  std::string_view code{};
  std::string_view message{};
  bool retryable = false;
};

// ---- Requests ----

// Reserves the lowest free slot (R-SLOT-2). `ttl` 0: the configured default.
struct RequestTaskSlot {
  using Reply = TaskView;
  std::string_view task_id{};
  Duration ttl{};
};

// Starts a task, in the slot that it reserved or in a new one (R-SUB-1). `timeout` 0: the
// configured deadline.
struct SubmitTask {
  using Reply = TaskView;
  std::string_view task_id{};
  std::string_view slot_id{};  // empty: not named
  Invocation function{};
  Invocation result_handler{};  // empty type: none
  Duration timeout{};
  CallFailurePolicy failure_policy = CallFailurePolicy::kFailTask;
  std::optional<RetryPolicy>
      retry_policy{};  // absent: the configured defaults; present: literal, 0 included
};

struct GetTaskResult {
  using Reply = TaskView;
  std::string_view task_id{};
};

// Subscribes to known and unknown tasks alike (R-W-1).
struct OpenWatch {
  using Reply = WatchView;
  WatchId watch_id{};
  std::span<const std::string_view> task_ids{};
};

struct CloseWatch {
  WatchId watch_id{};
};

// ---- Reports about a task's phases; stale ones are dropped (R-EV-1, R-SUB-4) ----

struct ActivationPrepared {
  std::string_view task_id{};
  Run run{};
  std::string_view slot_id{};  // informative
  CodeEpoch epoch{};
};

struct ActivationFailed {
  std::string_view task_id{};
  Run run{};
  Failure failure{};
};

struct CallList {
  std::span<const CallSpec> calls{};
};
struct StreamMarker {};  // The calls will come by CallsAppended.

struct BuilderFinished {
  std::string_view task_id{};
  Run run{};
  std::variant<CallList, StreamMarker, Failure> outcome{};
};

struct CallsAppended {
  std::string_view task_id{};
  Run run{};
  std::span<const CallSpec> calls{};
};

struct CallStreamEnded {
  std::string_view task_id{};
  Run run{};
  std::optional<Failure> failure{};
};

struct WriterFinished {
  std::string_view task_id{};
  Run run{};
  std::variant<Payload, Failure> outcome{};  // the plugin results, or why there are none
};

// ---- Reports about executors and calls ----

struct ExecutorConnected {
  ExecutorId executor{};
  Generation generation{};
  std::int64_t pid = 0;
};

struct ExecutorHeartbeat {
  ExecutorId executor{};
  Generation generation{};
  CallId running_call{};  // 0: none
  std::int64_t last_scheduler_active =
      0;  // milliseconds on the executor's own clock; only compared for equality
};

struct ExecutorExited {
  ExecutorId executor{};
  Generation generation{};
  std::string_view reason{};
};

struct CallSucceeded {
  ExecutorId executor{};
  CallId call{};
  Attempt attempt{};
  Payload output{};
};

struct CallFailed {
  ExecutorId executor{};
  CallId call{};
  Attempt attempt{};
  Failure failure{};
};

struct SubcallRequested {
  ExecutorId executor{};
  CallId parent{};
  Attempt parent_attempt{};
  SubcallRef ref{};
  CallSpec spec{};
};

// ---- Orders ----

struct Start {};
struct Tick {};  // The only event in which timers act (R-TIME-5).
struct BeginDrain {};
struct ForceStop {};

using Event = std::variant<RequestTaskSlot, SubmitTask, GetTaskResult, OpenWatch, CloseWatch,
                           ActivationPrepared, ActivationFailed, BuilderFinished, CallsAppended,
                           CallStreamEnded, WriterFinished, ExecutorConnected, ExecutorHeartbeat,
                           ExecutorExited, CallSucceeded, CallFailed, SubcallRequested, Start, Tick,
                           BeginDrain, ForceStop>;

// An event that is answered with a reply of its own type.
template <class E>
concept Request = requires {
  typename E::Reply;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_EVENTS_H_
