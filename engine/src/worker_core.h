#ifndef BLOCKX_ENGINE_SRC_WORKER_CORE_H_
#define BLOCKX_ENGINE_SRC_WORKER_CORE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "blockx/engine/config.h"
#include "blockx/engine/events.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/state.h"
#include "blockx/engine/task_result.h"
#include "deadline_queue.h"
#include "id_index.h"
#include "list.h"
#include "slab.h"
#include "slot_table.h"

namespace blockx::engine {

// What is kept of a task id from its reservation until its result is purged.
struct Task {
  std::string id;
  std::uint32_t id_hash = 0;
  TaskState state = TaskState::kAllocated;
  bool message_is_reported =
      false;  // the result's message came with a report, and counts as retained (R-SLOT-2)
  Handle active = kNone;  // its ActiveTask, from acceptance to convergence
  Handle next_retained = kNone;
  Instant purge_at = kNever;
  SlotIndex slot{-1};         // Invariant: held exactly while reserved or active.
  Run run{};                  // 0 while only reserved
  std::uint64_t content = 0;  // fingerprint of what was submitted (R-SUB-5)
  TaskResult result{};        // its times are filled in as the task goes

  [[nodiscard]] bool ended() const {
    return state == TaskState::kSucceeded || state == TaskState::kFailed;
  }
  void Recycle() {
    if (result.plugin_results.size() > 0) result.plugin_results = Payload();
  }
};

// What only a task that was accepted and has not ended needs.
struct ActiveTask {
  Handle task = kNone;
  Handle watched = kNone;  // its entry in the WatchTable while somebody watches
  Run run{};
  Phase phase = Phase::kPreparing;  // Invariant 4: only moves forward.
  Work owed = Work::kNone;
  bool has_result_handler = false;
  bool holds_scan = false;       // granted, and StartCallStream not emitted yet (R-PH-3)
  bool holds_executors = false;  // the executor-task permit
  CallFailurePolicy failure_policy = CallFailurePolicy::kFailTask;
  RetryPolicy retry{};
  Instant deadline{};
  CodeEpoch epoch{};
  Link by_acceptance{};
};

// How a task ends.
struct Ending {
  TaskState state = TaskState::kSucceeded;
  Failure failure{};
  bool message_is_reported = false;
  Payload plugin_results{};
};

// Slots, the task index and idempotency, phases, deadlines, retained results. The Engine's Parts
// move it.
class WorkerCore {
 public:
  explicit WorkerCore(const Config& config) : slots_(config.task_slots) {}

  [[nodiscard]] Handle Find(std::string_view task_id) const { return index_.Find(tasks_, task_id); }
  // The active task with this id and run; else kNone.
  [[nodiscard]] Handle FindActive(std::string_view task_id, Run run) const;
  // The active task with this id and run that owes this work; else kNone.
  [[nodiscard]] Handle FindOwing(std::string_view task_id, Run run, Work work) const;

  Handle Reserve(std::string_view task_id,
                 Instant lease_expires_at);  // Precondition: unknown, and a slot is free.
  void DropReservation(Handle task);
  Handle Accept(Handle task, const SubmitTask& request, const Config& config, Instant now);
  void Activate(Handle active, CodeEpoch epoch, Instant now);
  // Frees the slot, leaves the active tasks and begins the retention, in one call (R-END-1). The
  // ActiveTask stays readable until the step ends.
  void Converge(Handle active, const Ending& ending, const CallCounts& calls, Instant now,
                Duration retention);
  void Purge(Handle task);  // Precondition: it is the oldest retained one.

  // Work whose task has ended still occupies its permit until its end is reported; true when this
  // report ends it.
  bool SettleOrphan(std::string_view task_id, Run run, Work work);

  [[nodiscard]] TaskView View(Handle task) const;
  // What a submission asks for, to be compared with a later one of the same id (R-SUB-5). The named
  // slot is no part of it.
  [[nodiscard]] static std::uint64_t ContentOf(const SubmitTask& request);

  Task& task(Handle handle) { return tasks_[handle]; }
  [[nodiscard]] const Task& task(Handle handle) const { return tasks_[handle]; }
  ActiveTask& active(Handle handle) { return active_[handle]; }
  [[nodiscard]] const ActiveTask& active(Handle handle) const { return active_[handle]; }
  [[nodiscard]] const Task& task_of(Handle active) const { return tasks_[active_[active].task]; }
  [[nodiscard]] StepTimes& times_of(Handle active) {
    return tasks_[active_[active].task].result.times;
  }
  [[nodiscard]] std::size_t active_count() const { return active_.live(); }
  [[nodiscard]] std::size_t known_count() const { return index_.size(); }
  [[nodiscard]] Handle first_active() const { return by_acceptance_.first; }
  [[nodiscard]] Handle next_active(Handle active) const {
    return active_[active].by_acceptance.next;
  }
  [[nodiscard]] Handle oldest_retained() const { return oldest_retained_; }
  [[nodiscard]] std::int64_t retained_bytes() const { return retained_bytes_; }

  SlotTable& slots() { return slots_; }
  [[nodiscard]] const SlotTable& slots() const { return slots_; }
  DeadlineQueue& deadlines() { return deadlines_; }
  DeadlineQueue& graces() { return graces_; }
  [[nodiscard]] const DeadlineQueue& graces() const { return graces_; }
  [[nodiscard]] const DeadlineQueue& deadlines() const { return deadlines_; }

  void Reclaim() {
    tasks_.Reclaim();
    active_.Reclaim();
  }

  struct Orphan {
    std::string task_id;
    Work work = Work::kNone;
  };

 private:
  friend class SnapshotWriter;
  friend class SnapshotReader;
  friend class InvariantChecker;
  friend class StateInspector;

  [[nodiscard]] static std::int64_t RetainedSize(const Task& task);
  void Retain(Handle task);
  Handle NewTask(std::string_view task_id);
  Handle NewActive(Handle task);

  SlotTable slots_;
  Slab<Task> tasks_;
  Slab<ActiveTask> active_;
  // Invariant 2: holds each reserved, active and retained task once, and nothing else.
  IdIndex<Task> index_;
  List by_acceptance_;       // the active tasks, by run
  DeadlineQueue deadlines_;  // of the active tasks, by ActiveTask (R-PH-6)
  DeadlineQueue graces_;  // of the active tasks that lost their last watcher, by ActiveTask (R-W-3)
  // Retained results, oldest first. Retention is a constant and time never runs backwards, so this
  // is also the order in which they are purged.
  Handle oldest_retained_ = kNone;
  Handle newest_retained_ = kNone;
  std::int64_t retained_bytes_ = 0;  // Invariant: the sum of RetainedSize over the retained.
  std::map<Run, Orphan> orphans_;
  std::int64_t last_run_ = 0;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_WORKER_CORE_H_
