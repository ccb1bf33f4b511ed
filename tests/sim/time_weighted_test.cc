#include "blockx/sim/time_weighted.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace blockx::sim {
namespace {

using engine::AtMicroseconds;
using engine::Instant;

TEST(TimeWeightedTest, MeanWeighsEachLevelByItsTime) {
  TimeWeighted busy(AtMicroseconds(100));
  busy.Set(AtMicroseconds(110), 4);
  busy.Add(AtMicroseconds(130), -3);
  EXPECT_EQ(busy.level(), 1);
  // 10 at 0, 20 at 4, 10 at 1.
  EXPECT_DOUBLE_EQ(busy.Mean(AtMicroseconds(140)), 90.0 / 40);
}

TEST(TimeWeightedTest, MaxIsTheHighestLevelEvenIfItLastedNoTime) {
  TimeWeighted busy(AtMicroseconds(0));
  busy.Set(AtMicroseconds(5), 9);
  busy.Set(AtMicroseconds(5), 2);
  EXPECT_EQ(busy.max(), 9);
  EXPECT_DOUBLE_EQ(busy.Mean(AtMicroseconds(10)), 1);
}

TEST(TimeWeightedTest, ResetForgetsThePastAndKeepsTheLevel) {
  TimeWeighted busy(AtMicroseconds(0), 100);
  busy.Set(AtMicroseconds(10), 2);
  busy.ResetAt(AtMicroseconds(20));
  EXPECT_EQ(busy.max(), 2);
  EXPECT_DOUBLE_EQ(busy.Mean(AtMicroseconds(50)), 2);
  busy.Set(AtMicroseconds(30), 6);
  EXPECT_DOUBLE_EQ(busy.Mean(AtMicroseconds(40)), 4);
}

TEST(TimeWeightedTest, TwoReadingsGiveTheMeanInBetween) {
  TimeWeighted busy(AtMicroseconds(0), 1);
  const auto early = busy.ReadAt(AtMicroseconds(10));
  busy.Set(AtMicroseconds(15), 3);
  const auto late = busy.ReadAt(AtMicroseconds(20));
  EXPECT_DOUBLE_EQ(TimeWeighted::Mean(early, late), 2);
  EXPECT_DOUBLE_EQ(busy.Mean(AtMicroseconds(20)), 1.5);
}

TEST(TimeWeightedTest, AnEmptyWindowHasTheLevelAsItsMean) {
  const TimeWeighted busy(AtMicroseconds(7), 5);
  EXPECT_DOUBLE_EQ(busy.Mean(AtMicroseconds(7)), 5);
}

TEST(TimeWeightedTest, AnEarlierInstantCountsAsTheLastOne) {
  TimeWeighted busy(AtMicroseconds(10), 1);
  busy.Set(AtMicroseconds(20), 2);
  busy.Set(AtMicroseconds(15), 3);
  EXPECT_DOUBLE_EQ(busy.Mean(AtMicroseconds(30)), (10 * 1 + 10 * 3) / 20.0);
}

TEST(TimeWeightedTest, TheIntegralHoldsTheLargestLevelOverTheLongestTime) {
  const TimeWeighted busy(Instant::min(), INT64_MAX);
  EXPECT_DOUBLE_EQ(busy.Mean(Instant::max()), static_cast<double>(INT64_MAX));
}

}  // namespace
}  // namespace blockx::sim
