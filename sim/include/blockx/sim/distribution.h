#ifndef BLOCKX_SIM_DISTRIBUTION_H_
#define BLOCKX_SIM_DISTRIBUTION_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "blockx/engine/time.h"
#include "blockx/sim/random.h"

namespace blockx::sim {

// The shapes a random quantity can have. All are distributions of values >= 0: durations (in
// microseconds wherever the simulator asks for one), sizes, counts. Moments in the comments: mean;
// variance.

// value; 0.
struct Constant {
  double value = 0;
};

// On (low, high]. (low + high) / 2; (high - low)^2 / 12.
struct Uniform {
  double low = 0;
  double high = 0;
};

// mean; mean^2.
struct Exponential {
  double mean = 0;
};

// Its logarithm is normal with mean ln(median) and standard deviation sigma.
// m = median e^(sigma^2 / 2); m^2 (e^(sigma^2) - 1).
struct LogNormal {
  double median = 0;
  double sigma = 0;
};

// The log-normal with that mean and coefficient of variation (standard deviation / mean).
LogNormal LogNormalWithMean(double mean, double coefficient_of_variation);

// P(X > x) = (minimum / x)^shape; with a finite maximum the same law on condition of X <= maximum
// (nothing piles up at the maximum). Without maximum: shape minimum / (shape - 1), infinite for
// shape <= 1; variance infinite for shape <= 2.
struct Pareto {
  double minimum = 0;
  double shape = 0;
  double maximum = std::numeric_limits<double>::infinity();
};

// P(X > x) = exp(-(x / scale)^shape). scale gamma(1 + 1/shape); scale^2 gamma(1 + 2/shape) -
// mean^2.
struct Weibull {
  double scale = 0;
  double shape = 0;
};

// mean; mean^2 / shape. Shape k is the sum of k exponentials (Erlang) for integer k.
struct Gamma {
  double mean = 0;
  double shape = 0;
};

// Given by quantiles, linear in between. The first p is 0, the last is 1; p and value never fall.
// Equal values with different p are an atom of that weight; equal p with different values are a gap
// in which no value lies.
struct Empirical {
  struct Quantile {
    double p = 0;
    double value = 0;
  };
  std::vector<Quantile> quantiles;
};

// The sorted samples at equal steps of p, from 0 (the smallest) to 1 (the largest); their order
// does not matter.
Empirical EmpiricalFromSamples(std::vector<double> samples);

// One of the branches, each with a probability in proportion to its weight. For a choice among
// plain values the branches are constants. Sampling walks the branches: meant for a handful of
// them.
struct MixBranch;
struct Mix {
  std::vector<MixBranch> branches;
};

// A distribution by value. Sample() depends on its parameters and on the key of the stream alone.
class Distribution {
 public:
  using Shape = std::variant<Constant, Uniform, Exponential, LogNormal, Pareto, Weibull, Gamma,
                             Empirical, Mix>;

  Distribution() = default;  // The constant 0.
  // Any parameters are taken; whoever got them from outside asks Problem() before the first
  // Sample().
  Distribution(Shape shape);  // NOLINT(google-explicit-constructor): a shape is a distribution.

  // What is wrong with the parameters, in words, the first fault only; valid: nullopt. Everything
  // below is meaningful for valid parameters only.
  [[nodiscard]] std::optional<std::string> Problem() const;

  // A value >= 0, from a fresh stream. With the same key a larger mean, median, scale or minimum
  // gives a value larger in proportion: variants of a scenario that differ in these see the same
  // luck.
  [[nodiscard]] double Sample(KeyedStream& stream) const {
    if (const auto* constant = std::get_if<Constant>(&shape_)) return constant->value;
    return SampleRandom(stream);
  }

  [[nodiscard]] double Mean() const;      // Infinity where there is none.
  [[nodiscard]] double Variance() const;  // Infinity where there is none.

  [[nodiscard]] const Shape& shape() const { return shape_; }

 private:
  [[nodiscard]] double SampleRandom(KeyedStream& stream) const;

  Shape shape_;
};

struct MixBranch {
  double weight = 0;
  Distribution value;
};

// Exponential with mean 1.
double StandardExponential(KeyedStream& stream);

// Normal with mean 0 and standard deviation 1.
double StandardNormal(KeyedStream& stream);

// The one way from a sampled value to the engine's time: the nearest microsecond, halves upwards.
// Below zero (and NaN) gives zero, values beyond the 64 bits the longest duration.
constexpr engine::Duration ToDuration(double microseconds) {
  if (!(microseconds > 0)) return engine::Duration::zero();
  if (microseconds >= 0x1p63) return engine::Duration::max();
  const auto whole = static_cast<std::int64_t>(microseconds);
  // Adding 0.5 before the cut would round twice; this difference is exact.
  const bool up = microseconds - static_cast<double>(whole) >= 0.5;
  return engine::Duration(whole + (up ? 1 : 0));
}

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_DISTRIBUTION_H_
