#include "blockx/sim/arrivals.h"

#include <utility>

namespace blockx::sim {
namespace {

constexpr double kMicrosecondsPerSecond = 1e6;

engine::Duration Saturating(engine::Duration a, engine::Duration b) {
  return engine::AddSaturating(engine::Instant(a), b).time_since_epoch();
}

}  // namespace

void FinePosition::Advance(double microseconds) {
  const double sum = fraction_ + microseconds;
  const std::int64_t steps = sum < 0x1p63 ? static_cast<std::int64_t>(sum) : Never().whole_;
  if (__builtin_add_overflow(whole_, steps, &whole_) || is_never()) {
    *this = Never();
  } else {
    fraction_ = sum - static_cast<double>(steps);
  }
}

double FinePosition::MicrosecondsUntil(const FinePosition& later) const {
  return static_cast<double>(later.whole_ - whole_) + (later.fraction_ - fraction_);
}

ArrivalProcess::ArrivalProcess(ArrivalPattern pattern, std::uint64_t seed, std::uint64_t source)
    : pattern_(std::move(pattern)), seed_(seed), source_(source) {
  if (const auto* bursty = std::get_if<BurstyArrivals>(&pattern_)) {
    KeyedStream stream({seed_, source_, Choice::kArrivalState, stays_++});
    const double first = bursty->states[0].mean_stay_us;
    const double both = first + bursty->states[1].mean_stay_us;
    index_ = stream.NextUnit() * both <= first ? 0 : 1;
    Enter(*bursty);
  } else if (const auto* piecewise = std::get_if<PiecewiseArrivals>(&pattern_)) {
    Enter(*piecewise);
  }
}

std::optional<engine::Duration> ArrivalProcess::Next() {
  if (position_.is_never()) return std::nullopt;
  KeyedStream stream({seed_, source_, Choice::kArrivalGap, arrivals_++});
  if (const auto* poisson = std::get_if<PoissonArrivals>(&pattern_)) {
    position_.Advance(StandardExponential(stream) * kMicrosecondsPerSecond / poisson->rate);
  } else if (const auto* constant = std::get_if<ConstantArrivals>(&pattern_)) {
    position_.Advance(constant->interval_us);
  } else if (const auto* renewal = std::get_if<RenewalArrivals>(&pattern_)) {
    position_.Advance(renewal->gap_us.Sample(stream));
  } else {
    AdvanceThroughStages(StandardExponential(stream));
  }
  if (position_.is_never()) return std::nullopt;
  return position_.Nearest();
}

// Arrivals of a process with changing rates are a Poisson process of rate 1 seen through the
// integral of the rate: the next one is where the integral has grown by a standard exponential.
// Exact at every change, nothing is thinned out.
void ArrivalProcess::AdvanceThroughStages(double arrivals) {
  while (!position_.is_never()) {
    const double left_us = position_.MicrosecondsUntil(stage_.end);
    const double arrivals_in_stage = left_us * stage_.rate / kMicrosecondsPerSecond;
    if (arrivals <= arrivals_in_stage) {
      position_.Advance(arrivals * kMicrosecondsPerSecond / stage_.rate);
      // Rounding must not carry it into the next stage: time would step back at the change.
      if (position_.MicrosecondsUntil(stage_.end) < 0) position_ = stage_.end;
      return;
    }
    arrivals -= arrivals_in_stage;
    LeaveStage();
  }
}

void ArrivalProcess::LeaveStage() {
  position_ = stage_.end;
  if (position_.is_never()) return;
  if (const auto* bursty = std::get_if<BurstyArrivals>(&pattern_)) {
    index_ = 1 - index_;
    Enter(*bursty);
  } else if (const auto* piecewise = std::get_if<PiecewiseArrivals>(&pattern_)) {
    if (++index_ == piecewise->pieces.size()) {
      index_ = 0;
      cycle_start_ = Saturating(cycle_start_, *piecewise->period);
    }
    Enter(*piecewise);
  }
}

void ArrivalProcess::Enter(const BurstyArrivals& bursty) {
  KeyedStream stream({seed_, source_, Choice::kArrivalState, stays_++});
  const BurstyArrivals::State& state = bursty.states[index_];
  stage_ = {state.rate, position_};
  stage_.end.Advance(state.mean_stay_us * StandardExponential(stream));
}

void ArrivalProcess::Enter(const PiecewiseArrivals& piecewise) {
  const std::size_t next = index_ + 1;
  engine::Duration end = engine::Duration::max();
  if (next < piecewise.pieces.size()) {
    end = Saturating(cycle_start_, piecewise.pieces[next].from);
  } else if (piecewise.period) {
    end = Saturating(cycle_start_, *piecewise.period);
  }
  stage_ = {piecewise.pieces[index_].rate, FinePosition(end)};
}

}  // namespace blockx::sim
