#include "timeline.h"

namespace blockx::tools {

using engine::Instant;
using engine::kNever;

std::string_view NameOf(RunState state) {
  switch (state) {
    case RunState::kRunning:
      return "RUNNING";
    case RunState::kSucceeded:
      return "SUCCEEDED";
    case RunState::kFailed:
      return "FAILED";
    case RunState::kUnknown:
      return "UNKNOWN";
  }
  return "";
}

std::string_view NameOf(replay::RequestHistory::Kind kind) {
  switch (kind) {
    case replay::RequestHistory::Kind::kReserve:
      return "requestTaskSlot";
    case replay::RequestHistory::Kind::kSubmit:
      return "submitTask";
    case replay::RequestHistory::Kind::kResult:
      return "getTaskResult";
  }
  return "";
}

const replay::AttemptHistory& AttemptOf(const Timeline& timeline, const TimelineAttempt& line) {
  return timeline.runs[line.run].run->calls[line.call].attempts[line.attempt];
}

std::string_view OutcomeOf(const Timeline& timeline, const TimelineAttempt& line) {
  switch (AttemptOf(timeline, line).end) {
    case replay::AttemptHistory::End::kNone:
      return line.lost ? "unknown" : "in flight";
    case replay::AttemptHistory::End::kSucceeded:
      return "succeeded";
    case replay::AttemptHistory::End::kFailed:
      return "failed";
    case replay::AttemptHistory::End::kExecutorExited:
      return "executor exited";
  }
  return "";
}

std::vector<StepSpan> StepsOf(const TimelineRun& run) {
  const engine::StepTimes& times = run.result.times;
  const Instant first_call = run.first_dispatch == kNever ? times.called : run.first_dispatch;
  // Without a writer both of the last steps are over at once.
  const bool succeeded = run.state == RunState::kSucceeded;
  const Instant writing =
      times.plugin_granted == kNever && succeeded ? times.called : times.plugin_granted;
  const std::array<Instant, kStepWords.size()> begins = {
      run.requested, times.accepted, times.activated, times.builder_granted,
      times.built,   first_call,     times.called,    writing};

  std::vector<StepSpan> steps;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    if (begins[i] == kNever) continue;
    if (!steps.empty()) steps.back().end = begins[i];
    steps.push_back({static_cast<TaskStep>(i), begins[i], times.ended});
  }
  return steps;
}

}  // namespace blockx::tools
