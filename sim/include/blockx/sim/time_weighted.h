#ifndef BLOCKX_SIM_TIME_WEIGHTED_H_
#define BLOCKX_SIM_TIME_WEIGHTED_H_

#include <algorithm>
#include <cstdint>

#include "blockx/engine/time.h"

namespace blockx::sim {

// An integer level over virtual time (busy slots, tasks in a queue) and its exact integral. An
// instant before the last one counts as the last one.
class TimeWeighted {
 public:
  // Where the integral stood at an instant; two of them give the mean in between.
  struct Reading {
    engine::Instant at{};
    std::int64_t level = 0;
    __int128 integral = 0;  // Level times microseconds.
  };

  explicit TimeWeighted(engine::Instant start, std::int64_t level = 0)
      : level_(level), last_(start), window_{start, level, 0}, max_(level) {}

  // The level is `level` from `now` on. Several settings at one instant: the last one stays, all of
  // them count for max().
  void Set(engine::Instant now, std::int64_t level) {
    AdvanceTo(now);
    level_ = level;
    max_ = std::max(max_, level);
  }
  void Add(engine::Instant now, std::int64_t change) { Set(now, level_ + change); }

  // Forgets what was before `now` (the warm-up); the level stays.
  void ResetAt(engine::Instant now) {
    AdvanceTo(now);
    window_ = {last_, level_, integral_};
    max_ = level_;
  }

  [[nodiscard]] std::int64_t level() const { return level_; }
  [[nodiscard]] std::int64_t max() const { return max_; }  // Since the start or the last reset.

  [[nodiscard]] Reading ReadAt(engine::Instant now) const {
    const engine::Instant at = std::max(now, last_);
    return {at, level_, integral_ + Area(at)};
  }

  // From the start or the last reset to `now`.
  [[nodiscard]] double Mean(engine::Instant now) const { return Mean(window_, ReadAt(now)); }

  // Over any window: two readings of the same object, the earlier first. An empty window has the
  // level as its mean.
  [[nodiscard]] static double Mean(const Reading& from, const Reading& to) {
    if (to.at <= from.at) return static_cast<double>(to.level);
    return static_cast<double>(to.integral - from.integral) /
           static_cast<double>(Width(from.at, to.at));
  }

 private:
  // 128 bits: the distance of two instants need not fit 64.
  static __int128 Width(engine::Instant from, engine::Instant to) {
    return static_cast<__int128>(engine::ToMicroseconds(to)) - engine::ToMicroseconds(from);
  }
  [[nodiscard]] __int128 Area(engine::Instant to) const { return level_ * Width(last_, to); }

  void AdvanceTo(engine::Instant now) {
    if (now <= last_) return;
    integral_ += Area(now);
    last_ = now;
  }

  std::int64_t level_ = 0;
  engine::Instant last_;   // Since then the level is level_.
  __int128 integral_ = 0;  // From the start to last_.
  Reading window_;         // Where the mean begins.
  std::int64_t max_ = 0;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_TIME_WEIGHTED_H_
