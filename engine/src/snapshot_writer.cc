#include <string>
#include <utility>
#include <vector>

#include "blockx/engine/fingerprint.h"
#include "parts.h"
#include "snapshot_codec.h"

namespace blockx::engine {

// Writes a state so that equal states give equal bytes however they were reached: things are named
// by what names them outside (slots, runs, call ids), in an order of their own, and never by
// handles.
class SnapshotWriter {
 public:
  SnapshotWriter(const Engine::Parts& parts, std::string& out, Encoder::For purpose)
      : p_(parts), put_(out, purpose) {}

  void Clock() {
    put_(p_.now, p_.counters.events, p_.counters.clock_regressions, p_.counters.dropped_reports,
         p_.counters.idempotency_mismatches);
  }

  void Decisive() {
    put_(p_.last_tick, p_.started, p_.ready, p_.registered, p_.outage, p_.draining,
         p_.drain_completed, p_.stopped, p_.outage_at, p_.drain_timeout);
    Pool();
    Tasks();
    Watches();
    Admission();
    Calls();
  }

 private:
  Run RunOf(Handle active) const { return p_.core.active(active).run; }
  CallId CallIdOf(Handle call) const { return p_.dispatcher.calls_[call].id; }

  template <class Name>
  void Queue(const DeadlineQueue& queue, Name name) {
    const std::vector<std::pair<Instant, Handle>> pending = queue.InOrder();
    put_(std::uint64_t{pending.size()});
    for (const auto& entry : pending) {
      put_(entry.first);
      name(entry.second);
    }
  }

  void Pool() {
    const auto by_number = [this](Handle executor) { put_(executor); };
    for (std::size_t i = 0; i < p_.pool.executors_.size(); ++i) {
      const ExecutorPool::Executor& executor = p_.pool.executors_[i];
      const bool stalls = p_.pool.wedges_.IsSet(static_cast<Handle>(i));
      put_(executor.state, executor.generation, stalls ? executor.activity : 0);
      put_(std::uint64_t{executor.restarted_at.size()});
      for (const Instant at : executor.restarted_at) put_(at);
    }
    Queue(p_.pool.start_timeouts_, by_number);
    Queue(p_.pool.heartbeat_timeouts_, by_number);
    Queue(p_.pool.wedges_, by_number);
    Queue(p_.pool.restarts_, by_number);
  }

  void Tasks() {
    const WorkerCore& core = p_.core;
    const auto by_run = [this](Handle active) { put_(RunOf(active)); };
    put_(core.last_run_, core.slots_.allocated() + core.slots_.running());
    for (std::size_t slot = 0; slot < core.slots_.size(); ++slot) {
      if (core.slots_.IsFree(slot)) continue;
      const Task& task =
          core.tasks_[core.slots_.holder(SlotIndex(static_cast<std::int64_t>(slot)))];
      put_(std::uint64_t{slot}, task.active != kNone);
      VisitTask(put_, task);
      if (task.active != kNone) VisitActive(put_, core.active_[task.active]);
    }
    Queue(core.slots_.leases(), [this](Handle slot) { put_(slot); });
    Queue(core.deadlines_, by_run);
    Queue(core.graces_, by_run);
    std::uint64_t retained = 0;
    for (Handle i = core.oldest_retained_; i != kNone; i = core.tasks_[i].next_retained) ++retained;
    put_(retained);
    for (Handle i = core.oldest_retained_; i != kNone; i = core.tasks_[i].next_retained)
      VisitTask(put_, core.tasks_[i]);
    put_(std::uint64_t{core.orphans_.size()});
    for (const auto& [run, orphan] : core.orphans_) put_(run, orphan.task_id, orphan.work);
  }

  void Watches() {
    const WatchTable& table = p_.watches;
    put_(std::uint64_t{table.watches_.size()});
    for (const auto& [id, watch] : table.watches_) {
      put_(id, watch.named);
      std::uint64_t subscriptions = 0;
      const auto next = [&table](Handle i) { return table.subscriptions_[i].of_watch.next; };
      for (Handle i = watch.subscriptions.first; i != kNone; i = next(i)) ++subscriptions;
      put_(subscriptions);
      for (Handle i = watch.subscriptions.first; i != kNone; i = next(i)) {
        put_(table.watched_[table.subscriptions_[i].watched].id);
      }
    }
  }

