// What can be wrong with the parameters of a distribution.

#include "blockx/sim/distribution.h"
#include "parameters.h"

namespace blockx::sim {
namespace {

Problem ProblemOf(const Constant& c) { return RequireNotNegative("value", c.value); }

Problem ProblemOf(const Uniform& u) {
  if (auto problem =
          FirstOf(RequireNotNegative("low", u.low), RequireNotNegative("high", u.high))) {
    return problem;
  }
  if (u.low <= u.high) return std::nullopt;
  return Unexpected("high", u.high, "at least low (" + NumberText(u.low) + ")");
}

Problem ProblemOf(const Exponential& e) { return RequireNotNegative("mean", e.mean); }

Problem ProblemOf(const LogNormal& l) {
  return FirstOf(RequirePositive("median", l.median), RequireNotNegative("sigma", l.sigma));
}

Problem ProblemOf(const Pareto& p) {
  if (auto problem =
          FirstOf(RequirePositive("minimum", p.minimum), RequirePositive("shape", p.shape))) {
    return problem;
  }
  if (p.minimum <= p.maximum) return std::nullopt;
  return Unexpected("maximum", p.maximum, "at least minimum (" + NumberText(p.minimum) + ")");
}

Problem ProblemOf(const Weibull& w) {
  return FirstOf(RequirePositive("scale", w.scale), RequirePositive("shape", w.shape));
}

Problem ProblemOf(const Gamma& g) {
  return FirstOf(RequirePositive("mean", g.mean), RequirePositive("shape", g.shape));
}

Problem ProblemOf(const Empirical& e) {
  if (e.quantiles.size() < 2)
    return "there are no values, expected at least one sample or two quantiles";
  if (e.quantiles.front().p != 0) {
    return Unexpected("p of the first quantile", e.quantiles.front().p, "0 (the smallest value)");
  }
  const Empirical::Quantile* last = &e.quantiles.front();
  for (const Empirical::Quantile& quantile : e.quantiles) {
    if (auto problem =
            RequireNotNegative("value at p = " + NumberText(quantile.p), quantile.value)) {
      return problem;
    }
    if (!(quantile.p >= last->p && quantile.p <= 1)) {
      return Unexpected("p", quantile.p,
                        "a number from " + NumberText(last->p) + " (the p before) to 1");
    }
    if (quantile.value < last->value) {
      return Unexpected("value at p = " + NumberText(quantile.p), quantile.value,
                        "at least the value before (" + NumberText(last->value) + ")");
    }
    last = &quantile;
  }
  if (last->p == 1) return std::nullopt;
  return Unexpected("p of the last quantile", last->p, "1 (the largest value)");
}

Problem ProblemOf(const Mix& mix) {
  double total = 0;
  for (std::size_t i = 0; i < mix.branches.size(); ++i) {
    const MixBranch& branch = mix.branches[i];
    if (auto problem =
            FirstOf(RequireNotNegative("weight", branch.weight), branch.value.Problem())) {
      return "branch " + std::to_string(i) + ": " + *problem;
    }
    total += branch.weight;
  }
  if (mix.branches.empty()) return "there are no branches, expected at least one";
  return RequirePositive("sum of the weights", total);
}

}  // namespace

std::optional<std::string> Distribution::Problem() const {
  return std::visit([](const auto& shape) { return ProblemOf(shape); }, shape_);
}

}  // namespace blockx::sim
