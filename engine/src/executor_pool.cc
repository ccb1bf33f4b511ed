#include "executor_pool.h"
#include "emit.h"

#include <algorithm>

namespace blockx::engine {

ExecutorPool::ExecutorPool(const Config& config)
    : config_(config),
      stall_timeout_(SchedulerStallTimeout(config)),
      executors_(static_cast<std::size_t>(config.executor_count)) {}

bool ExecutorPool::IsCurrent(ExecutorId executor, Generation generation) const {
  return executor.value() >= 0 && executor.value() < count() &&
         executors_[Index(executor)].state != ExecutorState::kDown &&
         executors_[Index(executor)].generation == generation;
}

void ExecutorPool::SpawnAll(Instant now, std::vector<Command>& out) {
  for (std::int64_t executor = 0; executor < count(); ++executor)
    Spawn(ExecutorId(executor), now, out);
}

void ExecutorPool::Spawn(ExecutorId id, Instant now, std::vector<Command>& out) {
  Executor& executor = executors_[Index(id)];
  executor.generation = Generation(executor.generation.value() + 1);
  executor.state = ExecutorState::kStarting;
  start_timeouts_.Set(Index(id), AddSaturating(now, config_.executor_start_timeout));
  Emit(out, SpawnExecutor{id, executor.generation});
}

void ExecutorPool::Restart(ExecutorId id, Instant now, std::vector<Command>& out) {
  executors_[Index(id)].restarted_at.push_back(now);
  Spawn(id, now, out);
}

bool ExecutorPool::Connected(const ExecutorConnected& report, Instant now) {
  if (!IsCurrent(report.executor, report.generation)) return false;
  Executor& executor = executors_[Index(report.executor)];
  if (executor.state != ExecutorState::kStarting) return false;
  start_timeouts_.Cancel(Index(report.executor));
  executor.state = ExecutorState::kHealthy;
  ++healthy_;
  heartbeat_timeouts_.Set(Index(report.executor),
                          AddSaturating(now, config_.executor_heartbeat_timeout));
  return true;
}

bool ExecutorPool::HeartbeatCame(const ExecutorHeartbeat& report, Instant now) {
  if (!IsCurrent(report.executor, report.generation)) return false;
  Executor& executor = executors_[Index(report.executor)];
  if (executor.state != ExecutorState::kHealthy) return false;
  const Handle index = Index(report.executor);
  heartbeat_timeouts_.Set(index, AddSaturating(now, config_.executor_heartbeat_timeout));
  // R-EX-4: a stall lasts while heartbeats name some running call and the same activity.
  if (report.running_call == CallId(0)) {
    wedges_.Cancel(index);
  } else if (!wedges_.IsSet(index) || executor.activity != report.last_scheduler_active) {
    executor.activity = report.last_scheduler_active;
    // "More than" the time-out: one microsecond later.
    wedges_.Set(index, AddSaturating(AddSaturating(now, stall_timeout_), Microseconds(1)));
  }
  return true;
}

bool ExecutorPool::Exited(const ExecutorExited& report) {
  if (!IsCurrent(report.executor, report.generation)) return false;
  LeaveState(report.executor);
  executors_[Index(report.executor)].state = ExecutorState::kDown;
  return true;
}

bool ExecutorPool::Kill(ExecutorId id, KillReason reason, std::vector<Command>& out) {
  Executor& executor = executors_[Index(id)];
  if (executor.state != ExecutorState::kStarting && executor.state != ExecutorState::kHealthy)
    return false;
  LeaveState(id);
  executor.state = ExecutorState::kKilled;
  Emit(out, KillExecutor{id, executor.generation, reason});
  return true;
}

void ExecutorPool::LeaveState(ExecutorId id) {
  if (executors_[Index(id)].state == ExecutorState::kHealthy) --healthy_;
  start_timeouts_.Cancel(Index(id));
  heartbeat_timeouts_.Cancel(Index(id));
  wedges_.Cancel(Index(id));
}

void ExecutorPool::ScheduleRestart(ExecutorId id, Instant now) {
  if (!config_.executor_restart_enabled) return;
  std::vector<Instant>& restarted_at = executors_[Index(id)].restarted_at;
  const Instant window_start = AddSaturating(now, -config_.executor_restart_window);
  const auto first_counted =
      std::upper_bound(restarted_at.begin(), restarted_at.end(), window_start);
  restarted_at.erase(restarted_at.begin(),
                     first_counted);  // Time never runs backwards: they will not count again.
  const bool too_often =
      static_cast<std::int64_t>(restarted_at.size()) + 1 >= config_.executor_max_restarts;
  const Duration delay =
      too_often ? config_.executor_restart_backoff : config_.executor_restart_delay;
  restarts_.Set(Index(id), AddSaturating(now, delay));
}

void ExecutorPool::CancelRestarts() {
  for (Handle executor = 0; executor < executors_.size(); ++executor) restarts_.Cancel(executor);
}

}  // namespace blockx::engine