  void Admission() {
    for (const Stage stage :
         {Stage::kBuilder, Stage::kScan, Stage::kExecutorTasks, Stage::kPlugin}) {
      const std::vector<Handle> line = p_.admission.Line(stage);
      put_(p_.admission.in_use(stage), std::uint64_t{line.size()});
      for (const Handle active : line) put_(RunOf(active));
    }
  }

  void Calls() {
    const DispatcherCore& d = p_.dispatcher;
    put_(d.last_call_id_);
    std::uint64_t tasks = 0;
    for (Handle i = p_.core.first_active(); i != kNone; i = p_.core.next_active(i))
      tasks += HasCalls(i) ? 1 : 0;
    put_(tasks);
    for (Handle i = p_.core.first_active(); i != kNone; i = p_.core.next_active(i)) {
      if (HasCalls(i)) CallsOf(i);
    }
    for (const DispatcherCore::ExecutorLoad& load : d.executors_) {
      std::uint64_t attempts = 0;
      for (Handle i = load.attempts.first; i != kNone; i = d.attempts_[i].on_executor.next)
        ++attempts;
      put_(attempts);
      for (Handle i = load.attempts.first; i != kNone; i = d.attempts_[i].on_executor.next) {
        put_(d.attempts_[i].call_id, d.attempts_[i].number, d.attempts_[i].live());
      }
    }
    std::uint64_t in_line = 0;
    for (Handle i = d.line_.first; i != kNone; i = d.tasks_[i].line.next) ++in_line;
    put_(in_line);
    for (Handle i = d.line_.first; i != kNone; i = d.tasks_[i].line.next) put_(RunOf(i));
    const auto by_attempt = [this, &d](Handle attempt) {
      put_(d.attempts_[attempt].executor, d.attempts_[attempt].call_id,
           d.attempts_[attempt].number);
    };
    Queue(d.call_deadlines_, by_attempt);
    Queue(d.cancel_graces_, by_attempt);
    Queue(d.retries_, [this](Handle call) { put_(CallIdOf(call)); });
  }

  [[nodiscard]] bool HasCalls(Handle active) const {
    const Phase phase = p_.core.active(active).phase;
    return phase == Phase::kCalls || phase == Phase::kPlugin;
  }

  void CallsOf(Handle active) {
    const DispatcherCore& d = p_.dispatcher;
    const TaskCalls& task = d.tasks_[active];
    put_(RunOf(active));
    VisitTaskCalls(put_, task);
    put_(std::uint64_t{task.roots.size()});
    for (const Handle root : task.roots) VisitCall(put_, d.calls_[root]);
    // Live attempts in dispatch order, each with the subcalls that it waits for. An asking attempt
    // was dispatched before any attempt of a subcall of its, so a reader meets every call before
    // its attempt.
    std::uint64_t live = 0;
    for (Handle i = task.live.first; i != kNone; i = d.attempts_[i].of_task.next) ++live;
    put_(live);
    for (Handle i = task.live.first; i != kNone; i = d.attempts_[i].of_task.next) {
      const CallAttempt& attempt = d.attempts_[i];
      put_(attempt.executor, attempt.call_id, attempt.number, attempt.outstanding);
      for (Handle c = attempt.children.first; c != kNone; c = d.calls_[c].sibling.next)
        VisitCall(put_, d.calls_[c]);
    }
    std::uint64_t retries = 0;
    for (Handle i = task.retries.first; i != kNone; i = d.calls_[i].ready.next) ++retries;
    put_(retries);
    for (Handle i = task.retries.first; i != kNone; i = d.calls_[i].ready.next) put_(CallIdOf(i));
  }

  const Engine::Parts& p_;
  Encoder put_;
};

std::string Engine::Snapshot(SnapshotPayloads payloads) const {
  std::string out;
  SnapshotWriter writer(*parts_, out,
                        payloads == SnapshotPayloads::kKept
                            ? Encoder::For::kSnapshot
                            : Encoder::For::kSnapshotWithoutPayloads);
  writer.Clock();
  writer.Decisive();
  return out;
}

std::uint64_t Engine::StateDigest() const {
  std::string out;
  SnapshotWriter(*parts_, out, Encoder::For::kDigest).Decisive();
  return Fingerprint::Of(out);
}

}  // namespace blockx::engine
