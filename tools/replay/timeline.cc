#include "timeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "steps.h"
#include "timeline_runs.h"
#include "timeline_watch.h"

namespace blockx::tools {
namespace {

using engine::Instant;
using engine::kNever;
using replay::Moment;

// Gives what is drawn on one place lanes in which nothing overlaps. Asked in order of beginnings.
class Lanes {
 public:
  Lane Take(std::int64_t place, Instant begin, Instant end) {
    std::vector<Instant>& free_at = free_at_[place];
    std::size_t lane = 0;
    while (lane < free_at.size() && free_at[lane] > begin) ++lane;
    if (lane == free_at.size()) free_at.emplace_back();
    free_at[lane] = end;
    return lane;
  }

 private:
  std::map<std::int64_t, std::vector<Instant>> free_at_;
};

std::int64_t PlaceOf(const std::optional<engine::SlotIndex>& slot) {
  return slot ? slot->value() : -1;
}

// Who holds a slot, moment by moment.
class Holders {
 public:
  explicit Holders(const Timeline& timeline) {
    for (const TimelineRun& run : timeline.runs) {
      Add(run.begin, run.end, {run.task->id, run.slot, run.lane});
    }
    for (const TimelineLease& lease : timeline.leases) {
      Add(lease.begin, lease.end, {lease.task_id, lease.slot, lease.lane});
    }
    std::sort(changes_.begin(), changes_.end());
  }

  // Asked in order of time.
  void Tell(TimelineRefusal& refusal) {
    for (; next_ < changes_.size(); ++next_) {
      const auto& [sequence, begins, hold] = changes_[next_];
      if (sequence > refusal.request->at.sequence) break;
      if (begins) {
        held_.emplace(sequence, hold);
      } else {
        held_.erase({holds_[hold].since, hold});
      }
    }
    refusal.holder_count = held_.size();
    for (const auto& [since, hold] : held_) {
      if (refusal.holders.size() == kMostHolders) break;
      refusal.holders.push_back(holds_[hold].holder);
    }
  }

 private:
  void Add(const Moment& begin, const Moment& end, const SlotHolder& holder) {
    if (begin.sequence >= end.sequence) return;
    changes_.emplace_back(begin.sequence, true, holds_.size());
    changes_.emplace_back(end.sequence, false, holds_.size());
    holds_.push_back({begin.sequence, holder});
  }

