// What can be wrong with the parameters of an arrival pattern.

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "blockx/sim/arrivals.h"
#include "parameters.h"

namespace blockx::sim {
namespace {

// Below this many arrivals in each round through its states or its period, the search for the next
// one takes so many rounds that the simulator would seem to hang.
constexpr double kArrivalsPerRoundMin = 1e-6;

Problem RequireArrivals(std::string_view round, double arrivals) {
  if (arrivals >= kArrivalsPerRoundMin) return std::nullopt;
  return Unexpected(
      "mean number of arrivals in each " + std::string(round), arrivals,
      "at least " + NumberText(kArrivalsPerRoundMin) + ": raise a rate or make it longer");
}

Problem ProblemWith(const PoissonArrivals& p) { return RequirePositive("rate", p.rate); }

Problem ProblemWith(const ConstantArrivals& c) {
  return RequirePositive("interval", c.interval_us);
}

Problem ProblemWith(const BurstyArrivals& b) {
  double arrivals = 0;
  for (std::size_t i = 0; i < b.states.size(); ++i) {
    const std::string state = " of state " + std::to_string(i);
    if (auto problem = FirstOf(RequireNotNegative("rate" + state, b.states[i].rate),
                               RequirePositive("mean stay" + state, b.states[i].mean_stay_us))) {
      return problem;
    }
    arrivals += b.states[i].rate * b.states[i].mean_stay_us / 1e6;
  }
  return RequireArrivals("round through both states", arrivals);
}

double Seconds(engine::Duration d) { return static_cast<double>(d.count()) / 1e6; }

std::string SecondsText(engine::Duration d) { return NumberText(Seconds(d)) + " s"; }

Problem ProblemWith(const PiecewiseArrivals& p) {
  if (p.pieces.empty()) return "there are no pieces, expected at least one";
  if (p.pieces.front().from != engine::Duration::zero()) {
    return Unexpected("start of piece 0", SecondsText(p.pieces.front().from), "0 s");
  }
  double arrivals = 0;
  for (std::size_t i = 0; i < p.pieces.size(); ++i) {
    const std::string piece = " of piece " + std::to_string(i);
    const engine::Duration from = p.pieces[i].from;
    if (auto problem = RequireNotNegative("rate" + piece, p.pieces[i].rate)) return problem;
    const bool last = i + 1 == p.pieces.size();
    const engine::Duration end =
        last ? p.period.value_or(engine::Duration::max()) : p.pieces[i + 1].from;
    if (end <= from) {
      const std::string end_name =
          last ? std::string("period") : "start of piece " + std::to_string(i + 1);
      return Unexpected(end_name, SecondsText(end),
                        "more than the start" + piece + " (" + SecondsText(from) + ")");
    }
    arrivals += p.pieces[i].rate * Seconds(end - from);
  }
  return RequireArrivals(p.period ? "period" : "simulated time", arrivals);
}

Problem ProblemWith(const RenewalArrivals& r) {
  if (auto problem = r.gap_us.Problem()) return "gap: " + *problem;
  if (r.gap_us.Mean() > 0) return std::nullopt;
  return Unexpected("mean gap", r.gap_us.Mean(), "more than 0");
}

}  // namespace

std::optional<std::string> ProblemOf(const ArrivalPattern& pattern) {
  return std::visit([](const auto& p) { return ProblemWith(p); }, pattern);
}

}  // namespace blockx::sim
