#ifndef BLOCKX_SIM_ARRIVALS_H_
#define BLOCKX_SIM_ARRIVALS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "blockx/engine/time.h"
#include "blockx/sim/distribution.h"
#include "blockx/sim/random.h"

namespace blockx::sim {

// How the tasks of one source come in. Rates are arrivals per second.

// Independent exponential gaps.
struct PoissonArrivals {
  double rate = 0;
};

// One arrival each interval, the first one interval after the start.
struct ConstantArrivals {
  double interval_us = 0;
};

// A Poisson process whose rate jumps between two values (two-state MMPP). Each stay in a state is
// exponential. It begins in equilibrium: in state i with probability mean_stay_us[i] / sum, so the
// mean rate holds from the start.
struct BurstyArrivals {
  struct State {
    double rate = 0;
    double mean_stay_us = 0;
  };
  std::array<State, 2> states;
};

// A Poisson process whose rate is a step function of time: each piece holds until the next one
// begins, the last for ever or, with a period, until the pattern starts again. The first piece
// begins at zero.
struct PiecewiseArrivals {
  struct Piece {
    engine::Duration from{};
    double rate = 0;
  };
  std::vector<Piece> pieces;
  std::optional<engine::Duration> period;
};

// Independent gaps of any distribution, in microseconds.
struct RenewalArrivals {
  Distribution gap_us;
};

using ArrivalPattern = std::variant<PoissonArrivals, ConstantArrivals, BurstyArrivals,
                                    PiecewiseArrivals, RenewalArrivals>;

// What is wrong with the parameters, in words, the first fault only; valid: nullopt.
std::optional<std::string> ProblemOf(const ArrivalPattern& pattern);

// A point on the source's time line, in microseconds, finer than the engine's. Summing rounded gaps
// would shift the mean rate (by 4 % at one arrival a microsecond), summing doubles would lose
// digits as time goes on; this does neither.
class FinePosition {
 public:
  // Beyond all instants: what saturates ends here.
  static constexpr FinePosition Never() { return FinePosition(engine::Duration::max()); }

  constexpr FinePosition() = default;
  constexpr explicit FinePosition(engine::Duration at) : whole_(at.count()) {}

  [[nodiscard]] bool is_never() const { return whole_ == std::numeric_limits<std::int64_t>::max(); }

  void Advance(double microseconds);  // Precondition: microseconds >= 0.
  [[nodiscard]] double MicrosecondsUntil(const FinePosition& later) const;
  [[nodiscard]] engine::Duration Nearest() const {
    return engine::Duration(whole_ + (fraction_ >= 0.5 ? 1 : 0));
  }

 private:
  // Invariant: 0 <= fraction_ < 1; 0 for Never().
  std::int64_t whole_ = 0;
  double fraction_ = 0;
};

// The arrivals of one source, one after the other. A value: a copy goes on by itself with the same
// arrivals. The n-th gap is keyed by (seed, source, n), so nothing else in a scenario changes it;
// with another rate the same arrivals come faster or slower, with another pattern of rates the same
// ones are bent in time.
class ArrivalProcess {
 public:
  // Precondition: ProblemOf(pattern) found nothing.
  ArrivalProcess(ArrivalPattern pattern, std::uint64_t seed, std::uint64_t source);

  // The next arrival, since the source's start, rounded to the nearest microsecond; never before
  // the last one. Nullopt, then and ever after: none will come before the end of time.
  [[nodiscard]] std::optional<engine::Duration> Next();

 private:
  // A stretch of time with one rate.
  struct Stage {
    double rate = 0;
    FinePosition end;
  };

  void Enter(const BurstyArrivals& bursty);
  void Enter(const PiecewiseArrivals& piecewise);
  void LeaveStage();
  void AdvanceThroughStages(double arrivals);

  ArrivalPattern pattern_;
  std::uint64_t seed_ = 0;
  std::uint64_t source_ = 0;
  std::uint64_t arrivals_ = 0;  // Keys drawn so far.
  FinePosition position_;       // Of the last arrival.

  // For the patterns with changing rates. Invariant: position_ is in stage_.
  Stage stage_;
  std::size_t index_ = 0;           // State or piece of stage_.
  std::uint64_t stays_ = 0;         // States of a bursty process entered so far.
  engine::Duration cycle_start_{};  // Where the piecewise pattern last began.
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_ARRIVALS_H_
