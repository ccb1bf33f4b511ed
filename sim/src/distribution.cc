#include "blockx/sim/distribution.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <utility>

#include "blockx/sim/math.h"

namespace blockx::sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double SampleOf(const Constant& c, KeyedStream&) { return c.value; }

double SampleOf(const Uniform& u, KeyedStream& stream) {
  return std::min(u.low + (u.high - u.low) * stream.NextUnit(), u.high);
}

double SampleOf(const Exponential& e, KeyedStream& stream) {
  return e.mean * StandardExponential(stream);
}

double SampleOf(const LogNormal& l, KeyedStream& stream) {
  return l.median * Exp(l.sigma * StandardNormal(stream));
}

double SampleOf(const Pareto& p, KeyedStream& stream) {
  // Inversion. P(X > maximum) of the unbounded law is what the condition cuts off.
  const double cut = Pow(p.minimum / p.maximum, p.shape);
  const double exceedance = cut + (1.0 - cut) * stream.NextUnit();
  return std::min(std::max(p.minimum * Pow(exceedance, -1.0 / p.shape), p.minimum), p.maximum);
}

double SampleOf(const Weibull& w, KeyedStream& stream) {
  return w.scale * Pow(StandardExponential(stream), 1.0 / w.shape);
}

// Mean `shape`, scale 1. Marsaglia and Tsang, "A simple method for generating gamma variables",
// 2000: section 4 for shape >= 1 (without its squeeze, which only saves time), section 6 for shape
// < 1.
double StandardGamma(double shape, KeyedStream& stream) {
  if (shape < 1) {
    const double lift = Pow(stream.NextUnit(), 1.0 / shape);
    return StandardGamma(shape + 1.0, stream) * lift;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = StandardNormal(stream);
    const double root = 1.0 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (Log(stream.NextUnit()) < 0.5 * x * x + d * (1.0 - v + Log(v))) return d * v;
  }
}

double SampleOf(const Gamma& g, KeyedStream& stream) {
  return g.mean / g.shape * StandardGamma(g.shape, stream);
}

double SampleOf(const Empirical& e, KeyedStream& stream) {
  const double p = stream.NextUnit();
  // p > 0 = the first quantile's p and p <= 1 = the last one's, so `above` has a predecessor,
  // strictly below p.
  const auto above = std::ranges::lower_bound(e.quantiles, p, {}, &Empirical::Quantile::p);
  const auto below = above - 1;
  const double share = (p - below->p) / (above->p - below->p);
  return std::min(below->value + (above->value - below->value) * share, above->value);
}

double TotalWeight(const Mix& mix) {
  double total = 0;
  for (const MixBranch& branch : mix.branches) total += branch.weight;
  return total;
}

