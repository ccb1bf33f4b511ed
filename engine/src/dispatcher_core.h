#ifndef BLOCKX_ENGINE_SRC_DISPATCHER_CORE_H_
#define BLOCKX_ENGINE_SRC_DISPATCHER_CORE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/config.h"
#include "blockx/engine/events.h"
#include "call_table.h"
#include "deadline_queue.h"
#include "list.h"
#include "lowest_set.h"
#include "slab.h"
#include "worker_core.h"

namespace blockx::engine {

// What the end of an attempt means for its task.
struct Verdict {
  enum class Kind : std::uint8_t { kGoesOn, kCallsDone, kTaskFailed };
  Kind kind = Kind::kGoesOn;
  Handle task = kNone;
  Failure failure{};                 // kTaskFailed; valid until the step ends
  bool message_is_reported = false;  // the failure's message came with a report
};

// How long after attempt `number` failed its retry is due (R-CALL-4).
Duration RetryDelay(const RetryPolicy& policy, Duration max_backoff, std::string_view task_id,
                    std::int64_t index, std::int64_t number);

// Which call runs on which executor, and when: turns, ramp-up windows, retries, call deadlines,
// subcalls, streams. Tasks are named by their ActiveTask in the WorkerCore, which is read for what
// belongs to the task.
class DispatcherCore {
 public:
  explicit DispatcherCore(const Config& config);

  // ---- A task's calls ----
  void Begin(Handle task, bool by_stream);
  // False when the task would have more calls than it may; then none is added (R-LIM).
  [[nodiscard]] bool Append(Handle task, std::span<const CallSpec> calls);
  void Grant(Handle task);  // its executor-task permit
  void StartStream(Handle task);
  [[nodiscard]] Verdict EndStream(Handle task);
  // The task has left Calls: what remains are outcomes.
  void LeaveCalls(Handle task);
  // The outcomes of the root calls in call order; they and the calls are valid until the step ends.
  std::span<const CallOutcome> TakeOutcomes(Handle task);
  // The task has ended: cancels what runs (R-END-1), forgets the rest.
  void Abandon(Handle task, Instant now, std::vector<Command>& out);

  // ---- Reports; false or kNone where they are about nothing that is held (R-EV-1) ----
  // The attempt of that call on that executor, live or cancelled.
  [[nodiscard]] Handle FindAttempt(ExecutorId executor, CallId call, Attempt number) const;
  Verdict Succeed(Handle attempt, const Payload& output, Instant now, std::vector<Command>& out);
  Verdict Fail(Handle attempt, const Failure& failure, bool message_is_reported,
               const WorkerCore& core, Instant now, std::vector<Command>& out);
  [[nodiscard]] bool AskSubcall(const SubcallRequested& request, std::vector<Command>& out);

  // ---- Executors ----
  void ExecutorUsable(ExecutorId executor);
  void ExecutorUnusable(
      ExecutorId executor);  // No new call goes there, and no cancel grace runs on it.
  // Takes everything off an executor that has exited. The live attempts among them, in dispatch
  // order, are to be failed one by one; an earlier one may end a later one, so ask IsLive. Valid
  // until the next call.
  std::span<const Handle> ExecutorGone(ExecutorId executor);
  [[nodiscard]] bool IsLive(Handle attempt) const { return attempts_[attempt].live(); }

  // ---- Timers ----
  Verdict TimeOut(Handle attempt, const WorkerCore& core, Instant now, std::vector<Command>& out);
  void RetryDue(Handle call);
  [[nodiscard]] ExecutorId ExecutorOf(Handle attempt) const {
    return ExecutorId(attempts_[attempt].executor);
  }
  DeadlineQueue& call_deadlines() { return call_deadlines_; }
  DeadlineQueue& cancel_graces() { return cancel_graces_; }
  DeadlineQueue& retries() { return retries_; }
  [[nodiscard]] const DeadlineQueue& call_deadlines() const { return call_deadlines_; }
  [[nodiscard]] const DeadlineQueue& cancel_graces() const { return cancel_graces_; }
  [[nodiscard]] const DeadlineQueue& retries() const { return retries_; }

