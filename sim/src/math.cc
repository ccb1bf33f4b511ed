#include "blockx/sim/math.h"

#include <bit>
#include <cstdint>
#include <limits>

namespace blockx::sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ln 2 = kLn2High + kLn2Low. The high part has 42 significant bits, so its product with any
// exponent is exact.
constexpr double kLn2High = 0x1.62e42fefa38p-1;
constexpr double kLn2Low = 0x1.ef35793c7673p-45;
constexpr double kOneOverLn2 = 0x1.71547652b82fep+0;

constexpr std::uint64_t kRootHalfBits = 0x3fe6a09e667f3bcd;  // The square root of 1/2.
constexpr std::uint64_t kSmallestNormalBits = 0x0010000000000000;
constexpr std::uint64_t kInfinityBits = 0x7ff0000000000000;

// 2^exponent for -1022 <= exponent <= 1023.
double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// The terms of 2 atanh(s) / s - 2 = 2/3 z + 2/5 z^2 + ..., z = s^2 <= 0.0295: what is cut off is
// below 1e-18. Summed in pairs instead of one long chain, because each link of a chain waits for
// the one before.
double AtanhTail(double z) {
  const double z2 = z * z;
  const double z4 = z2 * z2;
  const double a = (2.0 / 3) + (2.0 / 5) * z;
  const double b = (2.0 / 7) + (2.0 / 9) * z;
  const double c = (2.0 / 11) + (2.0 / 13) * z;
  const double d = (2.0 / 15) + (2.0 / 17) * z;
  const double e = (2.0 / 19) + (2.0 / 21) * z;
  return z * ((a + z2 * b) + z4 * ((c + z2 * d) + z4 * e));
}

// (e^r - 1 - r) / r^2 for |r| <= 0.347: Taylor's series up to r^11 / 13!; what is cut off is below
// 1e-17 of e^r.
double ExpTail(double r) {
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double a = (1.0 / 2) + (1.0 / 6) * r;
  const double b = (1.0 / 24) + (1.0 / 120) * r;
  const double c = (1.0 / 720) + (1.0 / 5040) * r;
  const double d = (1.0 / 40320) + (1.0 / 362880) * r;
  const double e = (1.0 / 3628800) + (1.0 / 39916800) * r;
  const double f = (1.0 / 479001600) + (1.0 / 6227020800.0) * r;
  return (a + r2 * b) + r4 * ((c + r2 * d) + r4 * (e + r2 * f));
}

}  // namespace

double Log(double x) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  std::int64_t exponent = 0;
  if (bits - kSmallestNormalBits >= kInfinityBits - kSmallestNormalBits) {
    if (x == 0) return -kInfinity;
    if (!(x > 0)) return kNan;
    if (x == kInfinity) return x;
    bits = std::bit_cast<std::uint64_t>(x * 0x1p54);  // Subnormal: lifted into the normal numbers.
    exponent = -54;
  }
  // x = 2^exponent * (1 + f) with 1 + f between the roots of 1/2 and 2.
  const std::int64_t shift = static_cast<std::int64_t>(bits - kRootHalfBits) >> 52;
  exponent += shift;
  const double f = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(shift) << 52)) - 1.0;
  // log(1 + f) = 2 atanh(s) with s = f / (2 + f); and 2s = f - s f, in which f is exact.
  const double s = f / (2.0 + f);
  const double correction = s * (f - AtanhTail(s * s));
  const double k = static_cast<double>(exponent);
  return k * kLn2High - ((correction - k * kLn2Low) - f);
}

double Log1p(double x) {
  // 1 + x is rounded; the quotient takes the same rounding out of its logarithm (Goldberg, "What
  // every computer scientist should know about floating-point arithmetic", theorem 4).
  const double rounded = 1.0 + x;
  if (rounded == 1.0) return x;
  if (rounded == kInfinity) return rounded;
  return x * (Log(rounded) / (rounded - 1.0));
}

double Exp(double x) {
  if (!(x <= 709.8)) return x > 0 ? kInfinity : kNan;
  if (x < -745.2) return 0;
  // x = k ln 2 + r with |r| <= (ln 2) / 2.
  const int k = static_cast<int>(x * kOneOverLn2 + (x < 0 ? -0.5 : 0.5));
  const double high = x - k * kLn2High;
  const double low = k * kLn2Low;
  const double r = high - low;
  const double lost = (high - r) - low;
  const double y = 1.0 + (r + (r * r * ExpTail(r) + lost));
  // Two exact steps and one rounding, also where the result is subnormal or y < 1 saves it from
  // overflow.
  const int half = k / 2;
  return y * PowerOfTwo(half) * PowerOfTwo(k - half);
}

double Pow(double x, double y) {
  if (y == 0) return 1;
  return Exp(y * Log(x));
}

double ExpM1OverX(double x) {
  if (x > -0.3 && x < 0.3) return 1.0 + x * ExpTail(x);
  return (Exp(x) - 1.0) / x;
}

double GammaFunction(double x) {
  // Stirling's series (Abramowitz and Stegun 6.1.41) at an argument large enough for six terms, and
  // from there down by gamma(x + 1) = x gamma(x).
  double lifted = x;
  double divisor = 1;
  while (lifted < 13) {
    divisor *= lifted;
    lifted += 1;
  }
  const double inverse = 1.0 / lifted;
  const double z = inverse * inverse;
  const double series =
      inverse * (1.0 / 12 - z * (1.0 / 360 -
                                 z * (1.0 / 1260 -
                                      z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360))))));
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  const double logarithm = (lifted - 0.5) * Log(lifted) - lifted + kHalfLogTwoPi + series;
  return Exp(logarithm) / divisor;
}

}  // namespace blockx::sim
