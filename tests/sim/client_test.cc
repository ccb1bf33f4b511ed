#include "blockx/sim/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sim/input_files.h"
#include "sim/runs.h"

namespace blockx::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::int64_t Number(const std::map<std::string, std::string>& row, const std::string& column) {
  return std::stoll(row.at(column));
}

std::vector<std::int64_t> Column(const TableRows& rows, const std::string& column) {
  std::vector<std::int64_t> values;
  for (const auto& row : rows) values.push_back(Number(row, column));
  return values;
}

// Tasks of 100 ms, one each 10 ms, for a Worker that can take only one.
Scenario TooMuch() {
  WorkloadSource source;
  source.name = "too much";
  source.arrivals = ArrivalPattern(ConstantArrivals{10'000});
  source.tasks = 30;
  source.task.calls.duration = Milliseconds(100);
  return Station(1, 1, source);
}

TEST(ClientTest, ARefusalIsFinalUnlessRetriesAreAskedFor) {
  const Report report = RunToEnd(TooMuch());
  EXPECT_EQ(report.tasks.arrived, 30);
  EXPECT_EQ(report.tasks.admitted, 3);
  EXPECT_EQ(report.tasks.refused, 27);
  EXPECT_EQ(report.tasks.retried_requests, 0);
  EXPECT_THAT(report.tasks.refused_by, ElementsAre(Pair("NO_SLOT", 27)));
}

TEST(ClientTest, ARefusedClientComesBackAfterItsBackoffWithTheSameTask) {
  Scenario scenario = TooMuch();
  scenario.workload[0].client.retry = {1'000, Milliseconds(7)};
  const TabledRun run = RunWithTables(scenario);
  EXPECT_EQ(run.report.tasks.admitted, 30);
  EXPECT_EQ(run.report.tasks.succeeded, 30);
  std::set<std::string> ids;
  for (const auto& row : run.tasks) {
    EXPECT_TRUE(ids.insert(row.at("task")).second);
    EXPECT_EQ(Number(row, "accepted_us") - Number(row, "arrived_us"),
              7'000 * (Number(row, "attempts") - 1));
  }
  EXPECT_GT(LevelOf(run.report, Gauge::kSlotQueue).max, 1);
}

TEST(ClientTest, AttemptsAreLimited) {
  Scenario scenario = TooMuch();
  scenario.workload[0].client.retry = {3, Milliseconds(1)};
  const TabledRun run = RunWithTables(scenario);
  EXPECT_GT(run.report.tasks.refused, 0);
  for (const auto& row : run.tasks) {
    EXPECT_LE(Number(row, "attempts"), 3);
    EXPECT_TRUE(row.at("outcome") != "refused" || Number(row, "attempts") == 3);
  }
}

TEST(ClientTest, SubmittingAtOnceGivesTheSameAsReservingFirst) {
  Scenario scenario = TooMuch();
  const Report reserved = RunToEnd(scenario);
  scenario.workload[0].client.reserve = false;
  const Report at_once = RunToEnd(scenario);
  EXPECT_EQ(at_once.tasks.admitted, reserved.tasks.admitted);
  EXPECT_EQ(LatencyOf(at_once, LatencyStep::kTotal).mean,
            LatencyOf(reserved, LatencyStep::kTotal).mean);
}

TEST(ClientTest, AWatchShowsEachPhaseAndTheEndOnceForEachAcceptedTask) {
  Scenario scenario = TooMuch();
  scenario.workload[0].task.writer.emplace();
  scenario.workload[0].client.watch = true;
  scenario.workload[0].client.reserve = false;
  const Report report = RunToEnd(scenario, {true, ""});
  EXPECT_EQ(report.tasks.refused, 27);
  EXPECT_EQ(report.watch_notifications, 3 * 4);  // Builder, Calls, Plugin, end.
}

TEST(ClientTest, AClientThatGivesUpLeavesNoWatchBehind) {
  std::vector<std::uint64_t> states;
  for (const bool watch : {false, true}) {
    Scenario scenario = TooMuch();
    scenario.workload[0].client = {false, {}, watch};
    Simulation simulation(scenario);
    ASSERT_FALSE(simulation.Run().has_value());
    EXPECT_GT(simulation.metrics().counts().refused, 0);
    states.push_back(simulation.fleet()[0]->driver.engine().StateDigest());
  }
  EXPECT_EQ(states[0], states[1]);
}

TEST(ClientTest, ASourceEndsAtItsDuration) {
  Scenario scenario = TooMuch();
  scenario.workload[0].tasks.reset();
  scenario.workload[0].duration = engine::Milliseconds(100);
  EXPECT_EQ(RunToEnd(scenario).tasks.arrived, 9);  // At 10 ms, 20 ms ... 90 ms.
}

TEST(ClientTest, AClosedClientHasOneTaskAtATimeAndThinksBetweenThem) {
  Scenario scenario = TooMuch();
  WorkloadSource& source = scenario.workload[0];
  source.arrivals = ClosedArrivals{1, Milliseconds(30)};
  source.tasks = 4;
  const TabledRun run = RunWithTables(scenario);
  EXPECT_THAT(Column(run.tasks, "arrived_us"), ElementsAre(30'000, 160'000, 290'000, 420'000));
  EXPECT_EQ(run.report.tasks.refused, 0);
}

TEST(ClientTest, ARefusedClosedClientThinksAndGoesOn) {
  Scenario scenario = TooMuch();
  scenario.workload[0].arrivals = ClosedArrivals{2, Milliseconds(30)};
  scenario.workload[0].tasks = 20;
  const Report report = RunToEnd(scenario);
  EXPECT_EQ(report.tasks.arrived, 20);
  EXPECT_GT(report.tasks.refused, 0);
  EXPECT_GT(report.tasks.succeeded, 0);
}

TEST(ClientTest, ClosedClientsStopAtTheDurationOfTheirSource) {
  Scenario scenario = TooMuch();
  WorkloadSource& source = scenario.workload[0];
  source.arrivals = ClosedArrivals{5, Milliseconds(30)};
  source.tasks.reset();
  source.duration = engine::Milliseconds(1'000);
  const TabledRun run = RunWithTables(scenario);
  const auto arrivals = Column(run.tasks, "arrived_us");
  EXPECT_GT(arrivals.size(), 10u);
  EXPECT_LT(*std::ranges::max_element(arrivals), 1'000'000);
}

TEST(ClientTest, TraceRowsArriveAtTheirTimesAndGiveTheAmounts) {
  const TemporaryFile file("trace.csv", "at,size\n10,1\n10.25,4\n10.25,2\n12,3\n");
  TraceSpec trace;
  trace.file = file.path();
  trace.arrival_column = "at";
  auto form = std::get<LinearForm>(LinearForm::Parse("5ms + 10ms*size", FormUnit::kDuration));
  form.Bind(trace.columns);
  WorkloadSource source;
  source.name = "trace";
  source.arrivals = trace;
  source.task.calls.duration = form;
  TabledRun run = RunWithTables(Station(5, 5, source));
  std::ranges::sort(run.tasks, {}, [](const auto& row) { return row.at("task"); });
  EXPECT_THAT(Column(run.tasks, "arrived_us"), ElementsAre(0, 250'000, 250'000, 2'000'000));
  EXPECT_THAT(Column(run.tasks, "ended_us"), ElementsAre(15'000, 295'000, 275'000, 2'035'000));
}

TEST(ClientTest, ABadTraceRowEndsTheRunAndIsNamedByItsLine) {
  const TemporaryFile file("trace.csv", "at,size\n1,1\n2,many\n");
  TraceSpec trace;
  trace.file = file.path();
  trace.arrival_column = "at";
  trace.columns = {"size"};
  WorkloadSource source;
  source.name = "trace";
  source.arrivals = trace;
  Simulation simulation(Station(5, 5, source));
  const auto error = simulation.Run();
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->cause, RunError::Cause::kInput);
  EXPECT_THAT(error->message, ::testing::HasSubstr("trace.csv:3"));
}

}  // namespace
}  // namespace blockx::sim