  // ---- Settling ----
  void Settle(const WorkerCore& core, Instant now, std::vector<Command>& out) {
    if (!line_.empty()) DispatchAll(core, now, out);
    if (!judged_.empty()) JudgeStreams(core, out);
  }

  [[nodiscard]] CallCounts counts(Handle task) const {
    return task < tasks_.size() ? tasks_[task].counts : CallCounts();
  }
  [[nodiscard]] CallId last_call_id() const { return CallId(last_call_id_); }
  [[nodiscard]] std::int64_t occupying() const { return occupying_; }
  [[nodiscard]] std::int64_t waiting() const { return waiting_; }

  void Reclaim() {
    calls_.Reclaim();
    attempts_.Reclaim();
  }

 private:
  friend class SnapshotWriter;
  friend class SnapshotReader;
  friend class InvariantChecker;
  friend class StateInspector;

  struct ExecutorLoad {
    bool usable = false;
    std::int64_t occupying = 0;      // live and not suspended, or cancelled and not yet ended
    std::int64_t level = kUnlisted;  // the one of `by_load_` that it stands in
    List attempts{};                 // in dispatch order
  };
  static constexpr std::int64_t kUnlisted = -1;

  void DispatchAll(const WorkerCore& core, Instant now, std::vector<Command>& out);
  void JudgeStreams(const WorkerCore& core, std::vector<Command>& out);
  TaskCalls& Of(Handle task);
  [[nodiscard]] bool IsStartable(const TaskCalls& task) const;
  void JoinLine(Handle task);  // at the end, if it is startable and not in line
  void DispatchNext(Handle task, const WorkerCore& core, Instant now, std::vector<Command>& out);
  Handle TakeNextCall(TaskCalls& task);
  Handle NewCall(Handle task, const CallSpec& spec);
  void WaitAgain(Handle call);  // a subcall, at its place by call id
  void Occupy(std::int64_t executor, std::int64_t change);
  void PlaceByLoad(std::int64_t executor);
  void GrowLoads(std::size_t levels);

  // A live attempt stops being live: it ends, or is cancelled and from now on occupies again.
  // Returns its call.
  Handle Detach(Handle attempt);
  void Leave(
      Handle attempt);  // its executor: its end was reported, or nothing is left to report it
  void OrderCancel(Handle attempt, Instant now, std::vector<Command>& out);
  void Cancel(Handle attempt, Instant now,
              std::vector<Command>& out);  // and its subcalls, theirs included
  void CancelChildren(Handle attempt, Instant now, std::vector<Command>& out);
  Verdict JudgeFailure(Handle call, const Failure& failure, bool message_is_reported,
                       const WorkerCore& core, Instant now, std::vector<Command>& out);
  void Deliver(Handle call, std::vector<Command>& out);
  [[nodiscard]] Verdict IfDone(Handle task);
  void Judge(Handle task);

  Config config_;
  Slab<Call> calls_;
  Slab<CallAttempt> attempts_;
  std::vector<TaskCalls> tasks_;  // by ActiveTask
  std::vector<ExecutorLoad> executors_;
  // Usable executors with room, by how many attempts occupy them; and which of these sets hold any.
  // They grow as far as executors were ever loaded. Invariant: an executor stands in
  // by_load_[occupying] exactly when it may take a call.
  std::vector<LowestSet> by_load_;
  LowestSet loads_;
  List line_;  // tasks taking turns (R-CALL-1); some may have stopped being startable
  std::vector<Handle> judged_;    // tasks whose streams are to be judged in this step
  std::vector<Handle> lost_;      // what ExecutorGone shows
  DeadlineQueue call_deadlines_;  // by attempt
  DeadlineQueue cancel_graces_;   // by attempt. Invariant: none on an executor that is not usable.
  DeadlineQueue retries_;         // by call
  std::int64_t last_call_id_ = 0;
  std::int64_t occupying_ = 0;  // the sum over executors_
  std::int64_t waiting_ = 0;    // calls that are kWaiting or kRetryReady, of granted tasks or not
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_DISPATCHER_CORE_H_
