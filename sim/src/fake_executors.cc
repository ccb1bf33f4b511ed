#include "blockx/sim/fake_executors.h"

#include <limits>

#include "blockx/sim/draws.h"
#include "blockx/sim/fake_phases.h"

namespace blockx::sim {
namespace {

using engine::AddSaturating;
using engine::Duration;
using engine::Instant;

std::uint64_t Number(engine::Generation generation) {
  return static_cast<std::uint64_t>(generation.value());
}
std::uint64_t Number(engine::Attempt attempt) {
  return static_cast<std::uint64_t>(attempt.value());
}
std::uint32_t Index(engine::ExecutorId executor) {
  return static_cast<std::uint32_t>(executor.value());
}

// The entity of each worker's executors: apart from those of sources, which are hashes of names.
constexpr std::uint64_t kFleet = 0;

// From the start of the given part (counting from 0) of a duration cut into equal parts to its end;
// the parts add up.
Duration Part(Duration whole, std::int64_t parts, std::int64_t part) {
  if (parts == 1) return whole;
  const auto until = [&](std::int64_t n) {
    return static_cast<std::int64_t>(static_cast<__int128>(whole.count()) * n / parts);
  };
  return Duration(until(part + 1) - until(part));
}

}  // namespace

FakeExecutors::FakeExecutors(const Scenario& scenario, std::uint32_t worker, EventQueue& queue)
    : scenario_(scenario),
      worker_(worker),
      entity_(EntityWithin(kFleet, worker)),
      queue_(queue),
      executors_(static_cast<std::size_t>(scenario.config.executor_count)) {}

// ---- Processes ----

void FakeExecutors::ScheduleExecutor(std::uint32_t index, State state, Instant at) {
  Executor& executor = executors_[index];
  executor.state = state;
  queue_.Push(at, Rank::kReport, DueKind::kExecutor, worker_, index, ++executor.stamp);
}

void FakeExecutors::Spawn(const engine::SpawnExecutor& command, Instant now) {
  const std::uint32_t index = Index(command.executor);
  executors_[index].generation = command.generation;
  const Duration takes = DrawDuration(
      scenario_.executors.start_delay,
      {scenario_.seed, EntityOf(index), Choice::kExecutorStart, Number(command.generation)});
  ScheduleExecutor(index, State::kStarting, AddSaturating(now, takes));
}

void FakeExecutors::Kill(const engine::KillExecutor& command, Instant now) {
  const std::uint32_t index = Index(command.executor);
  const Duration takes = DrawDuration(
      scenario_.executors.exit_latency,
      {scenario_.seed, EntityOf(index), Choice::kExecutorExit, Number(command.generation)});
  ScheduleExecutor(index, State::kExiting, AddSaturating(now, takes));
}

void FakeExecutors::ReportExecutor(const Due& due, engine::Driver& driver) {
  Executor& executor = executors_[due.index];
  if (due.stamp != executor.stamp) return;
  const engine::ExecutorId id(due.index);
  const engine::Generation generation = executor.generation;
  const bool starts = executor.state == State::kStarting;
  if (starts &&
      !Happens(scenario_.executors.start_failure, {scenario_.seed, EntityOf(due.index),
                                                   Choice::kExecutorFailure, Number(generation)})) {
    executor.state = State::kConnected;
    ScheduleHeartbeat(due.index, due.at());
    driver.Apply(engine::ExecutorConnected{id, generation, std::int64_t{due.index} + 1}, due.at());
    return;
  }
  while (executor.first_call != kNone) RemoveCall(executor.first_call);
  executor.state = State::kAbsent;
  driver.Apply(engine::ExecutorExited{id, generation, starts ? "start failed" : "killed"},
               due.at());
}

void FakeExecutors::ScheduleHeartbeat(std::uint32_t index, Instant now) {
  queue_.Push(AddSaturating(now, scenario_.config.executor_heartbeat_interval), Rank::kReport,
              DueKind::kExecutorHeartbeat, worker_, index, executors_[index].stamp,
              Lane::kExecutorHeartbeats);
}

void FakeExecutors::ReportHeartbeat(const Due& due, engine::Driver& driver) {
  const Executor& executor = executors_[due.index];
  if (due.stamp != executor.stamp) return;
  ScheduleHeartbeat(due.index, due.at());
  engine::ExecutorHeartbeat report;
  report.executor = engine::ExecutorId(due.index);
  report.generation = executor.generation;
  if (executor.first_call != kNone) report.running_call = calls_[executor.first_call].id;
  // Its scheduler never stalls, so its activity is as of now.
  report.last_scheduler_active = engine::ToMicroseconds(due.at()) / 1000;
  driver.Apply(report, due.at());
}

// ---- Calls ----

std::uint32_t FakeExecutors::AddCall(std::uint32_t executor_index) {
  std::uint32_t index = kNone;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(calls_.size());
    calls_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
    const std::uint32_t stamp = calls_[index].stamp;
    calls_[index] = Call();
    calls_[index].stamp = stamp;
  }
  Executor& executor = executors_[executor_index];
  calls_[index].executor = executor_index;
  calls_[index].previous = executor.last_call;
  (executor.last_call == kNone ? executor.first_call : calls_[executor.last_call].next) = index;
  executor.last_call = index;
  return index;
}

