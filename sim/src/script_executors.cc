#include "script_executors.h"

#include <algorithm>
#include <string_view>

namespace blockx::sim {
namespace {

using engine::AddSaturating;
using engine::Duration;
using engine::Instant;

constexpr Duration kAnyLength(-1);

std::size_t Index(engine::ExecutorId executor) {
  return static_cast<std::size_t>(executor.value());
}

// A draw of its own for each process.
std::uint64_t EntityOf(engine::ExecutorId executor) {
  return EntityWithin(EntityNamed("executor"), Index(executor));
}
std::uint64_t Number(engine::Generation generation) {
  return static_cast<std::uint64_t>(generation.value());
}

}  // namespace

ScriptExecutors::ScriptExecutors(const Script& script, Duration heartbeat_interval,
                                 const ScriptDonors& donors, ScriptQueue& queue, PlayedCalls& calls,
                                 PlayGuesses& guesses)
    : donors_(donors),
      queue_(queue),
      calls_(calls),
      guesses_(guesses),
      interval_(heartbeat_interval),
      is_periodic_(heartbeat_interval != script.heartbeat_interval) {
  for (const ProcessScript& process : script.processes) {
    scripts_[{process.executor.value(), process.generation.value()}] = &process;
  }
}

// ---- Processes ----

void ScriptExecutors::Spawn(const engine::SpawnExecutor& command, Instant now) {
  const auto index = static_cast<std::uint32_t>(processes_.size());
  Process& process = processes_.emplace_back();
  process.executor = command.executor;
  process.generation = command.generation;
  process.spawned = now;
  if (Index(command.executor) >= present_.size()) present_.resize(Index(command.executor) + 1);
  present_[Index(command.executor)] = index;

  const auto found = scripts_.find({command.executor.value(), command.generation.value()});
  if (found == scripts_.end()) {
    ++guesses_.processes;
    const Duration takes =
        donors_.Connects(EntityOf(process.executor), Number(process.generation)).value_or(Duration::zero());
    queue_.Push(AddSaturating(now, takes), Rank::kReport, kUnplaced, ScriptDueKind::kConnect,
                index);
    return;
  }
  process.script = found->second;
  if (const auto& takes = process.script->connects_after) {
    queue_.Push(AddSaturating(now, *takes), Rank::kReport, process.script->connect_order,
                ScriptDueKind::kConnect, index);
  }
  if (const auto& takes = process.script->exits_after) {
    ScheduleExit(index, AddSaturating(now, *takes), process.script->exit_order);
  }
}

void ScriptExecutors::ScheduleExit(std::uint32_t index, Instant at, ScriptOrder order) {
  Process& process = processes_[index];
  if (at >= process.exits_at) return;
  process.exits_at = at;
  queue_.Push(at, Rank::kReport, order, ScriptDueKind::kExit, index, ++process.exit_stamp);
}

void ScriptExecutors::Kill(const engine::KillExecutor& command, Instant now) {
  const std::uint32_t index = present_[Index(command.executor)];
  const Process& process = processes_[index];
  const bool known = process.script != nullptr && process.script->was_killed;
  if (known && !process.script->killed_after) return;  // Its exit was not seen any more.
  const Duration takes =
      known ? *process.script->killed_after
            : donors_.Exits(EntityOf(process.executor), Number(process.generation)).value_or(Duration::zero());
  ScheduleExit(index, AddSaturating(now, takes), known ? process.script->exit_order : kUnplaced);
}

void ScriptExecutors::ReportConnect(const ScriptDue& due, engine::Driver& driver) {
  Process& process = processes_[due.index];
  if (process.gone) return;
  process.connected = due.at;
  ScheduleHeartbeat(due.index, due.at);
  const std::int64_t pid = process.script != nullptr ? process.script->pid : 0;
  driver.Apply(engine::ExecutorConnected{process.executor, process.generation, pid}, due.at);
}

void ScriptExecutors::ReportExit(const ScriptDue& due, engine::Driver& driver) {
  Process& process = processes_[due.index];
  if (process.gone || due.stamp != process.exit_stamp) return;
  process.gone = true;
  while (!process.attempts.empty()) Remove(process.attempts.front());
  const std::string_view reason =
      process.script != nullptr ? std::string_view(process.script->exit_reason) : "killed";
  driver.Apply(engine::ExecutorExited{process.executor, process.generation, reason}, due.at);
}

void ScriptExecutors::ScheduleHeartbeat(std::uint32_t index, Instant now) {
  const Process& process = processes_[index];
  const bool recorded =
      process.script != nullptr && process.heartbeat < process.script->heartbeats.size();
  if (recorded && !is_periodic_) {
    const ProcessScript::Heartbeat& next = process.script->heartbeats[process.heartbeat];
    queue_.Push(AddSaturating(process.connected, next.at), Rank::kReport, next.order,
                ScriptDueKind::kHeartbeat, index);
  } else if (recorded || process.script == nullptr || !process.script->falls_silent) {
    queue_.Push(AddSaturating(now, interval_), Rank::kReport, kUnplaced, ScriptDueKind::kHeartbeat,
                index);
  }
}

void ScriptExecutors::ReportHeartbeat(const ScriptDue& due, engine::Driver& driver) {
  Process& process = processes_[due.index];
  if (process.gone) return;
  engine::ExecutorHeartbeat report;
  report.executor = process.executor;
  report.generation = process.generation;
  if (!process.attempts.empty()) report.running_call = attempts_[process.attempts.front()].call;
  // A scheduler that was not seen to stall is active now.
  report.last_scheduler_active = engine::ToMicroseconds(due.at) / 1000;
  const Duration since = engine::Elapsed(process.connected, due.at);
  const auto count = process.script == nullptr ? 0 : process.script->heartbeats.size();
  // The latest that was recorded by now; at another interval some are left out, or told twice.
  for (; process.heartbeat < count && process.script->heartbeats[process.heartbeat].at <= since;
       ++process.heartbeat) {
    report.last_scheduler_active = process.script->heartbeats[process.heartbeat].activity;
    if (!is_periodic_) {
      ++process.heartbeat;
      break;
    }
  }
  ScheduleHeartbeat(due.index, due.at);
  driver.Apply(report, due.at);
}

// ---- Attempts ----

std::uint32_t ScriptExecutors::Add() {
  if (free_.empty()) {
    attempts_.emplace_back();
    return static_cast<std::uint32_t>(attempts_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  const std::uint32_t stamp = attempts_[index].stamp;
  attempts_[index] = Attempt();
  attempts_[index].stamp = stamp;
  return index;
}

void ScriptExecutors::Remove(std::uint32_t index) {
  std::erase(processes_[attempts_[index].process].attempts, index);
  ++attempts_[index].stamp;
  free_.push_back(index);
}

void ScriptExecutors::Dispatch(const engine::DispatchCall& command, Instant now) {
  const std::uint32_t index = Add();
  Attempt& attempt = attempts_[index];
  attempt.call = command.call;
  attempt.number = command.attempt;
  attempt.process = present_[Index(command.executor)];
  attempt.played = calls_.Find(command.call);
  attempt.inputs.push_back(now);
  processes_[attempt.process].attempts.push_back(index);
  Plan(attempt);
  ScheduleNext(index);
}

// Whose script it goes by.
void ScriptExecutors::Plan(Attempt& attempt) {
  const std::vector<AttemptScript>& known = attempt.played.script->attempts;
  const auto n = static_cast<std::size_t>(attempt.number.value());
  if (n <= known.size()) attempt.script = &known[n - 1];
  if (attempt.script != nullptr && attempt.script->span.takes) {
    attempt.ending = attempt.script;
    attempt.takes = attempt.script->span.takes;
    return;
  }
  const auto donor = donors_.AttemptLike(
      attempt.played.script->function,
      attempt.script == nullptr ? kAnyLength : attempt.script->span.at_least,
      attempt.played.entity, n);
  if (!donor) return;
  attempt.ending = donor->attempt;
  attempt.takes = donor->takes;
}

void ScriptExecutors::Schedule(std::uint32_t index, Instant at, ScriptOrder order) {
  Attempt& attempt = attempts_[index];
  attempt.reports_at = at;
  queue_.Push(at, Rank::kReport, order, ScriptDueKind::kAttempt, index, ++attempt.stamp);
}

// Its next question, or its end, if the answers that it waits for are there.
void ScriptExecutors::ScheduleNext(std::uint32_t index) {
  Attempt& attempt = attempts_[index];
  ++attempt.stamp;
  attempt.reports_at = Instant::max();
  const bool is_own = attempt.played.is_own;
  if (attempt.script != nullptr && attempt.asked < attempt.script->asks.size()) {
    const AttemptScript::Ask& ask = attempt.script->asks[attempt.asked];
    if (ask.deliveries >= attempt.inputs.size()) return;
    Schedule(index, AddSaturating(attempt.inputs[ask.deliveries], ask.gap),
             is_own ? ask.order : kUnplaced);
    return;
  }
  const std::size_t deliveries = attempt.script == nullptr ? 0 : attempt.script->deliveries;
  if (!attempt.takes || deliveries >= attempt.inputs.size()) return;
  const bool is_recorded = is_own && attempt.ending == attempt.script;
  Schedule(index, AddSaturating(attempt.inputs[deliveries], *attempt.takes),
           is_recorded ? attempt.script->span.order : kUnplaced);
}

std::optional<std::uint32_t> ScriptExecutors::Find(engine::ExecutorId executor, engine::CallId call,
                                                   std::optional<engine::Attempt> number) const {
  for (const std::uint32_t index : processes_[present_[Index(executor)]].attempts) {
    const Attempt& attempt = attempts_[index];
    if (attempt.call == call && (!number || attempt.number == *number)) return index;
  }
  return std::nullopt;
}

void ScriptExecutors::Cancel(const engine::CancelCall& command, Instant now) {
  const auto index = Find(command.executor, command.call, command.attempt);
  if (!index) return;  // Its end was reported in this very step.
  Attempt& attempt = attempts_[*index];
  attempt.cancelled = true;
  if (attempt.played.is_own && attempt.script != nullptr && attempt.script->span.was_cancelled) {
    const ScriptSpan& span = attempt.script->span;
    ++attempt.stamp;
    if (!span.stops_after) return;  // It never answers.
    attempt.ending = attempt.script;
    return Schedule(*index, AddSaturating(now, *span.stops_after), span.order);
  }
  ++guesses_.cancellations;
  const auto stops = donors_.AttemptStops(attempt.played.entity,
                                          static_cast<std::uint64_t>(attempt.number.value()));
  // Nothing is known to have been called off: then it works on, and asks for nothing more.
  if (stops && AddSaturating(now, *stops) < attempt.reports_at) {
    Schedule(*index, AddSaturating(now, *stops), kUnplaced);
  } else if (attempt.reports_at == Instant::max() && attempt.takes) {
    Schedule(*index, AddSaturating(now, *attempt.takes), kUnplaced);
  }
}

void ScriptExecutors::Deliver(const engine::DeliverSubcall& command, Instant now) {
  const auto index = Find(command.executor, command.parent, std::nullopt);
  if (!index) return;
  Attempt& attempt = attempts_[*index];
  const auto ref = std::find(attempt.awaited.begin(), attempt.awaited.end(), command.ref);
  if (ref == attempt.awaited.end()) return;
  attempt.awaited.erase(ref);
  attempt.inputs.push_back(now);
  if (!attempt.cancelled && attempt.reports_at == Instant::max()) ScheduleNext(*index);
}

void ScriptExecutors::Ask(std::uint32_t index, engine::Driver& driver, Instant now) {
  Attempt& attempt = attempts_[index];
  const AttemptScript::Ask& ask = attempt.script->asks[attempt.asked++];
  const RunScript& shape = *attempt.played.shape;
  const CallScript& call = shape.calls[ask.call];
  const engine::SubcallRef ref(++subcalls_);
  attempt.awaited.push_back(ref);
  ScheduleNext(index);  // Before the step, which may cancel it or answer at once.
  calls_.Expect({&shape, &call, attempt.played.is_own,
                 EntityWithin(attempt.played.entity, attempt.asked)});
  driver.Apply(engine::SubcallRequested{processes_[attempt.process].executor,
                                        attempt.call,
                                        attempt.number,
                                        ref,
                                        {call.function, call.args}},
               now);
  calls_.Keep(driver.engine().last_call_id());
}

void ScriptExecutors::ReportAttempt(const ScriptDue& due, engine::Driver& driver) {
  const Attempt& attempt = attempts_[due.index];
  if (due.stamp != attempt.stamp) return;
  if (!attempt.cancelled && attempt.script != nullptr &&
      attempt.asked < attempt.script->asks.size()) {
    return Ask(due.index, driver, due.at);
  }
  const engine::ExecutorId executor = processes_[attempt.process].executor;
  const engine::CallId call = attempt.call;
  const engine::Attempt number = attempt.number;
  const AttemptScript* const ending = attempt.ending;
  const bool is_recorded = ending != nullptr && ending == attempt.script;
  const bool gives_up =
      attempt.cancelled && !(is_recorded && attempt.script->span.was_cancelled);
  if (!is_recorded && !attempt.cancelled) ++guesses_.attempts;
  Remove(due.index);  // Before the step, which may dispatch the next call.
  if (gives_up) {
    driver.Apply(engine::CallFailed{executor, call, number, {"", "cancelled", false}}, due.at);
  } else if (ending->failure) {
    const ScriptFailure& failure = *ending->failure;
    driver.Apply(engine::CallFailed{executor,
                                    call,
                                    number,
                                    {failure.code, failure.message, failure.retryable}},
                 due.at);
  } else {
    driver.Apply(engine::CallSucceeded{executor, call, number, ending->output}, due.at);
  }
}

}  // namespace blockx::sim
