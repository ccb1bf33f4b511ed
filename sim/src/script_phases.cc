#include "script_phases.h"

#include <algorithm>
#include <string>

#include "blockx/engine/names.h"

namespace blockx::sim {
namespace {

using engine::AddSaturating;
using engine::Duration;
using engine::Instant;

constexpr engine::Failure kCancelled = {"", "cancelled", false};
// Longer than nothing: of what did not even begin.
constexpr Duration kAnyLength(-1);

engine::Failure ToFailure(const ScriptFailure& failure) {
  return {failure.code, failure.message, failure.retryable};
}

}  // namespace

void ScriptPhases::Prepare(const engine::PrepareActivation& command, Instant now) {
  // Run numbers count up from 1 (R-SUB-4).
  Live& live = runs_.emplace_back();
  live.task = expected_;
  live.run = command.run;
  live.slot = command.slot;
  Start(command.run, ScriptWork::kActivation, now);
}

void ScriptPhases::Start(engine::Run run, ScriptWork work, Instant now) {
  Live& live = LiveOf(run);
  live.work = work;
  const std::optional<Duration> takes = Plan(live, work);
  if (work == ScriptWork::kStream) {
    live.batch = 0;
    live.rest = takes;
    return ScheduleNext(live, now);
  }
  ++live.stamp;
  live.reports_at = Instant::max();
  if (takes) Schedule(live, AddSaturating(now, *takes), OrderOf(live));
}

// Sets whose script the work goes by, and says how long it takes.
std::optional<Duration> ScriptPhases::Plan(Live& live, ScriptWork work) {
  const auto i = static_cast<std::size_t>(work);
  const RunScript* const shape = live.task.shape;
  live.script = shape != nullptr && shape->works[i] ? &*shape->works[i] : nullptr;
  live.span = live.task.is_own && live.script != nullptr ? &live.script->span : nullptr;
  live.is_guessed = live.script == nullptr || !live.script->span.takes;
  if (!live.is_guessed) return live.script->span.takes;

  // A stream that was cut off is given an end, but not another's batches.
  const bool goes_on = work == ScriptWork::kStream && live.script != nullptr;
  const Duration at_least = live.script == nullptr ? kAnyLength : live.script->span.at_least;
  const auto donor = donors_.WorkLike(work, FunctionOf(*live.task.submission, work), at_least,
                                      live.task.entity);
  if (!donor) return std::nullopt;
  if (goes_on) return donor->takes;
  live.script = &*donor->run->works[i];
  // What a builder gives, the rest of the task goes by.
  if (work == ScriptWork::kBuilder || work == ScriptWork::kStream) {
    live.task.shape = donor->run;
    live.task.is_own = false;
  }
  return donor->takes;
}

ScriptOrder ScriptPhases::OrderOf(const Live& live) {
  return live.span != nullptr && !live.is_guessed ? live.span->order : kUnplaced;
}

ScriptOrder ScriptPhases::OrderOf(const Live& live, const WorkScript::Batch& batch) {
  return live.span != nullptr ? batch.order : kUnplaced;
}

void ScriptPhases::Schedule(Live& live, Instant at, ScriptOrder order) {
  live.reports_at = at;
  queue_.Push(at, Rank::kReport, order, ScriptDueKind::kWork,
              static_cast<std::uint32_t>(live.run.value() - 1), ++live.stamp);
}

void ScriptPhases::ScheduleNext(Live& live, Instant now) {
  ++live.stamp;
  live.reports_at = Instant::max();
  if (live.script != nullptr && live.batch < live.script->batches.size()) {
    const WorkScript::Batch& batch = live.script->batches[live.batch];
    Schedule(live, AddSaturating(now, batch.gap), OrderOf(live, batch));
  } else if (live.rest) {
    Schedule(live, AddSaturating(now, *live.rest), OrderOf(live));
  }
}

void ScriptPhases::PauseStream(engine::Run run) { LiveOf(run).paused = true; }

void ScriptPhases::ResumeStream(engine::Run run, Instant now) {
  Live& live = LiveOf(run);
  live.paused = false;
  if (!live.held) return;
  live.held = false;
  Schedule(live, now, OrderOf(live, live.script->batches[live.batch]));
}

void ScriptPhases::Converge(engine::Run run, Instant now) {
  Live& live = LiveOf(run);
  live.ended = true;
  if (!live.work || *live.work == ScriptWork::kActivation) return;
  if (live.span != nullptr && live.span->was_cancelled) {
    ++live.stamp;
    if (live.span->stops_after) {
      Schedule(live, AddSaturating(now, *live.span->stops_after), live.span->order);
    }
    return;
  }
  ++guesses_.cancellations;
  // Nothing is known to have been called off: then it works on to its end.
  const Duration takes =
      std::min(donors_.WorkStops(*live.work, live.task.entity).value_or(io_timeout_), io_timeout_);
  const Instant stops = AddSaturating(now, takes);
  if (stops < live.reports_at) Schedule(live, stops, kUnplaced);
}

void ScriptPhases::Report(const ScriptDue& due, engine::Driver& driver) {
  Live& live = runs_[due.index];
  if (due.stamp != live.stamp) return;
  switch (*live.work) {
    case ScriptWork::kActivation:
      return ReportActivation(live, driver, due.at);
    case ScriptWork::kBuilder:
      return ReportBuilder(live, driver, due.at);
    case ScriptWork::kStream:
      return ReportStream(live, driver, due.at);
    case ScriptWork::kWriter:
      return ReportWriter(live, driver, due.at);
  }
}

// Before the step, whose commands may begin the next work.
void ScriptPhases::EndWork(Live& live) {
  live.work.reset();
  if (live.is_guessed && !live.ended) ++guesses_.works;
}

void ScriptPhases::ReportActivation(Live& live, engine::Driver& driver, Instant now) {
  EndWork(live);
  const WorkScript& script = *live.script;
  const std::string_view task_id = live.task.task_id;
  const engine::Run run = live.run;
  if (script.failure) {
    driver.Apply(engine::ActivationFailed{task_id, run, ToFailure(*script.failure)}, now);
    return;
  }
  const std::string slot = script.slot_id.empty() ? engine::SlotId(live.slot) : script.slot_id;
  driver.Apply(engine::ActivationPrepared{task_id, run, slot, script.epoch}, now);
}

void ScriptPhases::ReportBuilder(Live& live, engine::Driver& driver, Instant now) {
  EndWork(live);
  engine::BuilderFinished report{live.task.task_id, live.run, {}};
  if (live.ended) {
    report.outcome = kCancelled;
  } else if (live.script->failure) {
    report.outcome = ToFailure(*live.script->failure);
  } else if (live.script->streams) {
    report.outcome = engine::StreamMarker();
  } else {
    const auto& batches = live.script->batches;
    report.outcome = engine::CallList{NextCalls(live, batches.empty() ? 0 : batches[0].calls)};
  }
  driver.Apply(report, now);
  calls_.Keep(driver.engine().last_call_id());
}

void ScriptPhases::ReportStream(Live& live, engine::Driver& driver, Instant now) {
  const bool has_batch = live.script != nullptr && live.batch < live.script->batches.size();
  if (!live.ended && has_batch) {
    if (live.paused) {
      live.held = true;
      live.reports_at = Instant::max();
      return;
    }
    const std::size_t count = live.script->batches[live.batch++].calls;
    driver.Apply(engine::CallsAppended{live.task.task_id, live.run, NextCalls(live, count)}, now);
    calls_.Keep(driver.engine().last_call_id());
    if (!live.ended) ScheduleNext(live, now);
    return;
  }
  EndWork(live);
  engine::CallStreamEnded report{live.task.task_id, live.run, {}};
  if (live.ended) {
    report.failure = kCancelled;
  } else if (live.script != nullptr && live.script->failure) {
    report.failure = ToFailure(*live.script->failure);
  }
  driver.Apply(report, now);
}

void ScriptPhases::ReportWriter(Live& live, engine::Driver& driver, Instant now) {
  EndWork(live);
  engine::WriterFinished report{live.task.task_id, live.run, {}};
  if (live.ended) {
    report.outcome = kCancelled;
  } else if (live.script->failure) {
    report.outcome = ToFailure(*live.script->failure);
  } else {
    report.outcome = live.script->output;
  }
  driver.Apply(report, now);
}

std::span<const engine::CallSpec> ScriptPhases::NextCalls(Live& live, std::size_t count) {
  specs_.clear();
  const RunScript& shape = *live.task.shape;
  for (std::size_t i = 0; i < count && live.given < shape.roots.size(); ++i, ++live.given) {
    const CallScript& call = shape.calls[shape.roots[live.given]];
    specs_.push_back({call.function, call.args});
    calls_.Expect({&shape, &call, live.task.is_own, EntityWithin(live.task.entity, live.given)});
  }
  return specs_;
}

}  // namespace blockx::sim