void FakeExecutors::RemoveCall(std::uint32_t index) {
  Call& call = calls_[index];
  Executor& executor = executors_[call.executor];
  (call.previous == kNone ? executor.first_call : calls_[call.previous].next) = call.next;
  (call.next == kNone ? executor.last_call : calls_[call.next].previous) = call.previous;
  ++call.stamp;
  free_.push_back(index);
}

void FakeExecutors::ScheduleCall(std::uint32_t index, Instant at) {
  Call& call = calls_[index];
  call.reports_at = at;
  queue_.Push(at, Rank::kReport, DueKind::kCall, worker_, index, ++call.stamp);
}

void FakeExecutors::ScheduleNextPart(std::uint32_t index, Instant now) {
  Call& call = calls_[index];
  const Duration takes = Part(call.duration, call.subcalls + 1, call.parts_done++);
  ScheduleCall(index, AddSaturating(now, takes));
}

void FakeExecutors::Dispatch(const engine::DispatchCall& command, const Task& task, Instant now) {
  const CallsSpec& spec = task.spec->task.calls;
  const std::uint64_t entity = command.args->fingerprint();
  const auto key = [&](Choice choice) {
    return Key{scenario_.seed, entity, choice, Number(command.attempt)};
  };
  const std::uint32_t index = AddCall(Index(command.executor));
  Call& call = calls_[index];
  call.id = command.call;
  call.attempt = command.attempt;
  call.entity = entity;
  if (command.function == kSubcallFunction) {
    call.duration = ToDuration(
        DrawAmount(spec.subcalls->duration, task.planned.subcall, key(Choice::kCallDuration)));
  } else {
    call.duration =
        ToDuration(DrawAmount(spec.duration, task.planned.call, key(Choice::kCallDuration)));
    if (spec.failure > 0) {
      KeyedStream luck(key(Choice::kCallFailure));
      const bool fails = luck.NextUnit() <= spec.failure;
      const bool retryable = luck.NextUnit() <= spec.retryable;
      if (fails) call.ending = retryable ? Ending::kRetryableFailure : Ending::kFailure;
    }
    if (spec.subcalls) {
      call.subcalls = ToCount(
          DrawAmount(spec.subcalls->count, task.planned.subcall_count, key(Choice::kTaskShape)));
    }
  }
  ScheduleNextPart(index, now);
}

void FakeExecutors::Cancel(const engine::CancelCall& command, Instant now) {
  std::uint32_t index = executors_[Index(command.executor)].first_call;
  while (index != kNone &&
         (calls_[index].id != command.call || calls_[index].attempt != command.attempt)) {
    index = calls_[index].next;
  }
  if (index == kNone) return;  // Its end was reported in this very step.
  Call& call = calls_[index];
  const Duration takes =
      DrawDuration(scenario_.executors.cancel_latency,
                   {scenario_.seed, call.entity, Choice::kCancelLatency, Number(command.attempt)});
  call.subcalls = 0;  // It asks for no more; at its next report it is done.
  call.ending = Ending::kCancelled;
  const Instant stops = AddSaturating(now, takes);
  if (stops < call.reports_at) ScheduleCall(index, stops);
}

void FakeExecutors::Deliver(const engine::DeliverSubcall& command, Instant now) {
  std::uint32_t index = executors_[Index(command.executor)].first_call;
  while (index != kNone && calls_[index].awaited != command.ref) index = calls_[index].next;
  if (index == kNone) return;
  calls_[index].awaited = engine::SubcallRef();
  ScheduleNextPart(index, now);
}

void FakeExecutors::RequestSubcall(std::uint32_t index, engine::Driver& driver, Instant now) {
  Call& call = calls_[index];
  const std::uint64_t entity =
      EntityWithin(call.entity, static_cast<std::uint64_t>(call.parts_done));
  call.awaited = engine::SubcallRef(++subcalls_);
  call.reports_at = Instant::max();
  const engine::SubcallRequested report{
      engine::ExecutorId(call.executor),
      call.id,
      call.attempt,
      call.awaited,
      {kSubcallFunction, engine::Payload::LeftOut(sizeof entity, entity)}};
  driver.Apply(report, now);
}

void FakeExecutors::ReportCall(const Due& due, engine::Driver& driver) {
  const Call& call = calls_[due.index];
  // A killed executor's calls end with its exit.
  if (due.stamp != call.stamp || executors_[call.executor].state == State::kExiting) return;
  if (call.parts_done <= call.subcalls) return RequestSubcall(due.index, driver, due.at());

  const Ending ending = call.ending;
  const engine::ExecutorId executor(call.executor);
  const engine::CallId id = call.id;
  const engine::Attempt attempt = call.attempt;
  RemoveCall(due.index);  // Before the step, which may dispatch the next call.
  if (ending == Ending::kSuccess) {
    driver.Apply(engine::CallSucceeded{executor, id, attempt, {}}, due.at());
  } else {
    const bool retryable = ending == Ending::kRetryableFailure;
    const std::string_view message =
        ending == Ending::kCancelled ? "cancelled" : "simulated failure";
    driver.Apply(engine::CallFailed{executor, id, attempt, {"", message, retryable}}, due.at());
  }
}

}  // namespace blockx::sim
