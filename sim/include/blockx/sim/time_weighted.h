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
      : level_(level), last_(start), moment_(Product(level, start)), max_(level) {
    window_ = {start, level, 0};
  }

  // The level is `level` from `now` on. Several settings at one instant: the last one stays, all of
  // them count for max().
  void Set(engine::Instant now, std::int64_t level) {
    last_ = std::max(last_, now);
    moment_ += Product(level - level_, last_);
    level_ = level;
    max_ = std::max(max_, level);
  }
  void Add(engine::Instant now, std::int64_t change) { Set(now, level_ + change); }

  // Forgets what was before `now` (the warm-up); the level stays.
  void ResetAt(engine::Instant now) {
    last_ = std::max(last_, now);
    window_ = ReadAt(last_);
    max_ = level_;
  }

  [[nodiscard]] std::int64_t level() const { return level_; }
  [[nodiscard]] std::int64_t max() const { return max_; }  // Since the start or the last reset.

  [[nodiscard]] Reading ReadAt(engine::Instant now) const {
    const engine::Instant at = std::max(now, last_);
    return {at, level_, Product(level_, at) - moment_};
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
  // 128 bits: neither a product nor the distance of two instants need fit 64.
  static __int128 Product(std::int64_t level, engine::Instant at) {
    return static_cast<__int128>(level) * engine::ToMicroseconds(at);
  }
  static __int128 Width(engine::Instant from, engine::Instant to) {
    return static_cast<__int128>(engine::ToMicroseconds(to)) - engine::ToMicroseconds(from);
  }

  std::int64_t level_ = 0;
  engine::Instant last_;  // The last instant of all.
  // The sum of change times instant over all changes, the first level among them. Summed by parts,
  // the integral up to t is level_ * t - moment_: one product a change.
  __int128 moment_ = 0;
  Reading window_;  // Where the mean begins.
  std::int64_t max_ = 0;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_TIME_WEIGHTED_H_
