#include "blockx/sim/arrivals.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace blockx::sim {
namespace {

using engine::Duration;
using std::chrono::hours;
using std::chrono::seconds;

constexpr std::uint64_t kSeed = 5;
constexpr std::uint64_t kSource = 1;

std::vector<std::int64_t> Take(ArrivalProcess process, std::size_t count) {
  std::vector<std::int64_t> arrivals;
  while (arrivals.size() < count) {
    const std::optional<Duration> next = process.Next();
    if (!next) break;
    arrivals.push_back(next->count());
  }
  return arrivals;
}

std::vector<std::int64_t> Take(const ArrivalPattern& pattern, std::size_t count) {
  return Take(ArrivalProcess(pattern, kSeed, kSource), count);
}

// Arrivals up to and including `end`.
std::uint64_t CountUntil(const ArrivalPattern& pattern, Duration end) {
  ArrivalProcess process(pattern, kSeed, kSource);
  std::uint64_t count = 0;
  for (auto next = process.Next(); next && *next <= end; next = process.Next()) ++count;
  return count;
}

BurstyArrivals Bursts() {
  BurstyArrivals bursts;
  bursts.states = {BurstyArrivals::State{.rate = 10, .mean_stay_us = 3e6},
                   BurstyArrivals::State{.rate = 200, .mean_stay_us = 1e6}};
  return bursts;
}

// A quiet night, a busy day.
PiecewiseArrivals Day() {
  return {.pieces = {{.from = hours(0), .rate = 0},
                     {.from = hours(8), .rate = 2},
                     {.from = hours(20), .rate = 0.5}},
          .period = hours(24)};
}

TEST(ArrivalsTest, PoissonGapsHaveTheMeanAndVarianceOfTheExponential) {
  constexpr std::size_t kCount = 500'000;
  const std::vector<std::int64_t> arrivals = Take(PoissonArrivals{.rate = 50}, kCount);
  double squares = 0;
  std::int64_t last = 0;
  for (const std::int64_t arrival : arrivals) {
    const double gap = static_cast<double>(arrival - last);
    squares += (gap - 20'000) * (gap - 20'000);
    last = arrival;
  }
  EXPECT_NEAR(static_cast<double>(last) / kCount, 20'000, 5 * 20'000 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount / 4e8, 1, 0.02);
}

TEST(ArrivalsTest, PoissonKeepsItsRateWhereGapsAreShorterThanAMicrosecond) {
  constexpr std::size_t kCount = 1'000'000;
  const std::vector<std::int64_t> arrivals = Take(PoissonArrivals{.rate = 4e6}, kCount);
  EXPECT_NEAR(static_cast<double>(arrivals.back()) / kCount, 0.25, 0.25 * 5 / std::sqrt(kCount));
}

TEST(ArrivalsTest, ConstantArrivalsNeverDrift) {
  // Three a second: the interval is no whole number of microseconds.
  ArrivalProcess process(ConstantArrivals{.interval_us = 1e6 / 3}, kSeed, kSource);
  EXPECT_EQ(process.Next(), Duration(333'333));
  EXPECT_EQ(process.Next(), Duration(666'667));
  EXPECT_EQ(process.Next(), Duration(1'000'000));
  std::optional<Duration> last;
  for (int i = 3; i < 3'000'000; ++i) last = process.Next();
  EXPECT_EQ(last, seconds(1'000'000));
}

TEST(ArrivalsTest, BurstyArrivalsHaveTheMeanRateOfTheirStates) {
  // (10 * 3 + 200 * 1) / 4 = 57.5 a second. The counts of a round of 4 s vary with the stays: the
  // standard deviation of the rate over 200,000 s is 0.5 %.
  const std::uint64_t count = CountUntil(Bursts(), seconds(200'000));
  EXPECT_NEAR(static_cast<double>(count) / 200'000, 57.5, 57.5 * 0.02);
}

TEST(ArrivalsTest, BurstyArrivalsAreMoreIrregularThanPoisson) {
  // Index of dispersion over seconds; 1 for Poisson.
  ArrivalProcess process(Bursts(), kSeed, kSource);
  std::vector<double> counts(20'000);
  for (auto next = process.Next(); next && *next < seconds(20'000); next = process.Next()) {
    ++counts[static_cast<std::size_t>(next->count() / 1'000'000)];
  }
  double mean = 0;
  for (const double count : counts) mean += count / 20'000;
  double variance = 0;
  for (const double count : counts) variance += (count - mean) * (count - mean) / 20'000;
  EXPECT_GT(variance / mean, 20);
}

TEST(ArrivalsTest, BurstyArrivalsBeginInEquilibrium) {
  // Over many sources the first 10 ms hold 0.575 arrivals on average.
  constexpr std::uint64_t kSources = 20'000;
  std::uint64_t count = 0;
  for (std::uint64_t source = 0; source < kSources; ++source) {
    ArrivalProcess process(Bursts(), kSeed, source);
    for (auto next = process.Next(); next && *next <= Duration(10'000); next = process.Next())
      ++count;
  }
  EXPECT_NEAR(static_cast<double>(count) / kSources, 0.575, 0.04);
}

TEST(ArrivalsTest, AStateMayBeSilent) {
  BurstyArrivals bursts;
  bursts.states = {BurstyArrivals::State{.rate = 0, .mean_stay_us = 1e6},
                   BurstyArrivals::State{.rate = 100, .mean_stay_us = 1e6}};
  EXPECT_NEAR(static_cast<double>(CountUntil(bursts, seconds(50'000))) / 50'000, 50, 1.5);
}

TEST(ArrivalsTest, EveryPieceOfTheDayHasItsRate) {
  constexpr std::int64_t kDays = 30;
  constexpr std::int64_t kHour = 3'600'000'000;
  std::array<double, 24> by_hour{};
  ArrivalProcess process(Day(), kSeed, kSource);
  for (auto next = process.Next(); next && *next < hours(24 * kDays); next = process.Next()) {
    ++by_hour[static_cast<std::size_t>(next->count() / kHour % 24)];
  }
  for (std::size_t hour = 0; hour < 24; ++hour) {
    const double rate = hour < 8 ? 0 : hour < 20 ? 2 : 0.5;
    const double expected = rate * 3600 * kDays;
    EXPECT_NEAR(by_hour[hour], expected, 5 * std::sqrt(expected)) << "hour " << hour;
  }
}

TEST(ArrivalsTest, TheLastPieceHoldsForEverWithoutAPeriod) {
  PiecewiseArrivals pieces = Day();
  pieces.period.reset();
  const double expected = 12 * 3600 * 2 + 1000 * 3600 * 0.5;
  EXPECT_NEAR(static_cast<double>(CountUntil(pieces, hours(1020))), expected,
              5 * std::sqrt(expected));
}

TEST(ArrivalsTest, ALastPieceWithoutArrivalsEndsTheProcess) {
  const PiecewiseArrivals pieces{
      .pieces = {{.from = seconds(0), .rate = 100}, {.from = seconds(10), .rate = 0}},
      .period = std::nullopt};
  ArrivalProcess process(pieces, kSeed, kSource);
  std::optional<Duration> last;
  int count = 0;
  for (auto next = process.Next(); next; next = process.Next()) {
    last = next;
    ++count;
  }
  EXPECT_NEAR(count, 1000, 160);
  EXPECT_LE(*last, seconds(10));
  EXPECT_EQ(process.Next(), std::nullopt);
}

TEST(ArrivalsTest, OnePieceIsThePoissonProcess) {
  const PiecewiseArrivals piece{.pieces = {{.from = seconds(0), .rate = 50}}, .period = seconds(7)};
  const std::vector<std::int64_t> plain = Take(PoissonArrivals{.rate = 50}, 10'000);
  const std::vector<std::int64_t> pieces = Take(piece, 10'000);
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(plain[i], pieces[i], 1) << i;
}

TEST(ArrivalsTest, RenewalGapsComeFromTheDistribution) {
  constexpr std::size_t kCount = 200'000;
  const RenewalArrivals renewal{.gap_us = Distribution(Gamma{1000, 4})};
  const std::vector<std::int64_t> arrivals = Take(renewal, kCount);
  EXPECT_NEAR(static_cast<double>(arrivals.back()) / kCount, 1000, 5 * 500 / std::sqrt(kCount));
}

TEST(ArrivalsTest, ArrivalsNeverGoBack) {
  BurstyArrivals flicker;
  flicker.states = {BurstyArrivals::State{.rate = 1e6, .mean_stay_us = 2},
                    BurstyArrivals::State{.rate = 1e4, .mean_stay_us = 3}};
  for (const ArrivalPattern& pattern : std::vector<ArrivalPattern>{flicker, Bursts(), Day()}) {
    std::int64_t last = 0;
    for (const std::int64_t arrival : Take(pattern, 100'000)) {
      ASSERT_GE(arrival, last);
      last = arrival;
    }
  }
}

TEST(ArrivalsTest, AnotherRateGivesTheSameArrivalsAtAnotherSpeed) {
  const std::vector<std::int64_t> slow = Take(PoissonArrivals{.rate = 10}, 1000);
  const std::vector<std::int64_t> fast = Take(PoissonArrivals{.rate = 20}, 1000);
  for (std::size_t i = 0; i < slow.size(); ++i) ASSERT_NEAR(slow[i], 2 * fast[i], 2);
}

TEST(ArrivalsTest, SourcesAndSeedsAreIndependent) {
  const std::vector<std::int64_t> here =
      Take(ArrivalProcess(PoissonArrivals{.rate = 1}, 1, 1), 100);
  EXPECT_NE(here, Take(ArrivalProcess(PoissonArrivals{.rate = 1}, 1, 2), 100));
  EXPECT_NE(here, Take(ArrivalProcess(PoissonArrivals{.rate = 1}, 2, 1), 100));
}

TEST(ArrivalsTest, ACopyGoesOnWithTheSameArrivals) {
  for (const ArrivalPattern& pattern :
       std::vector<ArrivalPattern>{PoissonArrivals{.rate = 3}, Bursts(), Day()}) {
    ArrivalProcess original(pattern, kSeed, kSource);
    for (int i = 0; i < 100; ++i) (void)original.Next();
    const ArrivalProcess copy = original;
    EXPECT_EQ(Take(copy, 1000), Take(original, 1000));
  }
}

TEST(ArrivalsTest, ArrivalsEndWhereTimeEnds) {
  ArrivalProcess process(ConstantArrivals{.interval_us = 4e18}, kSeed, kSource);
  EXPECT_EQ(process.Next(), Duration(4'000'000'000'000'000'000));
  EXPECT_EQ(process.Next(), Duration(8'000'000'000'000'000'000));
  EXPECT_EQ(process.Next(), std::nullopt);
  EXPECT_EQ(process.Next(), std::nullopt);
}

TEST(ArrivalsTest, AProblemNamesTheParameterTheValueAndWhatWasExpected) {
  BurstyArrivals silent = Bursts();
  silent.states[0].rate = silent.states[1].rate = 0;
  BurstyArrivals fleeting = Bursts();
  fleeting.states[1].mean_stay_us = 0;
  PiecewiseArrivals late = Day();
  late.pieces[0].from = hours(1);
  PiecewiseArrivals unordered = Day();
  unordered.pieces[2].from = hours(8);
  PiecewiseArrivals negative = Day();
  negative.pieces[1].rate = -2;
  PiecewiseArrivals short_period = Day();
  short_period.period = hours(20);
  PiecewiseArrivals quiet = Day();
  for (auto& piece : quiet.pieces) piece.rate = 0;
  const std::vector<std::pair<ArrivalPattern, std::string>> cases = {
      {PoissonArrivals{}, "rate is 0, expected a finite number above 0"},
      {ConstantArrivals{.interval_us = -1}, "interval is -1, expected a finite number above 0"},
      {silent,
       "mean number of arrivals in each round through both states is 0, expected at least 1e-06: "
       "raise a rate or make it "
       "longer"},
      {fleeting, "mean stay of state 1 is 0, expected a finite number above 0"},
      {PiecewiseArrivals{}, "there are no pieces, expected at least one"},
      {late, "start of piece 0 is 3600 s, expected 0 s"},
      {unordered, "start of piece 2 is 28800 s, expected more than the start of piece 1 (28800 s)"},
      {negative, "rate of piece 1 is -2, expected a finite number of at least 0"},
      {short_period, "period is 72000 s, expected more than the start of piece 2 (72000 s)"},
      {quiet,
       "mean number of arrivals in each period is 0, expected at least 1e-06: raise a rate or make "
       "it longer"},
      {RenewalArrivals{.gap_us = Distribution(Exponential{-1})},
       "gap: mean is -1, expected a finite number of at least 0"},
      {RenewalArrivals{.gap_us = Distribution(Constant{0})}, "mean gap is 0, expected more than 0"},
  };
  for (const auto& [pattern, text] : cases) EXPECT_EQ(ProblemOf(pattern), text);
  EXPECT_EQ(ProblemOf(Bursts()), std::nullopt);
  EXPECT_EQ(ProblemOf(Day()), std::nullopt);
}

// The promise behind all recorded digests: these instants, whatever the compiler, its options and
// the processor.
TEST(ArrivalsTest, ArrivalsAreTheRecordedOnes) {
  const std::vector<ArrivalPattern> patterns = {
      PoissonArrivals{.rate = 50}, ConstantArrivals{.interval_us = 1e6 / 7}, Bursts(), Day(),
      RenewalArrivals{.gap_us = Distribution(Weibull{500, 0.7})}};
  const std::vector<std::uint64_t> recorded = {0x300f4118b64820e1, 0x8d63d6351c812e8b,
                                               0xf3cf7b6e95b659e2, 0x3d96db048f91c6d1,
                                               0x95131e0af1fe75e0};
  std::vector<std::uint64_t> found;
  for (const ArrivalPattern& pattern : patterns) {
    std::uint64_t digest = 0;
    for (const std::int64_t arrival : Take(pattern, 100'000)) {
      digest = internal::Mix(digest ^ static_cast<std::uint64_t>(arrival)) + 1;
    }
    found.push_back(digest);
  }
  EXPECT_EQ(found, recorded);
}

}  // namespace
}  // namespace blockx::sim
