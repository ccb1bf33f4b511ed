#ifndef BLOCKX_TOOLS_REPLAY_TIMELINE_WATCH_H_
#define BLOCKX_TOOLS_REPLAY_TIMELINE_WATCH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "blockx/engine/driver.h"
#include "blockx/engine/engine.h"
#include "timeline.h"

namespace blockx::tools {

// Gathers, step by step, what of a timeline cannot be told afterwards: levels, leases, gaps. The
// history is gathered along the way, on the engine's clock, which never goes back (R-TIME-2).
class TimelineWatch final : public engine::StepObserver {
 public:
  // Levels are of the steps from `first_level` on.
  TimelineWatch(const engine::Engine& engine, std::uint64_t first_level, Timeline& timeline);

  void OnStep(const engine::Step& step) override;

 private:
  void SampleLevels(const engine::Load& load, engine::Instant now);
  // `given_up`: how many fewer slots are allocated than before.
  void WatchLeases(const engine::Step& step, replay::Moment now, std::int64_t given_up);
  void Reserved(const engine::Step& step, replay::Moment now);
  void Submitted(const std::string& task_id, replay::Moment now);
  void ExpireLeases(std::int64_t count, replay::Moment now);

  const engine::Engine& engine_;
  std::uint64_t first_level_;
  Timeline& timeline_;
  replay::Moment last_;
  std::int64_t allocated_;  // After the step before.
  // Open leases: by task, and by their end.
  std::map<std::string, std::size_t, std::less<>> open_;
  std::set<std::pair<engine::Instant, std::size_t>> by_end_;
};

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_TIMELINE_WATCH_H_