  struct Hold {
    std::uint64_t since = 0;
    SlotHolder holder;
  };
  std::vector<Hold> holds_;
  std::vector<std::tuple<std::uint64_t, bool, std::size_t>> changes_;
  std::size_t next_ = 0;
  std::set<std::pair<std::uint64_t, std::size_t>> held_;  // The longest first.
};

void PlaceOnSlots(Timeline& timeline) {
  Lanes lanes;
  auto run = timeline.runs.begin();
  const auto place_runs_before = [&](Instant at) {
    for (; run != timeline.runs.end() && run->begin.at < at; ++run) {
      run->lane = lanes.Take(PlaceOf(run->slot), run->begin.at, run->end.at);
    }
  };
  for (TimelineLease& lease : timeline.leases) {
    place_runs_before(lease.begin.at);
    lease.lane = lanes.Take(lease.slot.value(), lease.begin.at, lease.end.at);
  }
  place_runs_before(Instant::max());
}

void GatherRefusals(Timeline& timeline) {
  for (const replay::TaskHistory& task : timeline.history->tasks()) {
    for (const replay::RequestHistory& request : task.requests) {
      if (request.refused) timeline.refusals.push_back({&task, &request, {}, 0});
    }
  }
  std::sort(timeline.refusals.begin(), timeline.refusals.end(),
            [](const TimelineRefusal& a, const TimelineRefusal& b) {
              return a.request->at.sequence < b.request->at.sequence;
            });
  Holders holders(timeline);
  for (TimelineRefusal& refusal : timeline.refusals) {
    if (refusal.request->refused == engine::ErrorCode::kNoSlot) holders.Tell(refusal);
  }
}

void GatherAttempts(Timeline& timeline) {
  for (std::size_t r = 0; r < timeline.runs.size(); ++r) {
    const std::vector<replay::CallHistory>& calls = timeline.runs[r].run->calls;
    for (std::size_t c = 0; c < calls.size(); ++c) {
      for (std::size_t a = 0; a < calls[c].attempts.size(); ++a) {
        const replay::AttemptHistory& attempt = calls[c].attempts[a];
        TimelineAttempt& line = timeline.attempts.emplace_back();
        line.run = r;
        line.call = c;
        line.attempt = a;
        line.begin = attempt.dispatched;
        line.end =
            attempt.ended.happened() ? attempt.ended : ReadableUntil(timeline, attempt.dispatched);
        line.lost = !attempt.ended.happened() && line.end.sequence < timeline.last.sequence;
      }
    }
  }
  std::stable_sort(timeline.attempts.begin(), timeline.attempts.end(),
                   [](const TimelineAttempt& a, const TimelineAttempt& b) {
                     return a.begin.sequence < b.begin.sequence;
                   });
  Lanes lanes;
  for (TimelineAttempt& line : timeline.attempts) {
    const std::int64_t executor = AttemptOf(timeline, line).executor.value();
    line.lane = lanes.Take(executor, line.begin.at, line.end.at);
  }
}

Moment BeginOf(const Timeline& timeline, const replay::ExecutorHistory& executor) {
  if (executor.spawned.happened()) return executor.spawned;
  Instant known = timeline.last.at;
  for (const Moment& moment : {executor.connected, executor.killed, executor.exited}) {
    if (moment.happened()) known = std::min(known, moment.at);
  }
  if (!executor.heartbeats.empty()) known = std::min(known, executor.heartbeats.front().at.at);
  return ReadableFrom(timeline, known);
}

void GatherLives(Timeline& timeline) {
  for (const replay::ExecutorHistory& executor : timeline.history->executors()) {
    timeline.lives.push_back({&executor, 0, BeginOf(timeline, executor),
                              executor.exited.happened() ? executor.exited : timeline.last});
  }
  std::stable_sort(
      timeline.lives.begin(), timeline.lives.end(),
      [](const TimelineLife& a, const TimelineLife& b) { return a.begin.at < b.begin.at; });
  // An exit among lost records shows by the next process in that place.
  std::map<std::int64_t, TimelineLife*> latest;
  for (TimelineLife& life : timeline.lives) {
    TimelineLife*& before = latest[life.executor->executor.value()];
    if (before != nullptr && before->end.at > life.begin.at) before->end = life.begin;
    before = &life;
  }
  Lanes lanes;
  for (TimelineLife& life : timeline.lives) {
    life.lane = lanes.Take(life.executor->executor.value(), life.begin.at, life.end.at);
  }
}

// Leaves what touches what is shown.
template <class T, class Touches>
void Keep(std::vector<T>& all, const Touches& touches) {
  std::erase_if(all, [&](const T& one) { return !touches(one); });
}

// Narrows what is shown to one task. False: it is not there.
bool KeepTask(Timeline& timeline, std::string_view id) {
  Keep(timeline.runs, [&](const TimelineRun& run) { return run.task->id == id; });
  Keep(timeline.leases, [&](const TimelineLease& lease) { return lease.task_id == id; });
  Keep(timeline.refusals, [&](const TimelineRefusal& refusal) { return refusal.task->id == id; });
  timeline.one_task = true;
  Instant first = timeline.last.at;
  Instant last = timeline.first;
  const auto add = [&](Instant begin, Instant end) {
    first = std::min(first, begin);
    last = std::max(last, end);
  };
  for (const TimelineRun& run : timeline.runs) add(run.begin.at, run.end.at);
  for (const TimelineLease& lease : timeline.leases) add(lease.begin.at, lease.end.at);
  for (const TimelineRefusal& refusal : timeline.refusals) {
    add(refusal.request->at.at, refusal.request->at.at);
  }
  timeline.first = std::max(timeline.first, first);
  timeline.last.at = std::max(timeline.first, std::min(timeline.last.at, last));
  return !timeline.runs.empty() || !timeline.leases.empty() || !timeline.refusals.empty();
}

// Leaves the levels from `first` on; what held before holds from there.
void KeepLevels(Instant first, Instant last, std::vector<LevelPoint>& points) {
  const auto later = [](Instant at, const LevelPoint& point) { return at < point.at; };
  const auto end = std::upper_bound(points.begin(), points.end(), last, later);
  points.erase(end, points.end());
  auto begin = std::upper_bound(points.begin(), points.end(), first, later);
  if (begin != points.begin()) --begin;
  points.erase(points.begin(), begin);
  if (!points.empty()) points.front().at = std::max(points.front().at, first);
}

void KeepSpan(Timeline& timeline) {
  const auto touches = [&](const auto& line) {
    return line.end.at >= timeline.first && line.begin.at <= timeline.last.at;
  };
  Keep(timeline.runs, touches);
  Keep(timeline.leases, touches);
  Keep(timeline.lives, touches);
  Keep(timeline.refusals, [&](const TimelineRefusal& refusal) {
    const Instant at = refusal.request->at.at;
    return at >= timeline.first && at <= timeline.last.at;
  });
  for (GaugeSeries& gauge : timeline.gauges) {
    KeepLevels(timeline.first, timeline.last.at, gauge.points);
  }
}

void SetCapacities(Timeline& timeline) {
  const engine::Config& config = timeline.config;
  std::int64_t places = 0;
  const bool countless =
      __builtin_mul_overflow(config.executor_count, config.executor_max_concurrent_calls, &places);
  const std::array<std::int64_t, 6> capacities = {
      config.task_slots, countless ? 0 : places,     config.builder_slots,
      config.scan_slots, config.executor_task_slots, config.plugin_slots};
  for (std::size_t i = 0; i < capacities.size(); ++i) timeline.gauges[i].capacity = capacities[i];
}

}  // namespace

std::optional<Timeline> GatherTimeline(replay::Replayer& replayer, const RecordFilter& filter,
                                       int& exit_code) {
  const std::optional<Span> span = SpanOf(filter, replayer.log());
  if (!span) {
    exit_code = kBadUse;
    return std::nullopt;
  }
  Timeline timeline;
  timeline.config = replayer.engine().config();
  timeline.worker = replayer.log().header().worker();
  timeline.simulated = replayer.log().header().world() == log::v1::World::SIMULATION;
  timeline.zero = StartOf(replayer.log());
  SetCapacities(timeline);

  const engine::Engine before = replayer.engine();
  TimelineWatch watch(replayer.engine(), span->first, timeline);
  RecordFilter up_to;
  up_to.to = filter.to;
  exit_code = ForEachStep(replayer, up_to, [&](const engine::Step& step) { watch.OnStep(step); });
  if (timeline.first == kNever) timeline.first = timeline.zero;
  if (!timeline.last.happened()) timeline.last.at = timeline.first;

  for (TimelineLease& lease : timeline.leases) {
    if (!lease.end.happened()) lease.end = {timeline.last.at, timeline.last.sequence + 1};
  }
  // Most are submitted at once.
  Keep(timeline.leases, [](const TimelineLease& lease) { return lease.end.at > lease.begin.at; });
  GatherRuns(before, replayer.engine(), timeline);
  PlaceOnSlots(timeline);
  GatherRefusals(timeline);
  GatherLives(timeline);
  if (!filter.task.empty() && !KeepTask(timeline, filter.task)) {
    Complain("task " + filter.task + ": the log has nothing of it" +
             (filter.from.empty() && filter.to.empty() ? "" : " in this span"));
    exit_code = kBadUse;
    return std::nullopt;
  }
  KeepSpan(timeline);
  GatherAttempts(timeline);
  return timeline;
}

}  // namespace blockx::tools
