#ifndef BLOCKX_ENGINE_TIME_H_
#define BLOCKX_ENGINE_TIME_H_

#include <chrono>
#include <cstdint>

namespace blockx::engine {

// The engine's time line: microseconds since the Unix epoch, 64-bit (R-TIME-1). It has no now(), on
// purpose: whoever drives the engine brings the time.
struct EngineClock {
  using rep = std::int64_t;
  using period = std::micro;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<EngineClock>;
  static constexpr bool is_steady = true;
};

using Duration = EngineClock::duration;
using Instant = EngineClock::time_point;

// Stands for "has not happened" and "no lease" where an instant is kept for a long time and an
// optional would cost memory.
inline constexpr Instant kNever = Instant::min();

constexpr Duration Microseconds(std::int64_t count) { return Duration(count); }
constexpr Instant AtMicroseconds(std::int64_t since_epoch) {
  return Instant(Duration(since_epoch));
}
constexpr std::int64_t ToMicroseconds(Instant t) { return t.time_since_epoch().count(); }

// Milliseconds of the configuration and of the public protocol, brought inside. Saturates
// (R-TIME-3).
constexpr Duration Milliseconds(std::int64_t count) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(count, std::int64_t{1000}, &product)) return Duration(product);
  return count < 0 ? Duration::min() : Duration::max();
}

// No input can overflow an instant (R-TIME-3).
constexpr Instant AddSaturating(Instant t, Duration d) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(t.time_since_epoch().count(), d.count(), &sum))
    return Instant(Duration(sum));
  return d < Duration::zero() ? Instant::min() : Instant::max();
}

// later - earlier, saturating.
constexpr Duration Elapsed(Instant earlier, Instant later) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(later.time_since_epoch().count(), earlier.time_since_epoch().count(),
                              &difference)) {
    return Duration(difference);
  }
  return later < earlier ? Duration::min() : Duration::max();
}

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_TIME_H_
