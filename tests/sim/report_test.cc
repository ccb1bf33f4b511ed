#include "blockx/sim/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/runs.h"

namespace blockx::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// 10 tasks of 100 ms, one each 50 ms; a Worker with one slot takes every second one.
Scenario EverySecondOne(const std::vector<std::string>& objectives) {
  WorkloadSource source;
  source.name = "tasks";
  source.arrivals = ArrivalPattern(ConstantArrivals{50'000});
  source.tasks = 10;
  source.task.calls.duration = Milliseconds(99);
  Scenario scenario = Station(1, 1, source);
  scenario.description = "every second one";
  for (const std::string& text : objectives) {
    scenario.slo.push_back(std::get<Slo>(ParseSlo(text)));
  }
  return scenario;
}

TEST(ReportTest, ObjectivesAreJudgedByWhatWasMeasured) {
  const std::vector<std::pair<std::string, bool>> objectives = {
      {"max(total) <= 99ms", true},
      {"max(total) < 99ms", false},
      {"mean(calls) >= 99ms", true},
      {"refused <= 50%", true},
      {"refused < 5", false},
      {"succeeded >= 5", true},
      {"failed <= 0%", true},
      {"utilisation(executors) <= 98%", true},
      {"utilisation(slots) > 99%", false},
      {"p50(slot) <= 0ms", true}};
  std::vector<std::string> texts;
  for (const auto& objective : objectives) texts.push_back(objective.first);
  const Report report = RunToEnd(EverySecondOne(texts));
  ASSERT_EQ(report.slo.size(), objectives.size());
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    EXPECT_EQ(report.slo[i].met, objectives[i].second) << objectives[i].first;
  }
  EXPECT_FALSE(report.AllMet());
}

TEST(ReportTest, WithoutObjectivesAllAreMet) { EXPECT_TRUE(RunToEnd(EverySecondOne({})).AllMet()); }

TEST(ReportTest, AnObjectiveWithNothingToMeasureIsMissed) {
  Scenario scenario = EverySecondOne({"p99(total) <= 1s"});
  scenario.workload[0].task.builder.failure = 1;
  const Report report = RunToEnd(scenario);
  EXPECT_FALSE(report.latency.has_value());
  EXPECT_FALSE(report.slo[0].met);
  EXPECT_THAT(ReportText(report), HasSubstr("nothing measured"));
  EXPECT_THAT(ReportJson(report), HasSubstr("\"latencyMs\": null"));
  EXPECT_EQ(report.tasks.failed_by.at("BUILDER_FAILED"), report.tasks.failed);
}

TEST(ReportTest, JsonHasTheDocumentedKeysInTheirOrder) {
  const std::string json = ReportJson(RunToEnd(EverySecondOne({"refused <= 50%"})));
  std::size_t at = 0;
  for (const char* key : {"schemaVersion",
                          "description",
                          "seed",
                          "digest",
                          "simulatedSeconds",
                          "measuredSeconds",
                          "engineEvents",
                          "tasks",
                          "arrived",
                          "admitted",
                          "refused",
                          "succeeded",
                          "failed",
                          "unfinished",
                          "warmup",
                          "retriedRequests",
                          "refusedBy",
                          "NO_SLOT",
                          "failedBy",
                          "latencyMs",
                          "total",
                          "mean",
                          "p50",
                          "p90",
                          "p95",
                          "p99",
                          "p999",
                          "max",
                          "slot",
                          "activation",
                          "builderPermit",
                          "building",
                          "executors",
                          "calls",
                          "pluginPermit",
                          "writing",
                          "utilisation",
                          "slots",
                          "capacity",
                          "share",
                          "executors",
                          "builder",
                          "scan",
                          "executorTasks",
                          "plugin",
                          "queues",
                          "slot",
                          "builder",
                          "scan",
                          "executorTasks",
                          "calls",
                          "plugin",
                          "watchNotifications",
                          "skippedTraceRows",
                          "slo",
                          "measured",
                          "met"}) {
    const std::size_t next = json.find('"' + std::string(key) + "\":", at);
    ASSERT_NE(next, std::string::npos) << key << " is not after " << json.substr(0, at);
    at = next;
  }
}

TEST(ReportTest, JsonSpeaksOfTheRunAndNotOfTheHost) {
  const std::string json = ReportJson(RunToEnd(EverySecondOne({})));
  EXPECT_THAT(json, HasSubstr("\"arrived\": 10,"));
  EXPECT_THAT(json, HasSubstr("\"total\": {\n      \"mean\": 99.0,"));
  EXPECT_THAT(json, Not(HasSubstr("wall")));
}

TEST(ReportTest, TextIsForPeople) {
  const std::string text = ReportText(RunToEnd(EverySecondOne({"refused <= 10%"})));
  EXPECT_THAT(text, HasSubstr("every second one\nseed 1, simulated 549 ms, digest "));
  EXPECT_THAT(text, HasSubstr("\nrefused         5   50.00 %\n  NO_SLOT"));
  EXPECT_THAT(text, HasSubstr("\n  waiting for executors"));
  EXPECT_THAT(text, HasSubstr("\nrefused <= 10%   50.00 %   MISSED\n"));
}

}  // namespace
}  // namespace blockx::sim
