#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "parts.h"

namespace blockx::engine {

// Recounts what the parts keep, and holds it against what they say. The numbers are those of
// docs/engine-rules.md; 9 to 12 speak of several steps or several engines, and are tests.
class InvariantChecker {
 public:
  explicit InvariantChecker(const Engine::Parts& parts)
      : p_(parts), core_(parts.core), d_(parts.dispatcher) {}

  std::optional<std::string> FirstBroken() {
    Slots();
    Retained();
    Active();
    Permits();
    Attempts();
    Turns();
    Pool();
    Watches();
    Timers();
    return broken_;
  }

 private:
  void Expect(bool holds, const char* what) {
    if (!holds && !broken_) broken_ = what;
  }

  void Slots() {
    std::int64_t allocated = 0;
    std::int64_t running = 0;
    for (std::size_t i = 0; i < core_.slots_.size(); ++i) {
      const SlotIndex slot(static_cast<std::int64_t>(i));
      const Handle holder = core_.slots_.holder(slot);
      Expect(core_.slots_.IsFree(i) == (holder == kNone),
             "1: a slot is free exactly when nobody holds it");
      if (holder == kNone) continue;
      const Task& task = core_.tasks_[holder];
      ++(core_.slots_.IsLeased(slot) ? allocated : running);
      Expect(task.slot == slot, "1: a slot that is not free belongs to the task that names it");
      Expect(core_.Find(task.id) == holder && !task.ended(),
             "2: a task that holds a slot is reserved or active");
      Expect((task.state == TaskState::kAllocated) == (task.active == kNone),
             "2: a task is reserved until accepted");
      Expect(task.active == kNone || core_.active_[task.active].task == holder,
             "2: a task has one active part");
      const bool prepared =
          task.active != kNone && core_.active_[task.active].phase != Phase::kPreparing;
      Expect(core_.slots_.IsLeased(slot) != prepared,
             "1: a slot has a lease until its task is activated");
    }
    Expect(allocated == core_.slots_.allocated() && running == core_.slots_.running(),
           "7: the heartbeat's counts are those of the slot table");
    taken_ = static_cast<std::size_t>(allocated + running);
  }

  void Retained() {
    std::size_t retained = 0;
    std::int64_t bytes = 0;
    for (Handle i = core_.oldest_retained_; i != kNone; i = core_.tasks_[i].next_retained) {
      const Task& task = core_.tasks_[i];
      ++retained;
      bytes += WorkerCore::RetainedSize(task);
      Expect(core_.Find(task.id) == i && task.ended(),
             "2: a retained task has ended and is found by its id");
      Expect(task.active == kNone, "3: nothing of a task is active after its end");
    }
    Expect(bytes == core_.retained_bytes_,
           "2: the retained bytes are those of the retained results");
    Expect(core_.index_.size() == taken_ + retained,
           "2: a task id is reserved, active or retained, and only one");
  }

  void Active() {
    std::size_t active = 0;
    Run last{};
    for (Handle i = core_.first_active(); i != kNone; i = core_.next_active(i)) {
      const ActiveTask& a = core_.active_[i];
      ++active;
      Expect(a.run > last && a.run.value() <= core_.last_run_,
             "2: active tasks stand in the order of their runs");
      last = a.run;
      Expect(core_.deadlines_.IsSet(i), "12: every active task has a deadline");
      const bool waits = p_.admission.Waits(i);
      switch (a.phase) {
        case Phase::kPreparing:
          Expect(a.owed == Work::kNone && !waits,
                 "4: nothing runs for a task that is not activated");
          break;
        case Phase::kBuilder:
          Expect(waits != (a.owed == Work::kBuilder),
                 "4: a task in Builder waits for its permit or its builder runs");
          break;
        case Phase::kCalls:
          Expect(a.owed == Work::kNone || a.owed == Work::kStream,
                 "4: in Calls only a stream may run");
          Expect(waits != a.holds_executors, "5: a task in Calls waits for a permit or holds it");
          break;
        case Phase::kPlugin:
          Expect(waits != (a.owed == Work::kWriter),
                 "4: a task in Plugin waits for its permit or its writer runs");
          break;
        case Phase::kTerminal:
          Expect(false, "4: an active task is not terminal");
          break;
      }
      Expect(a.phase == Phase::kCalls || (!a.holds_executors && !a.holds_scan),
             "5: permits of Calls end with Calls");
    }
    Expect(active == core_.active_.live(), "2: every active task is in the order of acceptance");
  }

