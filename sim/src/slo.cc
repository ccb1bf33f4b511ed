#include "blockx/sim/slo.h"

#include <array>
#include <optional>
#include <utility>

#include "blockx/sim/suggest.h"
#include "blockx/sim/units.h"

namespace blockx::sim {
namespace {

// In the order of the enumerations, so that a name's place is its value.
constexpr std::array<std::string_view, 7> kStatistics = {"p50",   "p90", "p95", "p99",
                                                         "p99.9", "max", "mean"};
constexpr std::array<std::string_view, 9> kSteps = {"total",         "slot",         "activation",
                                                    "builderPermit", "building",     "executors",
                                                    "calls",         "pluginPermit", "writing"};
constexpr std::array<std::string_view, 3> kOutcomes = {"refused", "failed", "succeeded"};
constexpr std::array<std::string_view, 4> kResources = {"slots", "executors", "builder", "plugin"};
// Longer spellings first, so that "<=" is not read as "<".
constexpr std::array<std::pair<std::string_view, Comparison>, 4> kComparisons = {
    {{"<=", Comparison::kLessOrEqual},
     {">=", Comparison::kGreaterOrEqual},
     {"<", Comparison::kLess},
     {">", Comparison::kGreater}}};

constexpr std::string_view kExample = "such as \"p99(total) <= 2s\" or \"refused <= 1%\"";

template <class Enum>
std::optional<Enum> Find(std::span<const std::string_view> names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string Quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

// The two halves of "name(argument)"; `argument` is absent without parentheses.
struct Call {
  std::string_view name;
  std::optional<std::string_view> argument;
};

Call SplitCall(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') return {text, std::nullopt};
  return {Trim(text.substr(0, open)), Trim(text.substr(open + 1, text.size() - open - 2))};
}

// On failure: the message.
std::string ReadMetric(std::string_view text, Slo& slo) {
  const Call call = SplitCall(text);
  if (!call.argument) {
    if (const auto outcome = Find<TaskOutcome>(kOutcomes, call.name)) {
      slo.metric = OutcomeMetric{*outcome, true};
      return {};
    }
  } else if (call.name == "utilisation") {
    const auto resource = Find<UtilisedResource>(kResources, *call.argument);
    if (!resource) return ExpectedOneOf("a resource", *call.argument, kResources);
    slo.metric = UtilisationMetric{*resource};
    return {};
  } else if (const auto statistic = Find<LatencyStatistic>(kStatistics, call.name)) {
    const auto step = Find<LatencyStep>(kSteps, *call.argument);
    if (!step) return ExpectedOneOf("a step", *call.argument, kSteps);
    slo.metric = LatencyMetric{*statistic, *step};
    return {};
  }
  return Quoted(text) +
         " is no metric; expected one of p50, p90, p95, p99, p99.9, max, mean with a step in "
         "parentheses, refused, failed, succeeded, or utilisation(slots|executors|builder|plugin)";
}

std::string ReadBound(std::string_view text, Slo& slo) {
  if (std::holds_alternative<LatencyMetric>(slo.metric)) {
    const auto duration = ParseDuration(text);
    if (!duration)
      return "found the bound " + Quoted(text) + ", expected " + std::string(kDurationExpected);
    slo.bound = static_cast<double>(duration->count());
    return {};
  }
  if (auto* outcome = std::get_if<OutcomeMetric>(&slo.metric)) {
    outcome->share = !text.empty() && text.back() == '%';
    const auto bound = outcome->share ? ParseShare(text) : ParseNumber(text);
    if (!bound || *bound < 0) {
      return "found the bound " + Quoted(text) +
             ", expected a share with a percent sign (\"1%\") or a number of tasks";
    }
    slo.bound = *bound;
    return {};
  }
  const auto bound = ParseShare(text);
  if (!bound)
    return "found the bound " + Quoted(text) + ", expected " + std::string(kShareExpected);
  slo.bound = *bound;
  return {};
}

}  // namespace

bool Slo::IsMetBy(double measured) const {
  switch (comparison) {
    case Comparison::kLess:
      return measured < bound;
    case Comparison::kLessOrEqual:
      return measured <= bound;
    case Comparison::kGreater:
      return measured > bound;
    case Comparison::kGreaterOrEqual:
      return measured >= bound;
  }
  return false;
}

std::variant<Slo, std::string> ParseSlo(std::string_view text) {
  Slo slo;
  slo.text = text;
  for (const auto& [spelling, comparison] : kComparisons) {
    const std::size_t at = text.find(spelling);
    if (at == std::string_view::npos) continue;
    slo.comparison = comparison;
    std::string problem = ReadMetric(Trim(text.substr(0, at)), slo);
    if (problem.empty()) problem = ReadBound(Trim(text.substr(at + spelling.size())), slo);
    if (!problem.empty()) return problem;
    return slo;
  }
  return "found " + Quoted(text) + ", expected a metric, one of <= < >= >, and a bound, " +
         std::string(kExample);
}

std::string_view NameOf(LatencyStatistic statistic) {
  return kStatistics[static_cast<std::size_t>(statistic)];
}
std::string_view NameOf(LatencyStep step) { return kSteps[static_cast<std::size_t>(step)]; }
std::string_view NameOf(TaskOutcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)];
}
std::string_view NameOf(UtilisedResource resource) {
  return kResources[static_cast<std::size_t>(resource)];
}

}  // namespace blockx::sim
