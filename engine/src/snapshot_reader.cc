#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "parts.h"
#include "snapshot_codec.h"

namespace blockx::engine {

// Rebuilds a state from a snapshot by the parts' own operations, so that lists, indexes and queues
// are sound whatever the bytes say; what the bytes may still get wrong, CheckInvariants finds
// afterwards.
class SnapshotReader {
 public:
  SnapshotReader(Engine::Parts& parts, std::string_view bytes) : p_(parts), get_(bytes) {}

  [[nodiscard]] bool Read() {
    get_(p_.now, p_.counters.events, p_.counters.clock_regressions, p_.counters.dropped_reports,
         p_.counters.idempotency_mismatches);
    get_(p_.last_tick, p_.started, p_.ready, p_.registered, p_.outage, p_.draining,
         p_.drain_completed, p_.stopped, p_.outage_at, p_.drain_timeout);
    if (p_.last_tick) p_.NoteTick(*p_.last_tick);
    Pool();
    Tasks();
    Watches();
    Admission();
    Calls();
    return get_.ok() && get_.at_end();
  }

 private:
  // Precondition of every look-up below: what is not there refuses the snapshot and gives kNone.
  template <class Map, class Key>
  Handle Named(const Map& map, const Key& key) {
    const auto found = map.find(key);
    if (found != map.end()) return found->second;
    get_.Refuse();
    return kNone;
  }
  Handle ReadRun() {
    Run run{};
    get_(run);
    return Named(by_run_, run);
  }
  Handle ReadCallId() {
    CallId id{};
    get_(id);
    return Named(by_call_id_, id);
  }
  Handle ReadNumber(std::size_t limit) {
    std::uint64_t number = 0;
    get_(number);
    if (number < limit) return static_cast<Handle>(number);
    get_.Refuse();
    return kNone;
  }
  using AttemptName = std::tuple<std::int64_t, CallId, Attempt>;
  Handle ReadAttempt() {
    AttemptName name{};
    get_(std::get<0>(name), std::get<1>(name), std::get<2>(name));
    return Named(by_attempt_, name);
  }

  template <class ReadName>
  void Queue(DeadlineQueue& queue, ReadName read_name) {
    Instant last = Instant::min();
    for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) {
      Instant at{};
      get_(at);
      const Handle owner = read_name();
      if (at < last || owner == kNone || queue.IsSet(owner)) return get_.Refuse();
      queue.Set(owner, last = at);
    }
  }

