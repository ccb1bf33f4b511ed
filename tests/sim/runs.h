// Scenarios built in code, and runs of them, for the tests of the simulator.
#ifndef BLOCKX_TESTS_SIM_RUNS_H_
#define BLOCKX_TESTS_SIM_RUNS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "blockx/sim/simulation.h"

namespace blockx::sim {

inline Distribution Milliseconds(double mean) { return Distribution(Constant{mean * 1e3}); }
inline Distribution ExponentialSeconds(double mean) {
  return Distribution(Exponential{mean * 1e6});
}

// Tasks that are nothing but one call, at `rate` a second.
inline WorkloadSource PoissonSource(double rate, Distribution call, std::int64_t tasks) {
  WorkloadSource source;
  source.name = "tasks";
  source.arrivals = ArrivalPattern(PoissonArrivals{rate});
  source.tasks = tasks;
  source.task.calls.duration = std::move(call);
  return source;
}

// A Worker whose slots and executors alone can be short: no permit and no deadline interferes.
inline Scenario Station(std::int64_t slots, std::int64_t executors, WorkloadSource source) {
  Scenario scenario;
  engine::Config& config = scenario.config;
  config.task_slots = slots;
  config.executor_count = executors;
  config.builder_slots = slots;
  config.executor_task_slots = slots;
  config.plugin_slots = slots;
  config.task_deadline = config.max_task_timeout;
  config.call_deadline = config.max_task_timeout;
  config.executor_heartbeat_interval = engine::Milliseconds(5'000);
  config.heartbeat_interval = engine::Milliseconds(5'000);
  scenario.workload.push_back(std::move(source));
  return scenario;
}

inline Report RunToEnd(const Scenario& scenario, SimulationOptions options = {}) {
  Simulation simulation(scenario, std::move(options));
  const auto error = simulation.Run();
  EXPECT_FALSE(error.has_value()) << error->message;
  return simulation.MakeReport();
}

inline const LatencySummary& LatencyOf(const Report& report, LatencyStep step) {
  return report.latency.value()[static_cast<std::size_t>(step)];
}
inline const LevelSummary& LevelOf(const Report& report, Gauge gauge) {
  return report.levels[static_cast<std::size_t>(gauge)];
}

// A table that a run wrote: its rows as maps from column to text.
using TableRows = std::vector<std::map<std::string, std::string>>;

inline TableRows ReadTable(const std::string& path) {
  std::ifstream file(path);
  const auto cells = [](const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line + ',');
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    return fields;
  };
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = cells(line);
  TableRows rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = cells(line);
    EXPECT_EQ(fields.size(), names.size()) << line;
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = fields.at(i);
  }
  return rows;
}

// A run and its tables, in a directory of the test's own.
struct TabledRun {
  Report report;
  TableRows tasks;
  TableRows series;
};

inline TabledRun RunWithTables(const Scenario& scenario) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path directory =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("blockx-tables-") + test->test_suite_name() + '-' + test->name());
  TabledRun run;
  run.report = RunToEnd(scenario, {false, directory.string()});
  run.tasks = ReadTable((directory / "tasks.csv").string());
  run.series = ReadTable((directory / "timeseries.csv").string());
  std::filesystem::remove_all(directory);
  return run;
}

}  // namespace blockx::sim

#endif  // BLOCKX_TESTS_SIM_RUNS_H_
