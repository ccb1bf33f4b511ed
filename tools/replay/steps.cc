#include "steps.h"

#include <algorithm>
#include <string>
#include <utility>

#include "step_line.h"

namespace blockx::tools {
namespace {

class Filtered final : public engine::StepObserver {
 public:
  Filtered(const RecordFilter& filter, const Span& span,
           const std::function<void(const engine::Step&)>& see)
      : filter_(filter), span_(span), see_(see), task_(filter.task) {}

  void OnStep(const engine::Step& step) override {
    if (!filter_.task.empty() && !task_.Concerns(step)) return;
    if (step.sequence < span_.first || step.sequence > span_.last) return;
    const auto has_kind = [&](const std::string& kind) {
      return kind == EventName(step.event.index());
    };
    if (!filter_.kinds.empty() &&
        std::none_of(filter_.kinds.begin(), filter_.kinds.end(), has_kind)) {
      return;
    }
    see_(step);
  }

 private:
  const RecordFilter& filter_;
  Span span_;
  const std::function<void(const engine::Step&)>& see_;
  TaskOfStep task_;
};

}  // namespace

std::optional<Span> SpanOf(const RecordFilter& filter, replay::LogReader& log) {
  Span span{.first = log.first_sequence() + 1, .last = log.last_sequence()};
  if (!filter.from.empty()) {
    const auto from = ParseMoment(filter.from, log, Bound::kFrom);
    if (!from) return std::nullopt;
    span.first = *from;
  }
  if (!filter.to.empty()) {
    const auto to = ParseMoment(filter.to, log, Bound::kUpTo);
    if (!to) return std::nullopt;
    span.last = *to;
  }
  return span;
}

int ForEachStep(replay::Replayer& replayer, const RecordFilter& filter,
                const std::function<void(const engine::Step&)>& see) {
  const std::optional<Span> span = SpanOf(filter, replayer.log());
  if (!span) return kBadUse;
  // A task's calls are known by their dispatch, which may lie before the span.
  if (filter.task.empty() && span->first > replayer.first() + 1) {
    if (absl::Status status = replayer.Goto(span->first - 1); !status.ok()) {
      return ComplainOf(status);
    }
  }
  Filtered filtered(filter, *span, see);
  int exit_code = kSame;
  ReplayProgress progress(replayer.sequence(), span->last);
  while (replayer.sequence() < span->last) {
    const absl::StatusOr<bool> more = replayer.Next(&filtered);
    if (more.ok() && !*more) break;
    if (more.ok()) {
      progress.At(replayer.sequence());
      continue;
    }
    Complain(std::string(more.status().message()));
    if (absl::IsFailedPrecondition(more.status())) {
      Complain("what follows is what this engine makes of the events");
      exit_code = kDiffers;
    } else {
      if (exit_code == kSame) exit_code = kDamaged;
      if (!replayer.SkipDamage()) break;
    }
  }
  return exit_code;
}

}  // namespace blockx::tools