  void Permits() {
    std::int64_t builders = 0;
    std::int64_t scans = 0;
    std::int64_t executors = 0;
    std::int64_t writers = 0;
    const auto count = [&](Work work) {
      builders += work == Work::kBuilder ? 1 : 0;
      scans += work == Work::kStream ? 1 : 0;
      writers += work == Work::kWriter ? 1 : 0;
    };
    for (Handle i = core_.first_active(); i != kNone; i = core_.next_active(i)) {
      count(core_.active_[i].owed);
      scans += core_.active_[i].holds_scan ? 1 : 0;
      executors += core_.active_[i].holds_executors ? 1 : 0;
    }
    for (const auto& [run, orphan] : core_.orphans_) count(orphan.work);
    const std::pair<Stage, std::int64_t> stages[] = {{Stage::kBuilder, builders},
                                                     {Stage::kScan, scans},
                                                     {Stage::kExecutorTasks, executors},
                                                     {Stage::kPlugin, writers}};
    for (const auto& [stage, owed] : stages) {
      const std::int64_t in_use = p_.admission.in_use(stage);
      Expect(in_use == owed, "5: the permits in use are the work that is still owed an end");
      Expect(in_use <= p_.admission.limit(stage), "5: permits never exceed the limit");
      Expect(in_use == p_.admission.limit(stage) || p_.admission.waiting(stage) == 0,
             "5: nobody waits beside a free permit");
    }
  }

  void Attempts() {
    const std::int64_t most = p_.config.executor_max_concurrent_calls;
    std::int64_t occupying = 0;
    for (std::size_t executor = 0; executor < d_.executors_.size(); ++executor) {
      const DispatcherCore::ExecutorLoad& load = d_.executors_[executor];
      std::int64_t here = 0;
      for (Handle i = load.attempts.first; i != kNone; i = d_.attempts_[i].on_executor.next) {
        const CallAttempt& attempt = d_.attempts_[i];
        here += attempt.suspended() ? 0 : 1;
        Expect(!attempt.live() || d_.calls_[attempt.call].live == i,
               "3: a live attempt is its call's");
        Expect(attempt.live() == d_.call_deadlines_.IsSet(i),
               "8: a live attempt has a deadline, a cancelled one none");
        Expect(!attempt.live() || !d_.cancel_graces_.IsSet(i),
               "8: no cancel grace runs for a live attempt");
        Expect(load.usable || !d_.cancel_graces_.IsSet(i),
               "8: no cancel grace runs on an executor that was killed");
      }
      const ExecutorState state = p_.pool.executors_[executor].state;
      Expect(here == load.occupying, "6: an executor's load is what occupies it");
      Expect(load.usable == (state == ExecutorState::kHealthy),
             "6: calls go to healthy executors alone");
      Expect(load.attempts.empty() || state == ExecutorState::kHealthy ||
                 state == ExecutorState::kKilled,
             "6: no attempt is on an executor without a process");
      Expect((load.level != DispatcherCore::kUnlisted) == (load.usable && here < most),
             "6: an executor is offered exactly while it has room");
      Expect(load.level == DispatcherCore::kUnlisted || load.level == here,
             "6: an executor is offered by its load");
      occupying += here;
    }
    Expect(occupying == d_.occupying_, "6: the load of all executors is the sum of each one's");
  }

  void Turns() {
    std::int64_t waiting = 0;
    for (Handle i = core_.first_active(); i != kNone; i = core_.next_active(i)) {
      const ActiveTask& active = core_.active_[i];
      if (active.phase != Phase::kCalls) continue;
      const TaskCalls& task = d_.tasks_[i];
      std::int64_t in_flight = 0;
      for (Handle a = task.live.first; a != kNone; a = d_.attempts_[a].of_task.next) {
        in_flight += d_.calls_[d_.attempts_[a].call].is_root() ? 1 : 0;
        for (Handle c = d_.attempts_[a].children.first; c != kNone; c = d_.calls_[c].sibling.next)
          CountWaiting(c, waiting);
      }
      for (const Handle root : task.roots) CountWaiting(root, waiting);
      Expect(in_flight == task.in_flight, "6: the calls in flight are the live root attempts");
      Expect(task.window >= p_.config.ramp_up_initial_window &&
                 task.window <= p_.config.ramp_up_max_window,
             "6: a window stays between its bounds");
      Expect(task.granted == active.holds_executors,
             "5: calls run with an executor-task permit alone");
      Expect(task.streaming == (active.owed == Work::kStream),
             "4: a stream runs from its start to its end");
      const bool startable = d_.IsStartable(task);
      Expect(!startable || task.in_line, "6: every startable task stands in line");
      Expect(!startable || d_.loads_.empty(), "6: no startable call waits beside an idle executor");
    }
    Expect(waiting == d_.waiting_, "6: the waiting calls are counted");
  }

