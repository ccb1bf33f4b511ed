#include "blockx/sim/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "blockx/sim/random.h"

namespace blockx::sim {
namespace {

using engine::Duration;
using engine::Microseconds;

// Durations of all magnitudes, from 0 to 2^62 us.
std::vector<std::int64_t> Values(std::uint64_t count) {
  std::vector<std::int64_t> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    KeyedStream stream({1, 2, Choice::kTaskShape, i});
    values.push_back(static_cast<std::int64_t>((stream.NextWord() >> 2) >> stream.Below(62)));
  }
  return values;
}

Histogram HistogramOf(const std::vector<std::int64_t>& values) {
  Histogram histogram;
  for (const std::int64_t value : values) histogram.Add(Microseconds(value));
  return histogram;
}

TEST(HistogramTest, AnEmptyOneHasNoAnswers) {
  const Histogram empty;
  EXPECT_EQ(empty.count(), 0u);
  EXPECT_EQ(empty.Quantile(1, 2), std::nullopt);
  EXPECT_EQ(empty.Min(), std::nullopt);
  EXPECT_EQ(empty.Max(), std::nullopt);
  EXPECT_EQ(empty.Mean(), std::nullopt);
}

TEST(HistogramTest, QuantilesOfSmallValuesAreExactNearestRanks) {
  Histogram histogram;
  for (std::int64_t value = 1; value <= 100; ++value) histogram.Add(Microseconds(value));
  EXPECT_EQ(histogram.Quantile(0, 100), Microseconds(1));
  EXPECT_EQ(histogram.Quantile(1, 100), Microseconds(1));
  EXPECT_EQ(histogram.Quantile(7, 100), Microseconds(7));
  EXPECT_EQ(histogram.Quantile(71, 1000), Microseconds(8));
  EXPECT_EQ(histogram.Quantile(99, 100), Microseconds(99));
  EXPECT_EQ(histogram.Quantile(999, 1000), Microseconds(100));
  EXPECT_EQ(histogram.Quantile(1, 1), Microseconds(100));
}

TEST(HistogramTest, QuantilesAreNeverBelowTheNearestRankAndAtMostOneIn256Above) {
  std::vector<std::int64_t> values = Values(10'001);
  const Histogram histogram = HistogramOf(values);
  std::ranges::sort(values);
  for (std::uint64_t thousandth = 1; thousandth <= 1000; ++thousandth) {
    const std::uint64_t rank = (values.size() * thousandth + 999) / 1000;
    const std::int64_t exact = values[rank - 1];
    const std::int64_t found = histogram.Quantile(thousandth, 1000)->count();
    ASSERT_GE(found, exact) << thousandth;
    ASSERT_LE(found - exact, exact / 256) << thousandth;
  }
}

TEST(HistogramTest, QuantilesStayWithinMinAndMax) {
  Histogram histogram;
  histogram.Add(Microseconds(1'000'001));
  histogram.Add(Microseconds(1'000'001));
  EXPECT_EQ(histogram.Quantile(1, 2), Microseconds(1'000'001));
}

TEST(HistogramTest, TheLongestDurationHasABucket) {
  Histogram histogram;
  histogram.Add(Duration::max());
  histogram.Add(Duration::zero());
  EXPECT_EQ(histogram.Quantile(1, 1), Duration::max());
  EXPECT_EQ(histogram.Quantile(1, 2), Duration::zero());
}

TEST(HistogramTest, ADurationBelowZeroCountsAsZero) {
  Histogram histogram;
  histogram.Add(Microseconds(-5));
  EXPECT_EQ(histogram.Max(), Duration::zero());
}

TEST(HistogramTest, MeanMinAndMaxAreExact) {
  Histogram histogram;
  for (int i = 0; i < 3; ++i) histogram.Add(Duration::max());
  histogram.Add(Duration::max() - Microseconds(4096));
  EXPECT_DOUBLE_EQ(*histogram.Mean(), 0x1p63 - 1024);
  EXPECT_EQ(histogram.Min(), Duration::max() - Microseconds(4096));
  EXPECT_EQ(histogram.Max(), Duration::max());
}

TEST(HistogramTest, MergedPartsAnswerLikeTheWhole) {
  const std::vector<std::int64_t> values = Values(3'000);
  const Histogram whole = HistogramOf(values);
  Histogram merged = HistogramOf({values.begin(), values.begin() + 10});
  merged.Merge(HistogramOf({values.begin() + 10, values.end()}));
  merged.Merge(Histogram());
  EXPECT_EQ(merged.count(), whole.count());
  EXPECT_EQ(merged.Min(), whole.Min());
  EXPECT_EQ(merged.Max(), whole.Max());
  EXPECT_EQ(merged.Mean(), whole.Mean());
  for (std::uint64_t percent = 0; percent <= 100; ++percent) {
    EXPECT_EQ(merged.Quantile(percent, 100), whole.Quantile(percent, 100)) << percent;
  }
}

}  // namespace
}  // namespace blockx::sim
