#ifndef BLOCKX_ENGINE_STATE_H_
#define BLOCKX_ENGINE_STATE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/engine.h"
#include "blockx/engine/events.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/payload.h"
#include "blockx/engine/task_result.h"
#include "blockx/engine/time.h"

// An engine's state laid open, for people and tools. Nothing decides by it.
namespace blockx::engine {

// What permits are for, in the order in which a step grants them (R-EV-3).
enum class Stage : std::uint8_t { kBuilder, kScan, kExecutorTasks, kPlugin };

// What the adapter was told to do for a task and has not yet reported the end of (R-EV-2). At most
// one at a time, and each occupies one permit of its stage (R-ADM-2).
enum class Work : std::uint8_t { kNone, kBuilder, kStream, kWriter };

enum class CallState : std::uint8_t {
  kWaiting,     // has no attempt yet
  kRunning,     // has a live attempt
  kBackingOff,  // its retry is not due yet
  kRetryReady,  // its retry is due
  kSucceeded,
  kFailed,  // for good
};

enum class ExecutorState : std::uint8_t {
  kDown,      // no process
  kStarting,  // spawned, not connected yet
  kHealthy,
  kKilled,  // KillExecutor was emitted; gone only with its exit (R-EX-6)
};

// Everything that StateDigest covers, by the names that things have outside. Two engines with
// different digests differ here. Instants are kNever where a timer is not set.
struct State {
  struct Attempt {
    CallId call{};
    engine::Attempt number{};
    std::optional<ExecutorId> executor{};  // nothing: its process has exited
    bool live = false;                     // not cancelled (R-CALL-6)
    std::int64_t outstanding = 0;          // subcalls that it waits for
    Instant deadline = kNever;             // while live
    Instant kill_at = kNever;              // once cancelled: when its executor is killed for it
  };
  struct Call {
    CallId id{};      // 0: it has had no attempt yet and is no subcall (R-CALL-0)
    CallId parent{};  // 0: a root call
    SubcallRef ref{};
    std::int64_t index = 0;
    std::int64_t depth = 0;
    std::int64_t attempts = 0;
    CallState state = CallState::kWaiting;
    Instant retry_at = kNever;  // while backing off
    std::string function{};
    Payload args{};
    Payload output{};
    bool retryable = false;
    std::string failure_code{};
    std::string failure_message{};
  };
  // Of a task that was accepted and has not ended.
  struct Active {
    Phase phase = Phase::kPreparing;
    Work owed = Work::kNone;
    bool has_result_handler = false;
    bool holds_scan = false;
    bool holds_executors = false;
    CallFailurePolicy failure_policy = CallFailurePolicy::kFailTask;
    RetryPolicy retry{};
    CodeEpoch epoch{};
    Instant deadline = kNever;
    Instant grace_ends = kNever;  // R-W-3
    // In the phases Calls and Plugin:
    std::int64_t window = 0;     // R-CALL-2
    std::int64_t in_flight = 0;  // root attempts
    std::int64_t output_bytes = 0;
    CallCounts counts{};
    bool granted = false;
    bool streaming = false;
    bool stream_ended = false;
    bool paused = false;
    std::vector<Call> calls{};        // root calls in call order, then subcalls in dispatch order
    std::vector<CallId> retries{};    // root calls whose retry is due, in their order
    std::vector<Attempt> attempts{};  // live ones, in dispatch order
  };
  struct Task {
    std::string id{};
    TaskState state = TaskState::kAllocated;
    std::optional<SlotIndex> slot{};
    Run run{};
    Instant lease_expires_at = kNever;
    Instant purge_at = kNever;
    std::uint64_t content = 0;  // fingerprint of what was submitted
    bool message_is_reported = false;
    TaskResult result{};
    std::optional<Active> active{};
  };
  // Work of a task that has ended; it holds its permit until its end is reported.
  struct Orphan {
    Run run{};
    std::string task_id{};
    Work work = Work::kNone;
  };
  struct Queue {
    Stage stage{};
    std::int64_t limit = 0;
    std::int64_t in_use = 0;
    std::vector<std::string> waiting{};  // task ids, the next one first
  };
  struct Executor {
    ExecutorId id{};
    ExecutorState state = ExecutorState::kDown;
    Generation generation{};
    std::int64_t activity = 0;  // the value that the present stall began with; 0: no stall
    Instant start_timeout = kNever;
    Instant heartbeat_timeout = kNever;
    Instant wedged_at = kNever;
    Instant restart_at = kNever;
    std::vector<Instant> restarted_at{};
    std::vector<Attempt> attempts{};  // all that occupy it or wait on it, in dispatch order
  };
  struct Watch {
    WatchId id{};
    std::int64_t named = 0;
    std::vector<std::string> task_ids{};  // that have not ended
  };
  // A pending timer; of one kind they fall due in this order.
  struct Timer {
    enum class Kind : std::uint8_t {
      kStartTimeout,
      kHeartbeatTimeout,
      kWedge,
      kRestart,
      kLease,
      kTaskDeadline,
      kWatchGrace,
      kCallDeadline,
      kCancelGrace,
      kRetry,
    };
    Kind kind{};
    Instant at{};
    std::string subject{};  // "executor 2", "slot-7", a task's id, "call 12", "call 12 attempt 1"
  };

  Instant now = kNever;  // no part of the digest
  std::optional<Instant> next_deadline{};
  std::optional<Instant> last_tick{};
  bool started = false;
  bool ready = false;
  bool registered = false;
  bool outage = false;
  bool draining = false;
  bool drain_completed = false;
  bool stopped = false;
  std::optional<Instant> outage_at{};
  std::optional<Instant> drain_timeout{};
  Run last_run{};
  CallId last_call_id{};
  std::int64_t slots = 0;
  std::vector<Task> tasks{};  // by slot; then the retained ones, oldest first
  std::vector<Orphan> orphans{};
  std::array<Queue, 4> queues{};
  std::vector<std::string> turns{};  // ids of the tasks that take turns for executors (R-CALL-1)
  std::vector<Executor> executors{};
  std::vector<Watch> watches{};
  std::vector<Timer> timers{};
};

// O(state).
State Inspect(const Engine& engine);

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_STATE_H_
