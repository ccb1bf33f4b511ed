#include "blockx/sim/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "blockx/sim/random.h"

namespace blockx::sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How many doubles lie between two results. The reference is the C library's, itself within 1 ulp.
std::int64_t UlpsApart(double a, double b) {
  if (a == b) return 0;
  // Maps the doubles onto the integers, in order.
  const auto rank = [](double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
  };
  return std::abs(rank(a) - rank(b));
}

// Fixed points, spread evenly over [low, high].
std::vector<double> Points(double low, double high, std::uint64_t count) {
  std::vector<double> points;
  KeyedStream stream({.seed = 1, .entity = 2, .choice = Choice::kTaskShape, .n = 3});
  for (std::uint64_t i = 0; i < count; ++i)
    points.push_back(low + (high - low) * stream.NextUnit());
  return points;
}

std::uint64_t DigestOf(double (*function)(double), const std::vector<double>& points) {
  std::uint64_t digest = 0;
  for (const double x : points) {
    digest = internal::Mix(digest ^ std::bit_cast<std::uint64_t>(function(x))) + 1;
  }
  return digest;
}

TEST(MathTest, LogIsWithinTwoUlpsInEveryBinade) {
  for (const double mantissa : Points(1, 2, 500)) {
    for (int exponent = -1074; exponent < 1024; exponent += 3) {
      const double x = std::ldexp(mantissa, exponent);
      ASSERT_LE(UlpsApart(Log(x), std::log(x)), 2) << "x = " << x;
    }
  }
}

TEST(MathTest, LogIsWithinTwoUlpsAroundOne) {
  for (const double x : Points(0.5, 2, 300'000)) ASSERT_LE(UlpsApart(Log(x), std::log(x)), 2) << x;
  for (const double d : Points(-1e-3, 1e-3, 100'000)) {
    ASSERT_LE(UlpsApart(Log(1 + d), std::log(1 + d)), 2) << "x = 1 + " << d;
  }
}

TEST(MathTest, LogOfSpecialValues) {
  EXPECT_EQ(Log(1), 0);
  EXPECT_EQ(Log(0), -kInfinity);
  EXPECT_EQ(Log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(Log(-1)));
  EXPECT_TRUE(std::isnan(Log(std::nan(""))));
}

TEST(MathTest, Log1pIsWithinFourUlps) {
  for (const double x : Points(-0.999, 10, 100'000))
    ASSERT_LE(UlpsApart(Log1p(x), std::log1p(x)), 4) << x;
  for (const double x : Points(-1e-9, 1e-9, 10'000))
    ASSERT_LE(UlpsApart(Log1p(x), std::log1p(x)), 4) << x;
}

TEST(MathTest, ExpIsWithinTwoUlps) {
  for (const double x : Points(-708, 709.7, 300'000))
    ASSERT_LE(UlpsApart(Exp(x), std::exp(x)), 2) << x;
  for (const double x : Points(-1, 1, 300'000)) ASSERT_LE(UlpsApart(Exp(x), std::exp(x)), 2) << x;
}

TEST(MathTest, ExpGoesThroughTheSubnormalNumbersToZero) {
  for (const double x : Points(-745.1, -708, 50'000))
    ASSERT_LE(UlpsApart(Exp(x), std::exp(x)), 2) << x;
  EXPECT_EQ(Exp(-746), 0);
}

TEST(MathTest, ExpOfSpecialValues) {
  EXPECT_EQ(Exp(0), 1);
  EXPECT_EQ(Exp(710), kInfinity);
  EXPECT_EQ(Exp(kInfinity), kInfinity);
  EXPECT_EQ(Exp(-kInfinity), 0);
  EXPECT_TRUE(std::isnan(Exp(std::nan(""))));
}

TEST(MathTest, PowErrsByTheSizeOfItsLogarithm) {
  for (const double x : Points(1e-3, 100, 1'000)) {
    for (const double y : Points(-5, 5, 100)) {
      const double allowed = (1 + std::fabs(y * std::log(x))) * 0x1p-52;
      ASSERT_NEAR(Pow(x, y) / std::pow(x, y), 1, allowed) << x << " to the " << y;
    }
  }
  EXPECT_EQ(Pow(0, 2), 0);
  EXPECT_EQ(Pow(0, -2), kInfinity);
  EXPECT_EQ(Pow(0, 0), 1);
}

TEST(MathTest, ExpM1OverXHasNoHoleAtZero) {
  EXPECT_EQ(ExpM1OverX(0), 1);
  for (const double x : Points(-3, 3, 100'000)) {
    ASSERT_NEAR(ExpM1OverX(x) / (std::expm1(x) / x), 1, 2e-15) << x;
  }
}

TEST(MathTest, GammaFunctionHasTheKnownValues) {
  double factorial = 1;
  for (int n = 1; n <= 170; ++n) {
    EXPECT_NEAR(GammaFunction(n) / factorial, 1, 2e-13) << n;
    factorial *= n;
  }
  EXPECT_NEAR(GammaFunction(0.5), 1.7724538509055160273, 1e-14);
  EXPECT_NEAR(GammaFunction(1.0 / 3) / 2.6789385347077476337, 1, 1e-14);
  EXPECT_EQ(GammaFunction(172), kInfinity);
}

// The promise behind all recorded digests: these bits, whatever the compiler, its options and the
// processor.
TEST(MathTest, ResultsHaveTheRecordedBits) {
  EXPECT_EQ(DigestOf(Log, Points(0, 1, 100'000)), 0x58a9846b831d11e3u);
  EXPECT_EQ(DigestOf(Log, Points(1, 1e9, 100'000)), 0x96b82c05f621f7c5u);
  EXPECT_EQ(DigestOf(Log1p, Points(0, 1, 100'000)), 0xc411f2e0e316d314u);
  EXPECT_EQ(DigestOf(Exp, Points(-40, 40, 100'000)), 0x6b67c35bf069fcd9u);
  EXPECT_EQ(DigestOf(ExpM1OverX, Points(-2, 2, 100'000)), 0xdd2f360e68cd9d36u);
  EXPECT_EQ(DigestOf(GammaFunction, Points(0.01, 30, 100'000)), 0xf5396711f8b965dfu);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(Pow(1.5, 2.25)), 0x4003eb971cfb5f72u);
}

}  // namespace
}  // namespace blockx::sim
