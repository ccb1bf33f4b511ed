#include <optional>
#include <string>
#include <utility>

#include "blockx/engine/names.h"
#include "blockx/engine/state.h"
#include "parts.h"

namespace blockx::engine {

// Lays the parts open in the order in which SnapshotWriter writes them.
class StateInspector {
 public:
  explicit StateInspector(const Engine::Parts& parts) : p_(parts) {}

  State Inspect() {
    State state{.now = p_.now,
                .next_deadline = p_.NextDeadline(),
                .last_tick = p_.last_tick,
                .started = p_.started,
                .ready = p_.ready,
                .registered = p_.registered,
                .outage = p_.outage,
                .draining = p_.draining,
                .drain_completed = p_.drain_completed,
                .stopped = p_.stopped,
                .outage_at = p_.outage_at,
                .drain_timeout = p_.drain_timeout,
                .last_run = Run(p_.core.last_run_),
                .last_call_id = p_.dispatcher.last_call_id(),
                .slots = static_cast<std::int64_t>(p_.core.slots_.size())};
    Tasks(state);
    Queues(state);
    Executors(state);
    Watches(state);
    Timers(state);
    return state;
  }

 private:
  static Instant AtOf(const DeadlineQueue& queue, Handle owner) {
    return queue.IsSet(owner) ? queue.At(owner) : kNever;
  }
  [[nodiscard]] const std::string& IdOf(Handle active) const { return p_.core.task_of(active).id; }

  void Tasks(State& state) const {
    const WorkerCore& core = p_.core;
    for (std::size_t slot = 0; slot < core.slots_.size(); ++slot) {
      if (core.slots_.IsFree(slot)) continue;
      const SlotIndex index(static_cast<std::int64_t>(slot));
      State::Task task = TaskOf(core.slots_.holder(index));
      task.slot = index;
      if (core.slots_.IsLeased(index)) task.lease_expires_at = core.slots_.LeaseOf(index);
      state.tasks.push_back(std::move(task));
    }
    for (Handle i = core.oldest_retained_; i != kNone; i = core.tasks_[i].next_retained) {
      state.tasks.push_back(TaskOf(i));
    }
    for (const auto& [run, orphan] : core.orphans_) {
      state.orphans.push_back({run, orphan.task_id, orphan.work});
    }
  }

  [[nodiscard]] State::Task TaskOf(Handle handle) const {
    const Task& task = p_.core.tasks_[handle];
    State::Task out{.id = task.id,
                    .state = task.state,
                    .run = task.run,
                    .purge_at = task.purge_at,
                    .content = task.content,
                    .message_is_reported = task.message_is_reported,
                    .result = task.result};
    if (task.active != kNone) out.active = ActiveOf(task.active);
    return out;
  }

  [[nodiscard]] State::Active ActiveOf(Handle handle) const {
    const ActiveTask& active = p_.core.active_[handle];
    State::Active out{.phase = active.phase,
                      .owed = active.owed,
                      .has_result_handler = active.has_result_handler,
                      .holds_scan = active.holds_scan,
                      .holds_executors = active.holds_executors,
                      .failure_policy = active.failure_policy,
                      .retry = active.retry,
                      .epoch = active.epoch,
                      .deadline = AtOf(p_.core.deadlines_, handle),
                      .grace_ends = AtOf(p_.core.graces_, handle)};
    if (active.phase == Phase::kCalls || active.phase == Phase::kPlugin) CallsOf(handle, out);
    return out;
  }

  void CallsOf(Handle active, State::Active& out) const {
    const DispatcherCore& d = p_.dispatcher;
    const TaskCalls& task = d.tasks_[active];
    out.window = task.window;
    out.in_flight = task.in_flight;
    out.output_bytes = task.output_bytes;
    out.counts = task.counts;
    out.granted = task.granted;
    out.streaming = task.streaming;
    out.stream_ended = task.stream_ended;
    out.paused = task.paused;
    for (const Handle root : task.roots) out.calls.push_back(CallOf(root, CallId()));
    for (Handle i = task.live.first; i != kNone; i = d.attempts_[i].of_task.next) {
      out.attempts.push_back(AttemptOf(i));
      for (Handle c = d.attempts_[i].children.first; c != kNone; c = d.calls_[c].sibling.next) {
        out.calls.push_back(CallOf(c, d.attempts_[i].call_id));
      }
    }
    for (Handle i = task.retries.first; i != kNone; i = d.calls_[i].ready.next) {
      out.retries.push_back(d.calls_[i].id);
    }
  }

  [[nodiscard]] State::Call CallOf(Handle handle, CallId parent) const {
    const Call& call = p_.dispatcher.calls_[handle];
    return {.id = call.id,
            .parent = parent,
            .ref = call.ref,
            .index = call.index,
            .depth = call.depth,
            .attempts = call.attempts,
            .state = call.state,
            .retry_at = AtOf(p_.dispatcher.retries_, handle),
            .function = call.function,
            .args = call.args,
            .output = call.output,
            .retryable = call.retryable,
            .failure_code = call.code,
            .failure_message = call.message};
  }

