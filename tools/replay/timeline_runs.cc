#include "timeline_runs.h"

#include <algorithm>
#include <utility>

namespace blockx::tools {
namespace {

using engine::Instant;
using engine::kNever;
using replay::AttemptHistory;
using replay::CallHistory;
using replay::Moment;
using replay::RequestHistory;
using replay::RunHistory;
using replay::TaskHistory;
using replay::WorkHistory;

void ToEarlier(Instant& at, Instant other) {
  if (other != kNever && (at == kNever || other < at)) at = other;
}

Instant FirstDispatch(const RunHistory& run) {
  Instant first = kNever;
  for (const CallHistory& call : run.calls) {
    if (!call.attempts.empty()) ToEarlier(first, call.attempts.front().dispatched.at);
  }
  return first;
}

// The earliest trace that a run left in the log.
Instant FirstTrace(const RunHistory& run) {
  Instant first = run.accepted.at;
  ToEarlier(first, run.ended.at);
  for (const WorkHistory& work : run.work) {
    ToEarlier(first, work.started.at);
    ToEarlier(first, work.finished.at);
  }
  for (const CallHistory& call : run.calls) ToEarlier(first, call.requested.at);
  ToEarlier(first, FirstDispatch(run));
  return first;
}

// When a run that has a plugin permit left its calls: with the end of the last one.
Instant LastCallEnd(const RunHistory& run, Instant built, Instant plugin_granted) {
  Instant last = built;
  for (const CallHistory& call : run.calls) {
    for (const AttemptHistory& attempt : call.attempts) {
      if (attempt.ended.at <= plugin_granted) last = std::max(last, attempt.ended.at);
    }
  }
  return last;
}

// What a run that has not ended has told so far.
engine::TaskResult ResultSoFar(const RunHistory& run) {
  engine::TaskResult result;
  engine::StepTimes& times = result.times;
  times.accepted = run.accepted.at;
  for (const WorkHistory& work : run.work) {
    switch (work.kind) {
      case WorkHistory::Kind::kActivation:
        times.activated = work.finished.at;
        break;
      case WorkHistory::Kind::kBuilder:
        times.builder_granted = work.started.at;
        times.built = work.finished.at;
        break;
      case WorkHistory::Kind::kStream:
        times.executors_granted = work.started.at;
        break;
      case WorkHistory::Kind::kWriter:
        times.plugin_granted = work.started.at;
        break;
    }
  }
  if (times.plugin_granted != kNever) {
    times.called = LastCallEnd(run, times.built, times.plugin_granted);
  }
  for (const CallHistory& call : run.calls) {
    ++result.calls.total;
    if (call.attempts.size() < 2) continue;
    result.calls.retried += static_cast<std::uint32_t>(call.attempts.size() - 1);
  }
  return result;
}

// The first request that led to a run: none of an earlier run of the same task.
Instant RequestedAt(const TaskHistory& task, const RunHistory& run) {
  Instant since = kNever;
  for (const RunHistory& other : task.runs) {
    if (other.run < run.run) since = std::max(since, other.ended.at);
  }
  for (const RequestHistory& request : task.requests) {
    if (request.kind == RequestHistory::Kind::kResult || request.at.at < since) continue;
    return request.at.at <= run.accepted.at ? request.at.at : kNever;
  }
  return kNever;
}

class RunGatherer {
 public:
  RunGatherer(engine::Engine before, engine::Engine after, Timeline& timeline)
      : before_(std::move(before)), after_(std::move(after)), timeline_(timeline) {}

  void Add(const TaskHistory& task, const RunHistory& run) {
    TimelineRun& line = timeline_.runs.emplace_back();
    line.task = &task;
    line.run = &run;
    line.slot = run.slot;
    if (run.ended.happened()) {
      line.result = run.result;
      line.end = run.ended;
    } else {
      line.result = ResultSoFar(run);
      line.end = timeline_.last;
      ++line.end.sequence;
      AskTheEnd(line);
    }
    if (line.result.times.ended != kNever) {
      const bool succeeded = line.result.state == engine::TaskState::kSucceeded;
      line.state = succeeded ? RunState::kSucceeded : RunState::kFailed;
    }
    Begin(line);
    line.requested = RequestedAt(task, run);
    // What was dispatched before the log is not in it.
    const bool whole = line.result.times.built >= timeline_.history->first().at;
    line.first_dispatch = whole ? FirstDispatch(run) : line.result.times.executors_granted;
  }

 private:
  void Begin(TimelineRun& line) {
    const RunHistory& run = *line.run;
    line.begin = run.accepted;
    if (run.accepted.happened()) return;
    line.begin = ReadableFrom(timeline_, FirstTrace(run));
    if (line.result.times.accepted != kNever) line.begin.at = line.result.times.accepted;
    if (line.slot) return;
    const auto answer = before_.Apply(engine::GetTaskResult{.task_id = line.task->id}, Instant{});
    if (answer.ok()) line.slot = answer.value().slot;
  }

  // Either it goes on, or its end is among lost records: then its result may still be kept.
  void AskTheEnd(TimelineRun& line) {
    const bool latest = line.run == &line.task->runs.back();
    const auto answer =
        after_.Apply(engine::GetTaskResult{.task_id = line.task->id}, timeline_.last.at);
    const engine::TaskResult* const result = answer.ok() ? answer.value().result : nullptr;
    if (latest && answer.ok() && result == nullptr) {
      if (!line.slot) line.slot = answer.value().slot;
      return;
    }
    line.end = ReadableUntil(timeline_, line.run->accepted);
    if (latest && result != nullptr && result->times.accepted == line.result.times.accepted) {
      line.result = *result;
      line.end.at = result->times.ended;
    } else {
      line.state = RunState::kUnknown;
    }
  }

  engine::Engine before_;
  engine::Engine after_;
  Timeline& timeline_;
};

}  // namespace

Moment ReadableFrom(const Timeline& timeline, Instant at) {
  Moment from = timeline.history->first();
  for (const LostRecords& gap : timeline.gaps) {
    if (gap.behind.at <= at) from = gap.behind;
  }
  return from;
}

Moment ReadableUntil(const Timeline& timeline, const Moment& from) {
  for (const LostRecords& gap : timeline.gaps) {
    if (gap.behind.sequence > from.sequence) return gap.behind;
  }
  return timeline.last;
}

void GatherRuns(engine::Engine before, engine::Engine after, Timeline& timeline) {
  RunGatherer gatherer(std::move(before), std::move(after), timeline);
  for (const TaskHistory& task : timeline.history->tasks()) {
    for (const RunHistory& run : task.runs) gatherer.Add(task, run);
  }
  std::stable_sort(
      timeline.runs.begin(), timeline.runs.end(),
      [](const TimelineRun& a, const TimelineRun& b) { return a.begin.at < b.begin.at; });
}

}  // namespace blockx::tools
