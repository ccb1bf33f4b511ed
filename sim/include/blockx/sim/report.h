#ifndef BLOCKX_SIM_REPORT_H_
#define BLOCKX_SIM_REPORT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blockx/engine/time.h"
#include "blockx/sim/metrics.h"
#include "blockx/sim/slo.h"

namespace blockx::sim {

// Microseconds. Quantiles are of the nearest rank, at most 0.4 % above the true value; mean and
// maximum are exact.
struct LatencySummary {
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};

struct LevelSummary {
  double mean = 0;  // Over the measured time.
  std::int64_t max = 0;
  std::int64_t capacity = 0;  // Of the fleet; 0: a queue, which has no limit.
};

struct SloVerdict {
  Slo slo;
  std::optional<double> measured;  // In the unit of the bound; nothing: no task to measure it on.
  bool met = false;                // False when nothing was measured.
};

// What a run has shown. The same scenario and seed give the same Report; nothing in it depends on
// the machine or on how long the run took.
struct Report {
  std::string description;
  std::uint64_t seed = 0;
  std::uint64_t digest = 0;         // Over all steps of all Workers, and the counts.
  engine::Duration simulated{};     // From the sources' start to the end.
  engine::Duration measured{};      // Without the warm-up.
  std::uint64_t engine_events = 0;  // Steps of all engines.
  TaskCounts tasks;
  std::int64_t unfinished = 0;  // Measured tasks neither ended nor given up when the run ended.
  std::optional<std::array<LatencySummary, kLatencySteps>> latency;  // Nothing: no task succeeded.
  std::array<LevelSummary, kGauges> levels;
  std::int64_t watch_notifications = 0;
  std::int64_t skipped_trace_rows = 0;
  std::vector<SloVerdict> slo;

  [[nodiscard]] bool AllMet() const;
};

// Sums up what was measured until `end`, and judges the scenario's objectives. The members that are
// not the metrics' are left to the caller.
[[nodiscard]] Report MakeReport(const Scenario& scenario, const Metrics& metrics,
                                engine::Instant start, engine::Instant end);

// For people: tables of plain text, with a line end at the end.
[[nodiscard]] std::string ReportText(const Report& report);

// For programs: one JSON document, its keys in a fixed order, with a line end at the end.
// docs/scenarios.md describes it.
[[nodiscard]] std::string ReportJson(const Report& report);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_REPORT_H_
