// Service-level objectives: one line of text each, judged against the results of a run.
//
//   p99(total) <= 2s          a latency: p50 p90 p95 p99 p99.9 max mean, in total or of one step
//   refused <= 1%             a share of the tasks that arrived, or (a plain number) a count
//   utilisation(slots) >= 60% a mean over the measured time: slots executors builder plugin
#ifndef BLOCKX_SIM_SLO_H_
#define BLOCKX_SIM_SLO_H_

#include <string>
#include <string_view>
#include <variant>

namespace blockx::sim {

enum class LatencyStatistic { kP50, kP90, kP95, kP99, kP999, kMax, kMean };

// Where a task's time goes; `kTotal` is from the client's first request to the task's end.
enum class LatencyStep {
  kTotal,
  kSlot,           // Waiting for a slot.
  kActivation,     // Activation.
  kBuilderPermit,  // Waiting for a builder permit.
  kBuilding,       // The builder.
  kExecutors,      // Waiting for executors.
  kCalls,          // The calls.
  kPluginPermit,   // Waiting for a plugin permit.
  kWriting,        // The writer.
};

enum class TaskOutcome { kRefused, kFailed, kSucceeded };

enum class UtilisedResource { kSlots, kExecutors, kBuilder, kPlugin };

enum class Comparison { kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

struct LatencyMetric {
  LatencyStatistic statistic = LatencyStatistic::kP99;
  LatencyStep step = LatencyStep::kTotal;
};

struct OutcomeMetric {
  TaskOutcome outcome = TaskOutcome::kRefused;
  bool share = true;  // Bound in tasks per arrived task; false: in tasks.
};

struct UtilisationMetric {
  UtilisedResource resource = UtilisedResource::kSlots;
};

struct Slo {
  std::string text;  // As written, for reports.
  std::variant<LatencyMetric, OutcomeMetric, UtilisationMetric> metric;
  Comparison comparison = Comparison::kLessOrEqual;
  double bound =
      0;  // Latency: microseconds. Share and utilisation: a fraction (1% is 0.01). Count: tasks.

  // Whether a measured value, in the unit of `bound`, meets the objective.
  [[nodiscard]] bool IsMetBy(double measured) const;
};

// Reads one line. On failure: what was wrong with it and what was expected.
[[nodiscard]] std::variant<Slo, std::string> ParseSlo(std::string_view text);

// The names used in SLO lines, and by the reports: "p99.9", "builderPermit", "refused", "slots".
[[nodiscard]] std::string_view NameOf(LatencyStatistic statistic);
[[nodiscard]] std::string_view NameOf(LatencyStep step);
[[nodiscard]] std::string_view NameOf(TaskOutcome outcome);
[[nodiscard]] std::string_view NameOf(UtilisedResource resource);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SLO_H_
