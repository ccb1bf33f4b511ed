#include "timeline_watch.h"

#include <algorithm>
#include <memory>
#include <variant>

namespace blockx::tools {
namespace {

void AddPoint(std::vector<LevelPoint>& points, engine::Instant at, std::int64_t level) {
  if (!points.empty() && points.back().at == at) points.pop_back();
  if (points.empty() || points.back().level != level) points.push_back({at, level});
}

}  // namespace

TimelineWatch::TimelineWatch(const engine::Engine& engine, std::uint64_t first_level,
                             Timeline& timeline)
    : engine_(engine),
      first_level_(first_level),
      timeline_(timeline),
      allocated_(engine.load().allocated_slots) {
  timeline_.history = std::make_unique<replay::History>(engine);
}

void TimelineWatch::OnStep(const engine::Step& step) {
  const replay::Moment now{std::max(step.now, last_.at), step.sequence};
  const engine::Load load = engine_.load();
  timeline_.history->OnStep(
      {step.sequence, now.at, step.event, step.reply, step.commands, step.digest});
  if (last_.happened() && step.sequence != last_.sequence + 1) {
    timeline_.gaps.push_back({last_, now});
    // What became of the leases is not known; the drawing ends them here.
    for (const auto& [end, lease] : by_end_) timeline_.leases[lease].end = now;
    open_.clear();
    by_end_.clear();
  } else {
    WatchLeases(step, now, allocated_ - load.allocated_slots);
  }
  if (step.sequence >= first_level_) {
    if (timeline_.first == engine::kNever) timeline_.first = now.at;
    SampleLevels(load, now.at);
  }
  timeline_.last = now;
  last_ = now;
  allocated_ = load.allocated_slots;
}

void TimelineWatch::SampleLevels(const engine::Load& load, engine::Instant now) {
  const sim::Levels levels = sim::LevelsOf(load);
  for (std::size_t i = 0; i < kGaugeNames.size(); ++i) {
    const auto gauge = static_cast<std::size_t>(kGaugeNames[i].gauge);
    AddPoint(timeline_.gauges[i].points, now, levels[gauge]);
  }
}

void TimelineWatch::WatchLeases(const engine::Step& step, replay::Moment now,
                                std::int64_t given_up) {
  if (std::holds_alternative<engine::RequestTaskSlot>(step.event)) Reserved(step, now);
  // A task that ends while it prepares gives up an allocated slot as well.
  std::int64_t preparing_ended = 0;
  for (const engine::Command& command : step.commands) {
    if (const auto* accepted = std::get_if<engine::PrepareActivation>(&command)) {
      Submitted(std::string(accepted->task_id), now);
    } else if (const auto* ended = std::get_if<engine::ConvergeTask>(&command)) {
      preparing_ended += ended->result->times.activated == engine::kNever ? 1 : 0;
    }
  }
  if (std::holds_alternative<engine::Tick>(step.event)) {
    ExpireLeases(given_up - preparing_ended, now);
  }
}

void TimelineWatch::Reserved(const engine::Step& step, replay::Moment now) {
  const auto* view = std::get_if<engine::TaskView>(&step.reply);
  if (view == nullptr || view->phase || !view->slot || !view->lease_expires_at) return;
  const auto [at, added] = open_.try_emplace(std::string(view->task_id), timeline_.leases.size());
  if (!added) return;  // Asked again: the same lease.
  by_end_.emplace(*view->lease_expires_at, at->second);
  TimelineLease& lease = timeline_.leases.emplace_back();
  lease.task_id = view->task_id;
  lease.slot = *view->slot;
  lease.begin = now;
  lease.expires_at = *view->lease_expires_at;
}

void TimelineWatch::Submitted(const std::string& task_id, replay::Moment now) {
  const auto open = open_.find(task_id);
  if (open == open_.end()) return;
  TimelineLease& lease = timeline_.leases[open->second];
  lease.end = now;
  by_end_.erase({lease.expires_at, open->second});
  open_.erase(open);
}

// Of one Tick the earlier ends go first (R-TIME-6).
void TimelineWatch::ExpireLeases(std::int64_t count, replay::Moment now) {
  for (; count > 0 && !by_end_.empty() && by_end_.begin()->first <= now.at; --count) {
    TimelineLease& lease = timeline_.leases[by_end_.begin()->second];
    lease.end = now;
    lease.expired = true;
    open_.erase(lease.task_id);
    by_end_.erase(by_end_.begin());
  }
}

}  // namespace blockx::tools