double SampleOf(const Mix& mix, KeyedStream& stream) {
  double left = TotalWeight(mix) * stream.NextUnit();
  const MixBranch* chosen = nullptr;
  for (const MixBranch& branch : mix.branches) {
    if (branch.weight == 0) continue;
    chosen = &branch;  // Should rounding leave a crumb at the end, the last branch takes it.
    left -= branch.weight;
    if (left <= 0) break;
  }
  return chosen->value.Sample(stream);
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

// A part of a mixture, with its probability.
struct Part {
  double probability = 0;
  Moments moments;
};

Moments MomentsOf(const std::vector<Part>& mixture) {
  Moments sum;
  for (const Part& part : mixture) sum.mean += part.probability * part.moments.mean;
  if (sum.mean == kInfinity) return {kInfinity, kInfinity};
  for (const Part& part : mixture) {
    const double distance = part.moments.mean - sum.mean;
    sum.variance += part.probability * (part.moments.variance + distance * distance);
  }
  return sum;
}

Moments MomentsOf(const Constant& c) { return {c.value, 0}; }

Moments MomentsOf(const Uniform& u) {
  const double width = u.high - u.low;
  return {u.low + width / 2, width * width / 12};
}

Moments MomentsOf(const Exponential& e) { return {e.mean, e.mean * e.mean}; }

Moments MomentsOf(const LogNormal& l) {
  const double square = l.sigma * l.sigma;
  const double mean = l.median * Exp(square / 2);
  return {mean, mean * mean * (square * ExpM1OverX(square))};
}

Moments MomentsOf(const Pareto& p) {
  if (p.maximum == kInfinity) {
    const double mean = p.shape > 1 ? p.minimum * (p.shape / (p.shape - 1)) : kInfinity;
    const double variance = p.shape > 2 ? mean * mean / (p.shape * (p.shape - 2)) : kInfinity;
    return {mean, variance};
  }
  // The k-th moment is minimum^k times the mean of q^-k over the density shape q^(shape-1) / (1 -
  // cut) of q = minimum / X; written with (e^x - 1) / x it has no exception at shape = k.
  const double log_ratio = Log(p.minimum / p.maximum);
  if (log_ratio == 0) return {p.minimum, 0};
  const double norm = ExpM1OverX(p.shape * log_ratio);
  const double first = ExpM1OverX((p.shape - 1) * log_ratio) / norm;
  const double second = ExpM1OverX((p.shape - 2) * log_ratio) / norm;
  return {p.minimum * first, p.minimum * p.minimum * std::max(second - first * first, 0.0)};
}

Moments MomentsOf(const Weibull& w) {
  const double first = GammaFunction(1 + 1 / w.shape);
  const double second = GammaFunction(1 + 2 / w.shape);
  const double variance = second == kInfinity ? kInfinity : std::max(second - first * first, 0.0);
  return {w.scale * first, w.scale * w.scale * variance};
}

Moments MomentsOf(const Gamma& g) { return {g.mean, g.mean * g.mean / g.shape}; }

Moments MomentsOf(const Empirical& e) {
  std::vector<Part> pieces;
  for (std::size_t i = 1; i < e.quantiles.size(); ++i) {
    const Empirical::Quantile& from = e.quantiles[i - 1];
    const Empirical::Quantile& to = e.quantiles[i];
    pieces.push_back({to.p - from.p, MomentsOf(Uniform{from.value, to.value})});
  }
  return MomentsOf(pieces);
}

Moments MomentsOf(const Mix& mix) {
  const double total = TotalWeight(mix);
  std::vector<Part> branches;
  for (const MixBranch& branch : mix.branches) {
    if (branch.weight == 0) continue;
    branches.push_back({branch.weight / total, {branch.value.Mean(), branch.value.Variance()}});
  }
  return MomentsOf(branches);
}

}  // namespace

LogNormal LogNormalWithMean(double mean, double coefficient_of_variation) {
  const double square = coefficient_of_variation * coefficient_of_variation;
  // The sign is kept, so that Problem() sees a negative one.
  const double sigma = std::copysign(std::sqrt(Log1p(square)), coefficient_of_variation);
  return {mean / std::sqrt(1 + square), sigma};
}

Empirical EmpiricalFromSamples(std::vector<double> samples) {
  // A total order also for what Problem() will refuse.
  std::ranges::sort(samples, [](double a, double b) { return std::strong_order(a, b) < 0; });
  if (samples.size() == 1) samples.push_back(samples.front());
  Empirical empirical;
  empirical.quantiles.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double p = static_cast<double>(i) / static_cast<double>(samples.size() - 1);
    empirical.quantiles.push_back({p, samples[i]});
  }
  return empirical;
}

Distribution::Distribution(Shape shape) : shape_(std::move(shape)) {}

double Distribution::SampleRandom(KeyedStream& stream) const {
  // Exponential first: with the constant it is nearly all there is in most scenarios.
  if (const auto* exponential = std::get_if<Exponential>(&shape_)) {
    return SampleOf(*exponential, stream);
  }
  return std::visit([&stream](const auto& shape) { return SampleOf(shape, stream); }, shape_);
}

double Distribution::Mean() const {
  return std::visit([](const auto& shape) { return MomentsOf(shape).mean; }, shape_);
}

double Distribution::Variance() const {
  return std::visit([](const auto& shape) { return MomentsOf(shape).variance; }, shape_);
}

double StandardExponential(KeyedStream& stream) {
  return 0.0 - Log(stream.NextUnit());  // Not -Log(): that gives -0 for 1.
}

double StandardNormal(KeyedStream& stream) {
  // Marsaglia's polar method; its second value is not kept, a stream has no memory.
  for (;;) {
    const double x = 2.0 * stream.NextUnit() - 1.0;
    const double y = 2.0 * stream.NextUnit() - 1.0;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2.0 * Log(square) / square);
  }
}

}  // namespace blockx::sim
