#include <algorithm>
#include <array>

#include "emit.h"
#include "parts.h"

// Ticks, the next deadline, readiness, drain and stop (rules of the groups TIME, DR, and R-EX-2,
// R-EX-7).
namespace blockx::engine {

namespace {

// Which grid interval an instant lies in: [n * interval, (n + 1) * interval).
std::int64_t IntervalOf(Instant t, Duration interval) {
  const std::int64_t quotient = ToMicroseconds(t) / interval.count();
  return ToMicroseconds(t) % interval.count() < 0 ? quotient - 1 : quotient;
}

// Where that interval begins; saturating.
Instant PointOf(std::int64_t interval_number, Duration interval) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(interval_number, interval.count(), &product))
    return AtMicroseconds(product);
  return interval_number < 0 ? Instant::min() : Instant::max();
}

template <class... Queues>
Instant EarliestOf(const Queues&... queues) {
  Instant earliest = Instant::max();
  ((earliest = std::min(earliest, queues.Earliest())), ...);
  return earliest;
}

}  // namespace

// R-TIME-7: a grid point lies in (last Tick, now], or there is no grid, or there was no Tick yet.
bool Engine::Parts::GridRuns() const {
  const Duration interval = config.tick_interval;
  return interval == Duration::zero() || !last_tick ||
         IntervalOf(*last_tick, interval) < IntervalOf(now, interval);
}

// Each kind is gathered when its turn comes, so that what an earlier kind made due counts
// (R-TIME-6).
void Engine::Parts::On(const Tick&) {
  const bool grid = GridRuns();
  if (grid) RunSlotLeases();
  for (Handle active; (active = core.deadlines().PopDue(now)) != kNone;) {
    FailByRule(active, failure_code::kTimedOut, "the task's deadline passed", true);
  }
  if (grid) {
    for (Handle active; (active = core.graces().PopDue(now)) != kNone;) {
      FailByRule(active, failure_code::kWatchDisconnected, "nobody watched the task any more",
                 false);
    }
    for (Handle task; (task = core.oldest_retained()) != kNone && core.task(task).purge_at <= now;)
      core.Purge(task);
  }
  for (Handle attempt; (attempt = dispatcher.call_deadlines().PopDue(now)) != kNone;) {
    Obey(dispatcher.TimeOut(attempt, core, now, commands));
  }
  for (Handle attempt; (attempt = dispatcher.cancel_graces().PopDue(now)) != kNone;) {
    Kill(dispatcher.ExecutorOf(attempt), KillReason::kCancelGrace);
  }
  for (Handle call; (call = dispatcher.retries().PopDue(now)) != kNone;) dispatcher.RetryDue(call);
  for (Handle executor; (executor = pool.start_timeouts().PopDue(now)) != kNone;) {
    Kill(ExecutorId(executor), KillReason::kStartTimeout);
  }
  if (grid) {
    for (Handle executor; (executor = pool.heartbeat_timeouts().PopDue(now)) != kNone;) {
      Kill(ExecutorId(executor), KillReason::kHeartbeatTimeout);
    }
    for (Handle executor; (executor = pool.wedges().PopDue(now)) != kNone;) {
      Kill(ExecutorId(executor), KillReason::kWedged);
    }
  }
  if (outage_at && *outage_at <= now) {
    outage = true;
    outage_at.reset();
  }
  for (Handle executor; (executor = pool.restarts().PopDue(now)) != kNone;) {
    pool.Restart(ExecutorId(executor), now, commands);
  }
  if (drain_timeout && *drain_timeout <= now) Stop();
  NoteTick(now);
}

void Engine::Parts::RunSlotLeases() {
  for (Handle slot; (slot = core.slots().leases().FirstDue(now)) != kNone;) {
    const Handle task = core.slots().holder(SlotIndex(slot));
    if (core.task(task).active != kNone) {
      FailByRule(core.task(task).active, failure_code::kSlotLost,
                 "the slot's lease ran out before activation", true);
    } else {
      core.DropReservation(task);
    }
  }
}

