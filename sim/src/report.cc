#include "blockx/sim/report.h"

#include <algorithm>
#include <variant>

namespace blockx::sim {
namespace {

using engine::Instant;

double Microseconds(std::optional<engine::Duration> duration) {
  return duration ? static_cast<double>(duration->count()) : 0;
}

LatencySummary Summarise(const Histogram& histogram) {
  const auto quantile = [&](std::uint64_t numerator, std::uint64_t denominator) {
    return Microseconds(histogram.Quantile(numerator, denominator));
  };
  return {histogram.Mean().value_or(0),
          quantile(50, 100),
          quantile(90, 100),
          quantile(95, 100),
          quantile(99, 100),
          quantile(999, 1000),
          Microseconds(histogram.Max())};
}

std::int64_t CapacityOf(Gauge gauge, const Scenario& scenario) {
  const engine::Config& config = scenario.config;
  const std::int64_t workers = scenario.fleet.workers;
  switch (gauge) {
    case Gauge::kSlots:
      return workers * config.task_slots;
    case Gauge::kExecutors:
      return workers * config.executor_count * config.executor_max_concurrent_calls;
    case Gauge::kBuilder:
      return workers * config.builder_slots;
    case Gauge::kScan:
      return workers * config.scan_slots;
    case Gauge::kExecutorTasks:
      return workers * config.executor_task_slots;
    case Gauge::kPlugin:
      return workers * config.plugin_slots;
    case Gauge::kSlotQueue:
    case Gauge::kBuilderQueue:
    case Gauge::kScanQueue:
    case Gauge::kExecutorTaskQueue:
    case Gauge::kCallQueue:
    case Gauge::kPluginQueue:
      return 0;
  }
  return 0;
}

Gauge GaugeOf(UtilisedResource resource) {
  switch (resource) {
    case UtilisedResource::kSlots:
      return Gauge::kSlots;
    case UtilisedResource::kExecutors:
      return Gauge::kExecutors;
    case UtilisedResource::kBuilder:
      return Gauge::kBuilder;
    case UtilisedResource::kPlugin:
      return Gauge::kPlugin;
  }
  return Gauge::kSlots;
}

double Pick(const LatencySummary& summary, LatencyStatistic statistic) {
  switch (statistic) {
    case LatencyStatistic::kP50:
      return summary.p50;
    case LatencyStatistic::kP90:
      return summary.p90;
    case LatencyStatistic::kP95:
      return summary.p95;
    case LatencyStatistic::kP99:
      return summary.p99;
    case LatencyStatistic::kP999:
      return summary.p999;
    case LatencyStatistic::kMax:
      return summary.max;
    case LatencyStatistic::kMean:
      return summary.mean;
  }
  return 0;
}

std::int64_t Pick(const TaskCounts& tasks, TaskOutcome outcome) {
  switch (outcome) {
    case TaskOutcome::kRefused:
      return tasks.refused;
    case TaskOutcome::kFailed:
      return tasks.failed;
    case TaskOutcome::kSucceeded:
      return tasks.succeeded;
  }
  return 0;
}

std::optional<double> Measure(const LatencyMetric& metric, const Report& report) {
  if (!report.latency) return std::nullopt;
  return Pick((*report.latency)[static_cast<std::size_t>(metric.step)], metric.statistic);
}

std::optional<double> Measure(const OutcomeMetric& metric, const Report& report) {
  const auto count = static_cast<double>(Pick(report.tasks, metric.outcome));
  if (!metric.share) return count;
  if (report.tasks.arrived == 0) return std::nullopt;
  return count / static_cast<double>(report.tasks.arrived);
}

std::optional<double> Measure(const UtilisationMetric& metric, const Report& report) {
  const LevelSummary& level = report.levels[static_cast<std::size_t>(GaugeOf(metric.resource))];
  return level.mean / static_cast<double>(level.capacity);
}

SloVerdict Judge(const Slo& slo, const Report& report) {
  SloVerdict verdict{slo, std::nullopt, false};
  verdict.measured =
      std::visit([&](const auto& metric) { return Measure(metric, report); }, slo.metric);
  verdict.met = verdict.measured && slo.IsMetBy(*verdict.measured);
  return verdict;
}

}  // namespace

bool Report::AllMet() const {
  return std::ranges::all_of(slo, [](const SloVerdict& verdict) { return verdict.met; });
}

Report MakeReport(const Scenario& scenario, const Metrics& metrics, Instant start, Instant end) {
  Report report;
  report.description = scenario.description;
  report.seed = scenario.seed;
  report.simulated = Elapsed(start, end);
  report.measured = std::max(report.simulated - scenario.warmup, engine::Duration::zero());
  report.tasks = metrics.counts();
  report.unfinished =
      report.tasks.arrived - report.tasks.refused - report.tasks.succeeded - report.tasks.failed;
  if (report.tasks.succeeded > 0) {
    report.latency.emplace();
    for (std::size_t i = 0; i < kLatencySteps; ++i) {
      (*report.latency)[i] = Summarise(metrics.latency(static_cast<LatencyStep>(i)));
    }
  }
  for (std::size_t i = 0; i < kGauges; ++i) {
    const auto gauge = static_cast<Gauge>(i);
    const TimeWeighted& level = metrics.level(gauge);
    report.levels[i] = {level.Mean(end), level.max(), CapacityOf(gauge, scenario)};
  }
  for (const Slo& slo : scenario.slo) report.slo.push_back(Judge(slo, report));
  return report;
}

}  // namespace blockx::sim