  void Pool() {
    const auto executor_number = [this] { return ReadNumber(p_.pool.executors_.size()); };
    for (std::size_t i = 0; i < p_.pool.executors_.size() && get_.ok(); ++i) {
      ExecutorPool::Executor& executor = p_.pool.executors_[i];
      get_(executor.state, executor.generation, executor.activity);
      if (executor.state > ExecutorState::kKilled) return get_.Refuse();
      for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left)
        get_(executor.restarted_at.emplace_back());
      if (executor.state != ExecutorState::kHealthy) continue;
      ++p_.pool.healthy_;
      p_.dispatcher.ExecutorUsable(ExecutorId(static_cast<std::int64_t>(i)));
    }
    Queue(p_.pool.start_timeouts_, executor_number);
    Queue(p_.pool.heartbeat_timeouts_, executor_number);
    Queue(p_.pool.wedges_, executor_number);
    Queue(p_.pool.restarts_, executor_number);
  }

  Handle ReadTask() {
    Task read;
    VisitTask(get_, read);
    if (!get_.ok() || read.state > TaskState::kFailed || p_.core.Find(read.id) != kNone) {
      get_.Refuse();
      return kNone;
    }
    const Handle handle = p_.core.NewTask(read.id);
    read.id_hash = p_.core.tasks_[handle].id_hash;
    p_.core.tasks_[handle] = std::move(read);
    return handle;
  }

  void Tasks() {
    WorkerCore& core = p_.core;
    get_(core.last_run_);
    std::int64_t taken = 0;
    get_(taken);
    for (; taken > 0 && get_.ok(); --taken) ReadSlot();
    for (const auto& [run, active] : by_run_) {
      PushBack<&ActiveTask::by_acceptance>(core.active_, core.by_acceptance_, active);
    }
    // Every slot read so far stands as RUNNING; those with a lease are ALLOCATED.
    DeadlineQueue leases;
    Queue(leases, [this] { return ReadNumber(p_.core.slots_.size()); });
    for (const auto& [at, slot] : leases.InOrder()) {
      if (core.slots_.IsFree(slot)) return get_.Refuse();
      const Handle task = core.slots_.holder(SlotIndex(slot));
      core.slots_.Free(SlotIndex(slot));
      core.slots_.AllocateAt(slot, task, at);
    }
    Queue(core.deadlines_, [this] { return ReadRun(); });
    Queue(core.graces_, [this] { return ReadRun(); });
    for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) {
      const Handle task = ReadTask();
      if (task == kNone || !core.tasks_[task].ended()) return get_.Refuse();
      core.Retain(task);
    }
    for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) {
      Run run{};
      get_(run);
      WorkerCore::Orphan& orphan = core.orphans_[run];
      get_(orphan.task_id, orphan.work);
    }
  }

  void ReadSlot() {
    WorkerCore& core = p_.core;
    const Handle slot = ReadNumber(core.slots_.size());
    bool is_active = false;
    get_(is_active);
    const Handle task = ReadTask();
    if (slot == kNone || task == kNone || !core.slots_.IsFree(slot) || core.tasks_[task].ended())
      return get_.Refuse();
    core.tasks_[task].slot = SlotIndex(slot);
    core.slots_.AllocateAt(slot, task, kNever);
    core.slots_.Run(SlotIndex(slot));
    if (!is_active) return;
    ActiveTask& active = core.active_[core.NewActive(task)];
    VisitActive(get_, active);
    if (active.phase > Phase::kPlugin || active.owed > Work::kWriter ||
        active.run != core.tasks_[task].run ||
        !by_run_.emplace(active.run, core.tasks_[task].active).second) {
      get_.Refuse();
    }
  }

  void Watches() {
    for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) {
      WatchId id{};
      std::int64_t named = 0;
      get_(id, named);
      if (p_.watches.IsOpen(id) || named < 0) return get_.Refuse();
      p_.watches.Open(id, named);
      for (std::size_t ids = get_.Count(); ids > 0 && get_.ok(); --ids) {
        std::string task_id;
        get_(task_id);
        const Handle watched = p_.watches.Subscribe(id, task_id);
        const Handle task = p_.core.Find(task_id);
        if (task == kNone || p_.core.task(task).active == kNone) continue;
        p_.core.active(p_.core.task(task).active).watched = watched;
        p_.watches.SetActive(watched, p_.core.task(task).active);
      }
    }
  }

  void Admission() {
    for (const Stage stage :
         {Stage::kBuilder, Stage::kScan, Stage::kExecutorTasks, Stage::kPlugin}) {
      std::int64_t in_use = 0;
      get_(in_use);
      if (in_use < 0 || in_use > p_.admission.limit(stage)) return get_.Refuse();
      for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) {
        const Handle active = ReadRun();
        if (active == kNone || p_.admission.Waits(active)) return get_.Refuse();
        p_.admission.Ask(stage, active);
      }
      p_.admission.SetInUse(stage, in_use);
    }
  }

  void Calls() {
    DispatcherCore& d = p_.dispatcher;
    get_(d.last_call_id_);
    for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) {
      const Handle active = ReadRun();
      if (active != kNone) CallsOf(active);
    }
    for (std::size_t executor = 0; executor < d.executors_.size() && get_.ok(); ++executor)
      AttemptsOn(executor);
    if (placed_.size() != by_attempt_.size())
      return get_.Refuse();  // A live attempt that is on no executor.
    for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) {
      const Handle active = ReadRun();
      if (active == kNone || active >= d.tasks_.size() || d.tasks_[active].in_line)
        return get_.Refuse();
      d.tasks_[active].in_line = true;
      PushBack<&TaskCalls::line>(d.tasks_, d.line_, active);
    }
    Queue(d.call_deadlines_, [this] { return ReadAttempt(); });
    Queue(d.cancel_graces_, [this] { return ReadAttempt(); });
    Queue(d.retries_, [this] { return ReadCallId(); });
  }

  Handle ReadCall(Handle active) {
    DispatcherCore& d = p_.dispatcher;
    const Handle handle = d.calls_.Allocate();
    Call& call = d.calls_[handle];
    call = Call();
    VisitCall(get_, call);
    call.task = active;
    if (!by_call_id_.emplace(call.id, handle).second || call.attempts < 0) get_.Refuse();
    if (call.state == CallState::kWaiting || call.state == CallState::kRetryReady) ++d.waiting_;
    return handle;
  }

  void CallsOf(Handle active) {
    DispatcherCore& d = p_.dispatcher;
    TaskCalls& task = d.Of(active);
    VisitTaskCalls(get_, task);
    for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) {
      const Handle root = ReadCall(active);
      task.roots.push_back(root);
      const CallState state = d.calls_[root].state;
      task.done += state == CallState::kSucceeded || state == CallState::kFailed ? 1 : 0;
      if (d.calls_[root].attempts > 0) task.next_root = task.roots.size();
    }
    for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) LiveAttempt(active);
    for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) {
      const Handle call = ReadCallId();
      if (call == kNone || !TakeRetry(call)) return get_.Refuse();
      PushBack<&Call::ready>(d.calls_, task.retries, call);
    }
  }

  // Each due retry of a root stands in its list once.
  bool TakeRetry(Handle call) {
    const Call& c = p_.dispatcher.calls_[call];
    return c.state == CallState::kRetryReady && c.is_root() && listed_.emplace(c.id, call).second;
  }

  void LiveAttempt(Handle active) {
    DispatcherCore& d = p_.dispatcher;
    AttemptName name{};
    std::int64_t outstanding = 0;
    get_(std::get<0>(name), std::get<1>(name), std::get<2>(name), outstanding);
    const Handle call = Named(by_call_id_, std::get<1>(name));
    if (call == kNone || d.calls_[call].live != kNone ||
        d.calls_[call].state != CallState::kRunning || d.calls_[call].task != active) {
      return get_.Refuse();
    }
    const Handle handle = d.attempts_.Allocate();
    CallAttempt& attempt = d.attempts_[handle];
    attempt = CallAttempt{.call_id = std::get<1>(name), .number = std::get<2>(name), .call = call};
    attempt.executor = std::get<0>(name);
    attempt.outstanding = outstanding;
    d.calls_[call].live = handle;
    if (d.calls_[call].is_root()) ++d.tasks_[active].in_flight;
    PushBack<&CallAttempt::of_task>(d.attempts_, d.tasks_[active].live, handle);
    if (!by_attempt_.emplace(name, handle).second) return get_.Refuse();
    for (; outstanding > 0 && get_.ok(); --outstanding) {
      const Handle child = ReadCall(active);
      d.calls_[child].asked_by = handle;
      PushBack<&Call::sibling>(d.calls_, attempt.children, child);
      const CallState state = d.calls_[child].state;
      if (state == CallState::kWaiting || state == CallState::kRetryReady) d.WaitAgain(child);
    }
  }

  void AttemptsOn(std::size_t executor) {
    DispatcherCore& d = p_.dispatcher;
    for (std::size_t left = get_.Count(); left > 0 && get_.ok(); --left) {
      AttemptName name{static_cast<std::int64_t>(executor), {}, {}};
      bool live = false;
      get_(std::get<1>(name), std::get<2>(name), live);
      if (!live) {
        const Handle cancelled = d.attempts_.Allocate();
        d.attempts_[cancelled] =
            CallAttempt{.call_id = std::get<1>(name), .number = std::get<2>(name)};
        d.attempts_[cancelled].executor = static_cast<std::int64_t>(executor);
        if (!by_attempt_.emplace(name, cancelled).second) return get_.Refuse();
      }
      const Handle attempt = Named(by_attempt_, name);
      if (attempt == kNone || d.IsLive(attempt) != live || !placed_.emplace(name, attempt).second)
        return get_.Refuse();
      PushBack<&CallAttempt::on_executor>(d.attempts_, d.executors_[executor].attempts, attempt);
      if (!d.attempts_[attempt].suspended()) d.Occupy(static_cast<std::int64_t>(executor), +1);
    }
  }

  Engine::Parts& p_;
  Decoder get_;
  std::map<Run, Handle> by_run_;
  std::map<CallId, Handle> by_call_id_;
  std::map<CallId, Handle> listed_;
  std::map<AttemptName, Handle> by_attempt_;
  std::map<AttemptName, Handle> placed_;
};

Result<Engine> Engine::Restore(const Config& config, std::string_view snapshot) {
  auto parts = std::make_unique<Parts>(config);
  if (!SnapshotReader(*parts, snapshot).Read()) {
    return Error{ErrorCode::kInvalidArgument,
                 "the snapshot is damaged, or was taken under another configuration"};
  }
  Engine engine(std::move(parts));
  if (engine.CheckInvariants()) {
    return Error{ErrorCode::kInvalidArgument, "the snapshot reads as a state that cannot be"};
  }
  return engine;
}

}  // namespace blockx::engine