std::optional<Instant> Engine::Parts::NextDeadline() const {
  Instant gridded =
      EarliestOf(core.slots().leases(), core.graces(), pool.heartbeat_timeouts(), pool.wedges());
  if (core.oldest_retained() != kNone) {
    gridded = std::min(gridded, core.task(core.oldest_retained()).purge_at);
  }
  Instant exact =
      EarliestOf(core.deadlines(), dispatcher.call_deadlines(), dispatcher.cancel_graces(),
                 dispatcher.retries(), pool.start_timeouts(), pool.restarts());
  if (outage_at) exact = std::min(exact, *outage_at);
  if (drain_timeout) exact = std::min(exact, *drain_timeout);
  const Instant next = gridded == Instant::max() ? exact : std::min(exact, OnGrid(gridded));
  if (next == Instant::max() && !AnyTimerIsSet()) return std::nullopt;
  return next;
}

// A saturated deadline cannot be told from none by its instant (R-TIME-3).
bool Engine::Parts::AnyTimerIsSet() const {
  return core.oldest_retained() != kNone || outage_at || drain_timeout ||
         !core.slots().leases().empty() || !core.graces().empty() || !core.deadlines().empty() ||
         !dispatcher.call_deadlines().empty() || !dispatcher.cancel_graces().empty() ||
         !dispatcher.retries().empty() || !pool.heartbeat_timeouts().empty() ||
         !pool.wedges().empty() || !pool.start_timeouts().empty() || !pool.restarts().empty();
}

// R-TIME-8: the first grid point at or past the deadline, and past the last Tick.
Instant Engine::Parts::OnGrid(Instant deadline) const {
  const Duration interval = config.tick_interval;
  if (interval == Duration::zero()) return deadline;
  if (last_tick && deadline <= grid_after_tick) return grid_after_tick;
  const std::int64_t point = IntervalOf(deadline, interval);
  const Instant at_or_before = PointOf(point, interval);
  return at_or_before == deadline ? deadline : PointOf(point + 1, interval);
}

void Engine::Parts::NoteTick(Instant at) {
  last_tick = at;
  const Duration interval = config.tick_interval;
  grid_after_tick =
      interval == Duration::zero() ? at : PointOf(IntervalOf(at, interval) + 1, interval);
}

Instant Engine::Parts::LastGridPoint() const {
  const Duration interval = config.tick_interval;
  return interval == Duration::zero() ? *last_tick
                                      : PointOf(IntervalOf(*last_tick, interval), interval);
}

// ---- Executors ----

void Engine::Parts::Kill(ExecutorId executor, KillReason reason) {
  if (!pool.Kill(executor, reason, commands)) return;
  dispatcher.ExecutorUnusable(executor);
  NoteHealth();
}

// The number of healthy executors may have changed: readiness (R-EX-2) and outage (R-EX-7) follow
// it.
void Engine::Parts::NoteHealth() {
  if (pool.healthy() > 0) {
    outage = false;
    outage_at.reset();
    if (ready) return;
    ready = true;
    if (draining || stopped) return;
    registered = true;
    Emit(commands, RegisterWorker{});
  } else if (ready && !outage && !outage_at) {
    outage_at = AddSaturating(now, config.executor_heartbeat_timeout);
  }
}

// ---- Start, drain, stop ----

void Engine::Parts::On(const Start&) {
  if (started || stopped) return;
  started = true;
  pool.SpawnAll(now, commands);
}

void Engine::Parts::On(const BeginDrain&) {
  if (draining || stopped) return;
  draining = true;
  Deregister();
  drain_timeout = AddSaturating(now, config.drain_timeout);
  if (core.active_count() == 0) CompleteDrain(true);
}

void Engine::Parts::On(const ForceStop&) {
  if (!stopped) Stop();
}

// R-DR-2, by time-out or by order.
void Engine::Parts::Stop() {
  stopped = true;
  Deregister();
  pool.CancelRestarts();
  while (core.first_active() != kNone) {
    FailByRule(core.first_active(), failure_code::kWorkerShutdown, "the worker was stopped", true);
  }
  watches.EndAll(commands);
  for (std::int64_t executor = 0; executor < pool.count(); ++executor) {
    Kill(ExecutorId(executor), KillReason::kStopped);
  }
  if (!drain_completed) CompleteDrain(false);
}

void Engine::Parts::Deregister() {
  if (std::exchange(registered, false)) Emit(commands, DeregisterWorker{});
}

void Engine::Parts::CompleteDrain(bool clean) {
  drain_completed = true;
  drain_timeout.reset();
  Emit(commands, DrainComplete{clean});
}

}  // namespace blockx::engine