  [[nodiscard]] State::Attempt AttemptOf(Handle handle) const {
    const CallAttempt& attempt = p_.dispatcher.attempts_[handle];
    State::Attempt out{.call = attempt.call_id,
                       .number = attempt.number,
                       .live = attempt.live(),
                       .outstanding = attempt.outstanding,
                       .deadline = AtOf(p_.dispatcher.call_deadlines_, handle),
                       .kill_at = AtOf(p_.dispatcher.cancel_graces_, handle)};
    if (attempt.executor != CallAttempt::kGone) out.executor = ExecutorId(attempt.executor);
    return out;
  }

  void Queues(State& state) const {
    for (const Stage stage :
         {Stage::kBuilder, Stage::kScan, Stage::kExecutorTasks, Stage::kPlugin}) {
      State::Queue& queue = state.queues[static_cast<std::size_t>(stage)];
      queue = {
          .stage = stage, .limit = p_.admission.limit(stage), .in_use = p_.admission.in_use(stage)};
      for (const Handle active : p_.admission.Line(stage)) queue.waiting.push_back(IdOf(active));
    }
    const DispatcherCore& d = p_.dispatcher;
    for (Handle i = d.line_.first; i != kNone; i = d.tasks_[i].line.next) {
      state.turns.push_back(IdOf(i));
    }
  }

  void Executors(State& state) const {
    for (std::size_t i = 0; i < p_.pool.executors_.size(); ++i) {
      const ExecutorPool::Executor& executor = p_.pool.executors_[i];
      const auto owner = static_cast<Handle>(i);
      State::Executor out{.id = ExecutorId(static_cast<std::int64_t>(i)),
                          .state = executor.state,
                          .generation = executor.generation,
                          .activity = p_.pool.wedges_.IsSet(owner) ? executor.activity : 0,
                          .start_timeout = AtOf(p_.pool.start_timeouts_, owner),
                          .heartbeat_timeout = AtOf(p_.pool.heartbeat_timeouts_, owner),
                          .wedged_at = AtOf(p_.pool.wedges_, owner),
                          .restart_at = AtOf(p_.pool.restarts_, owner),
                          .restarted_at = executor.restarted_at};
      const DispatcherCore& d = p_.dispatcher;
      for (Handle a = d.executors_[i].attempts.first; a != kNone;
           a = d.attempts_[a].on_executor.next) {
        out.attempts.push_back(AttemptOf(a));
      }
      state.executors.push_back(std::move(out));
    }
  }

  void Watches(State& state) const {
    const WatchTable& table = p_.watches;
    for (const auto& [id, watch] : table.watches_) {
      State::Watch out{.id = id, .named = watch.named};
      for (Handle i = watch.subscriptions.first; i != kNone;
           i = table.subscriptions_[i].of_watch.next) {
        out.task_ids.push_back(table.watched_[table.subscriptions_[i].watched].id);
      }
      state.watches.push_back(std::move(out));
    }
  }

  void Timers(State& state) const {
    using Kind = State::Timer::Kind;
    const auto add = [&state](const DeadlineQueue& queue, Kind kind, auto name) {
      for (const auto& [at, owner] : queue.InOrder()) {
        state.timers.push_back({kind, at, name(owner)});
      }
    };
    const auto executor = [](Handle i) { return "executor " + std::to_string(i); };
    const auto task = [this](Handle i) { return IdOf(i); };
    const auto call = [this](Handle i) {
      return "call " + std::to_string(p_.dispatcher.calls_[i].id.value());
    };
    const auto attempt = [this](Handle i) {
      const CallAttempt& a = p_.dispatcher.attempts_[i];
      return "call " + std::to_string(a.call_id.value()) + " attempt " +
             std::to_string(a.number.value());
    };
    add(p_.pool.start_timeouts_, Kind::kStartTimeout, executor);
    add(p_.pool.heartbeat_timeouts_, Kind::kHeartbeatTimeout, executor);
    add(p_.pool.wedges_, Kind::kWedge, executor);
    add(p_.pool.restarts_, Kind::kRestart, executor);
    add(p_.core.slots_.leases(), Kind::kLease, [](Handle i) { return SlotId(SlotIndex(i)); });
    add(p_.core.deadlines_, Kind::kTaskDeadline, task);
    add(p_.core.graces_, Kind::kWatchGrace, task);
    add(p_.dispatcher.call_deadlines_, Kind::kCallDeadline, attempt);
    add(p_.dispatcher.cancel_graces_, Kind::kCancelGrace, attempt);
    add(p_.dispatcher.retries_, Kind::kRetry, call);
  }

  const Engine::Parts& p_;
};

State Inspect(const Engine& engine) { return StateInspector(*engine.parts_).Inspect(); }

}  // namespace blockx::engine