  void CountWaiting(Handle handle, std::int64_t& waiting) {
    const Call& call = d_.calls_[handle];
    waiting += call.state == CallState::kWaiting || call.state == CallState::kRetryReady ? 1 : 0;
    Expect((call.state == CallState::kRunning) == (call.live != kNone),
           "3: a call runs exactly while it has an attempt");
    Expect((call.state == CallState::kBackingOff) == d_.retries_.IsSet(handle),
           "8: a call backs off until its retry");
  }

  void Pool() {
    std::int64_t healthy = 0;
    for (std::size_t i = 0; i < p_.pool.executors_.size(); ++i) {
      const ExecutorState state = p_.pool.executors_[i].state;
      const auto handle = static_cast<Handle>(i);
      healthy += state == ExecutorState::kHealthy ? 1 : 0;
      Expect(p_.pool.start_timeouts_.IsSet(handle) == (state == ExecutorState::kStarting),
             "8: a start time-out runs exactly while an executor starts");
      Expect(p_.pool.heartbeat_timeouts_.IsSet(handle) == (state == ExecutorState::kHealthy),
             "8: a heartbeat time-out runs exactly while an executor is healthy");
      Expect(!p_.pool.wedges_.IsSet(handle) || state == ExecutorState::kHealthy,
             "8: only a healthy executor is wedged");
      Expect(!p_.pool.restarts_.IsSet(handle) || state == ExecutorState::kDown,
             "8: only a dead executor is restarted");
    }
    Expect(healthy == p_.pool.healthy_, "7: the healthy executors are counted");
  }

  void Watches() {
    const WatchTable& table = p_.watches;
    std::int64_t named = 0;
    for (const auto& [id, watch] : table.watches_) {
      named += watch.named;
      std::int64_t open = 0;
      Expect(!watch.subscriptions.empty(), "3: a watch ends when the last of its tasks has ended");
      for (Handle i = watch.subscriptions.first; i != kNone;
           i = table.subscriptions_[i].of_watch.next) {
        const auto& watched = table.watched_[table.subscriptions_[i].watched];
        const Handle task = core_.Find(watched.id);
        ++open;
        Expect(task == kNone || !core_.tasks_[task].ended(),
               "3: an ended task has no watcher left to tell");
        const Handle active = task == kNone ? kNone : core_.tasks_[task].active;
        Expect(watched.active == active, "3: a watch knows the active task of an id");
        Expect(active == kNone || core_.active_[active].watched == table.subscriptions_[i].watched,
               "3: an active task knows who watches it");
        Expect(active == kNone || !core_.graces_.IsSet(active),
               "8: no grace runs for a task that is watched");
      }
      Expect(open <= watch.named, "3: a watch subscribes to the ids that it named");
    }
    Expect(named == table.named_, "3: the watched ids are counted");
  }

  // 8. What was due before the last Tick is done. (Due exactly then may be what that Tick itself
  // set, by a delay of 0.)
  void Timers() {
    if (!p_.last_tick) return;
    const auto done = [this](const DeadlineQueue& queue, Instant by) {
      Expect(queue.empty() || queue.Earliest() >= by,
             "8: nothing that was due by the last Tick is pending");
    };
    for (const DeadlineQueue* exact :
         {&core_.deadlines_, &d_.call_deadlines_, &d_.cancel_graces_, &d_.retries_,
          &p_.pool.start_timeouts_, &p_.pool.restarts_}) {
      done(*exact, *p_.last_tick);
    }
    const Instant grid = p_.LastGridPoint();
    for (const DeadlineQueue* coarse :
         {&core_.slots_.leases(), &core_.graces_, &p_.pool.heartbeat_timeouts_, &p_.pool.wedges_}) {
      done(*coarse, grid);
    }
    Expect(core_.oldest_retained_ == kNone || core_.tasks_[core_.oldest_retained_].purge_at >= grid,
           "8: nothing that was due by the last Tick is pending");
  }

  const Engine::Parts& p_;
  const WorkerCore& core_;
  const DispatcherCore& d_;
  std::size_t taken_ = 0;
  std::optional<std::string> broken_;
};

std::optional<std::string> Engine::CheckInvariants() const {
  return InvariantChecker(*parts_).FirstBroken();
}

}  // namespace blockx::engine
