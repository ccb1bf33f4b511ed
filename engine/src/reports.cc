#include <utility>

#include "blockx/engine/utf8.h"
#include "emit.h"
#include "parts.h"

// What the world reports, and how a task moves through its phases (rules of the groups PH, END,
// ADM, CALL, EX).
namespace blockx::engine {

namespace {

constexpr std::size_t kMaxMessageBytes = 4096;  // R-SLOT-2

Failure WithCutMessage(Failure failure) {
  failure.message = CutAtCharacter(failure.message, kMaxMessageBytes);
  return failure;
}

}  // namespace

// ---- Phases ----

void Engine::Parts::EnterPhase(Handle handle, Phase phase) {
  ActiveTask& active = core.active(handle);
  active.phase = phase;
  if (active.watched != kNone)
    watches.TellPhase(active.watched, core.task_of(handle).id, phase, commands);
}

void Engine::Parts::On(const ActivationPrepared& report) {
  const Handle active = core.FindActive(report.task_id, report.run);
  if (active == kNone || core.active(active).phase != Phase::kPreparing) return Drop();
  core.Activate(active, report.epoch, now);
  EnterPhase(active, Phase::kBuilder);
  admission.Ask(Stage::kBuilder, active);
}

void Engine::Parts::On(const ActivationFailed& report) {
  const Handle active = core.FindActive(report.task_id, report.run);
  if (active == kNone || core.active(active).phase != Phase::kPreparing) return Drop();
  Fail(active, report.failure, failure_code::kActivationFailed);
}

void Engine::Parts::On(const BuilderFinished& report) {
  const Handle active = TakeWorkEnd(report.task_id, report.run, Work::kBuilder, Stage::kBuilder);
  if (active == kNone) return;
  if (const auto* failure = std::get_if<Failure>(&report.outcome)) {
    return Fail(active, *failure, failure_code::kBuilderFailed);
  }
  core.times_of(active).built = now;
  const auto* list = std::get_if<CallList>(&report.outcome);
  dispatcher.Begin(active, list == nullptr);
  if (list == nullptr) {
    EnterPhase(active, Phase::kCalls);
    admission.Ask(Stage::kScan, active);
  } else if (!dispatcher.Append(active, list->calls)) {
    FailForTooManyCalls(active);
  } else {
    EnterPhase(active, Phase::kCalls);
    if (list->calls.empty()) return FinishCalls(active);  // Needs no permit (R-PH-3).
    admission.Ask(Stage::kExecutorTasks, active);
  }
}

void Engine::Parts::On(const CallsAppended& report) {
  const Handle active = core.FindOwing(report.task_id, report.run, Work::kStream);
  if (active == kNone) return Drop();
  if (!dispatcher.Append(active, report.calls)) FailForTooManyCalls(active);
}

void Engine::Parts::On(const CallStreamEnded& report) {
  const Handle active = TakeWorkEnd(report.task_id, report.run, Work::kStream, Stage::kScan);
  if (active == kNone) return;
  if (report.failure) return Fail(active, *report.failure, failure_code::kBuilderFailed);
  Obey(dispatcher.EndStream(active));
}

void Engine::Parts::On(const WriterFinished& report) {
  const Handle active = TakeWorkEnd(report.task_id, report.run, Work::kWriter, Stage::kPlugin);
  if (active == kNone) return;
  if (const auto* failure = std::get_if<Failure>(&report.outcome)) {
    return Fail(active, *failure, failure_code::kPluginFailed);
  }
  End(active, {.plugin_results = *std::get_if<Payload>(&report.outcome)});
}

// The adapter has ended work: the permit comes back, also when the task ended before (R-ADM-2).
// Returns the task if it is still waiting for this; otherwise the report is of no more use, and
// kNone.
Handle Engine::Parts::TakeWorkEnd(std::string_view task_id, Run run, Work work, Stage stage) {
  const Handle active = core.FindOwing(task_id, run, work);
  if (active != kNone) {
    core.active(active).owed = Work::kNone;
    admission.Return(stage);
    return active;
  }
  if (core.SettleOrphan(task_id, run, work)) admission.Return(stage);
  Drop();
  return kNone;
}

void Engine::Parts::FinishCalls(Handle active) {
  core.times_of(active).called = now;
  if (std::exchange(core.active(active).holds_executors, false))
    admission.Return(Stage::kExecutorTasks);
  dispatcher.LeaveCalls(active);
  EnterPhase(active, Phase::kPlugin);
  if (core.active(active).has_result_handler) {
    admission.Ask(Stage::kPlugin, active);
  } else {
    End(active, {});
  }
}

// ---- Ends ----

void Engine::Parts::Fail(Handle active, const Failure& failure, std::string_view default_code) {
  Ending ending{
      .state = TaskState::kFailed, .failure = WithCutMessage(failure), .message_is_reported = true};
  if (failure.code.empty()) ending.failure.code = default_code;
  End(active, ending);
}

void Engine::Parts::FailByRule(Handle active, std::string_view code, std::string_view message,
                               bool retryable) {
  End(active, {.state = TaskState::kFailed,
               .failure = {.code = code, .message = message, .retryable = retryable}});
}

void Engine::Parts::FailForTooManyCalls(Handle active) {
  FailByRule(active, failure_code::kBuilderFailed, "the task has more than maxCallsPerTask calls",
             false);
}

// R-END-1: everything that a task's end means, in one call and in this order.
void Engine::Parts::End(Handle handle, const Ending& ending) {
  const ActiveTask& active = core.active(handle);  // Readable until the step ends.
  core.Converge(handle, ending, dispatcher.counts(handle), now, config.result_retention);
  const Task& task = core.task(active.task);
  Emit(commands, ConvergeTask{task.id, task.run, &task.result});
  dispatcher.Abandon(handle, now, commands);
  admission.Leave(handle);
  if (active.holds_executors) admission.Return(Stage::kExecutorTasks);
  if (active.holds_scan) admission.Return(Stage::kScan);
  if (active.watched != kNone) watches.TellEnd(active.watched, task.id, task.result, commands);
  if (draining && !stopped && core.active_count() == 0) CompleteDrain(true);
}

void Engine::Parts::Obey(const Verdict& verdict) {
  switch (verdict.kind) {
    case Verdict::Kind::kGoesOn:
      return;
    case Verdict::Kind::kCallsDone:
      return FinishCalls(verdict.task);
    case Verdict::Kind::kTaskFailed:
      return End(verdict.task, {.state = TaskState::kFailed,
                                .failure = verdict.failure,
                                .message_is_reported = verdict.message_is_reported});
  }
}

// ---- Calls ----

void Engine::Parts::On(const CallSucceeded& report) {
  const Handle attempt = dispatcher.FindAttempt(report.executor, report.call, report.attempt);
  if (attempt == kNone) return Drop();
  Obey(dispatcher.Succeed(attempt, report.output, now, commands));
}

void Engine::Parts::On(const CallFailed& report) {
  const Handle attempt = dispatcher.FindAttempt(report.executor, report.call, report.attempt);
  if (attempt == kNone) return Drop();
  Obey(dispatcher.Fail(attempt, WithCutMessage(report.failure), true, core, now, commands));
}

void Engine::Parts::On(const SubcallRequested& report) {
  if (!dispatcher.AskSubcall(report, commands)) Drop();
}

// ---- Executors ----

void Engine::Parts::On(const ExecutorConnected& report) {
  if (!pool.Connected(report, now)) return Drop();
  dispatcher.ExecutorUsable(report.executor);
  NoteHealth();
}

void Engine::Parts::On(const ExecutorHeartbeat& report) {
  if (!pool.HeartbeatCame(report, now)) Drop();
}

void Engine::Parts::On(const ExecutorExited& report) {
  if (!pool.Exited(report)) return Drop();
  const Failure lost{
      .code = failure_code::kExecutorLost, .message = "the executor exited", .retryable = true};
  for (const Handle attempt : dispatcher.ExecutorGone(report.executor)) {
    if (dispatcher.IsLive(attempt))
      Obey(dispatcher.Fail(attempt, lost, false, core, now, commands));
  }
  if (!stopped) pool.ScheduleRestart(report.executor, now);
  NoteHealth();
}

}  // namespace blockx::engine
