#include "blockx/sim/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/runs.h"

namespace blockx::sim {
namespace {

using ::testing::Pair;

// A bit of everything: two kinds of tasks, failures, retries, watches, a fleet.
Scenario Mixed() {
  Scenario scenario = Station(12, 4, PoissonSource(30, ExponentialSeconds(0.1), 1'500));
  scenario.fleet.workers = 3;
  scenario.coordinator.policy = CoordinatorPolicy::kPowerOfTwo;
  scenario.config.heartbeat_interval = engine::Milliseconds(200);
  scenario.config.task_deadline = engine::Milliseconds(3'000);
  scenario.executors.start_delay = Distribution(Uniform{1e4, 5e5});
  WorkloadSource& open = scenario.workload[0];
  open.task.calls.count = Distribution(Uniform{0, 5});
  open.task.calls.failure = 0.05;
  open.task.writer.emplace().duration = Milliseconds(5);
  open.client.retry = {4, ExponentialSeconds(0.2)};
  open.client.watch = true;
  WorkloadSource closed = open;
  closed.name = "closed";
  closed.arrivals = ClosedArrivals{20, ExponentialSeconds(0.5)};
  closed.task.builder.stream = StreamSpec{2, Milliseconds(10)};
  closed.client.reserve = false;
  scenario.workload.push_back(closed);
  return scenario;
}

TEST(SimulationTest, TheSameScenarioAndSeedGiveTheSameRun) {
  const Report one = RunToEnd(Mixed());
  const Report other = RunToEnd(Mixed());
  EXPECT_EQ(one.digest, other.digest);
  EXPECT_EQ(ReportJson(one), ReportJson(other));
  EXPECT_GT(one.tasks.succeeded, 2'000);
}

TEST(SimulationTest, AnotherSeedGivesAnotherRun) {
  Scenario scenario = Mixed();
  const std::uint64_t digest = RunToEnd(scenario).digest;
  ++scenario.seed;
  EXPECT_NE(RunToEnd(scenario).digest, digest);
}

TEST(SimulationTest, ARunMayBeCutIntoPieces) {
  Simulation simulation(Mixed());
  while (!simulation.ended()) ASSERT_FALSE(simulation.Advance(7).has_value());
  EXPECT_EQ(ReportJson(simulation.MakeReport()), ReportJson(RunToEnd(Mixed())));
}

TEST(SimulationTest, LookingOnChangesNothing) {
  EXPECT_EQ(RunWithTables(Mixed()).report.digest, RunToEnd(Mixed(), {true, ""}).digest);
}

TEST(SimulationTest, TheInvariantsHoldAfterEachStep) {
  Simulation simulation(Mixed(), {true, ""});
  const auto error = simulation.Run();
  EXPECT_FALSE(error.has_value()) << error->message;
}

TEST(SimulationTest, EveryTaskIsRefusedOrEndsAndLeavesNothingBehind) {
  Simulation simulation(Mixed());
  ASSERT_FALSE(simulation.Run().has_value());
  const Report report = simulation.MakeReport();
  EXPECT_EQ(report.unfinished, 0);
  EXPECT_EQ(report.tasks.arrived,
            report.tasks.refused + report.tasks.succeeded + report.tasks.failed);
  for (const auto& worker : simulation.fleet()) {
    const engine::Load load = worker->driver.engine().load();
    EXPECT_EQ(load.allocated_slots + load.running_slots, 0);
  }
}

TEST(SimulationTest, TheSourcesStartWhenEveryWorkerIsReady) {
  Scenario scenario = Station(5, 1, PoissonSource(1, Milliseconds(1), 1));
  scenario.workload[0].arrivals = ArrivalPattern(ConstantArrivals{50'000});
  scenario.executors.start_delay = Milliseconds(700);
  const TabledRun run = RunWithTables(scenario);
  EXPECT_EQ(run.report.tasks.refused, 0);
  EXPECT_EQ(run.report.simulated, engine::Milliseconds(51));
  ASSERT_EQ(run.tasks.size(), 1u);
  EXPECT_EQ(run.tasks[0].at("arrived_us"), "50000");
}

TEST(SimulationTest, AFleetThatNeverGetsReadyRefusesEverything) {
  Scenario scenario = Station(5, 1, PoissonSource(1, Milliseconds(1), 10));
  scenario.executors.start_failure = 1;
  const Report report = RunToEnd(scenario);
  EXPECT_EQ(report.tasks.refused, 10);
  EXPECT_THAT(report.tasks.refused_by, ::testing::ElementsAre(Pair("UNAVAILABLE", 10)));
}

TEST(SimulationTest, UntilEndsTheRunAndLeavesTheRestUnfinished) {
  Scenario scenario = Station(5, 5, PoissonSource(1, Milliseconds(100'000), 1'000));
  scenario.workload[0].arrivals = ArrivalPattern(ConstantArrivals{1'000'000});
  scenario.until = engine::Milliseconds(4'500);
  const Report report = RunToEnd(scenario);
  EXPECT_EQ(report.simulated, engine::Milliseconds(4'500));
  EXPECT_EQ(report.tasks.arrived, 4);
  EXPECT_EQ(report.unfinished, 4);
  // 0 for one second, then 1, 2, 3 for one second each, and 4 for half a second.
  EXPECT_DOUBLE_EQ(LevelOf(report, Gauge::kSlots).mean, (1 + 2 + 3 + 4 * 0.5) / 4.5);
}

TEST(SimulationTest, TheWarmUpIsNotMeasured) {
  Scenario scenario = Station(5, 5, PoissonSource(1, Milliseconds(500), 10));
  scenario.workload[0].arrivals = ArrivalPattern(ConstantArrivals{1'000'000});
  scenario.warmup = engine::Milliseconds(4'000);
  const Report report = RunToEnd(scenario);
  EXPECT_EQ(report.tasks.warmup, 3);
  EXPECT_EQ(report.tasks.arrived, 7);
  EXPECT_EQ(report.tasks.succeeded, 7);
  EXPECT_EQ(report.measured, engine::Milliseconds(6'500));
  EXPECT_DOUBLE_EQ(LevelOf(report, Gauge::kSlots).mean, 3.5 / 6.5);
}

TEST(SimulationTest, StepsAddUpToTheTotal) {
  const Report report = RunToEnd(Mixed());
  double sum = 0;
  for (std::size_t i = 1; i < kLatencySteps; ++i) sum += (*report.latency)[i].mean;
  EXPECT_NEAR(sum, LatencyOf(report, LatencyStep::kTotal).mean, 1e-6 * sum);
}

TEST(SimulationTest, EachStepIsTheTimeThatItIsNamedFor) {
  // Two at once in a Worker with one of everything: the second waits in each stage in turn.
  Scenario scenario = Station(2, 1, PoissonSource(1, Milliseconds(50), 2));
  scenario.config.builder_slots = 1;
  scenario.config.executor_task_slots = 2;
  scenario.config.plugin_slots = 1;
  WorkloadSource& source = scenario.workload[0];
  source.arrivals = ClosedArrivals{2, Milliseconds(1'000)};
  source.task.activation = Milliseconds(3);
  source.task.builder.duration = Milliseconds(20);
  source.task.writer.emplace().duration = Milliseconds(90);
  const Report report = RunToEnd(scenario);
  const auto longest = [&](LatencyStep step) { return LatencyOf(report, step).max / 1e3; };
  EXPECT_EQ(longest(LatencyStep::kSlot), 0);
  EXPECT_EQ(longest(LatencyStep::kActivation), 3);
  EXPECT_EQ(longest(LatencyStep::kBuilderPermit), 20);
  EXPECT_EQ(longest(LatencyStep::kBuilding), 20);
  EXPECT_EQ(longest(LatencyStep::kExecutors), 30);
  EXPECT_EQ(longest(LatencyStep::kCalls), 50);
  EXPECT_EQ(longest(LatencyStep::kPluginPermit), 40);
  EXPECT_EQ(longest(LatencyStep::kWriting), 90);
}

// When each task arrived and how long its call took, by id: what two variants have in common.
std::map<std::string, std::pair<std::string, std::int64_t>> Luck(const TabledRun& run) {
  std::map<std::string, std::pair<std::string, std::int64_t>> luck;
  for (const auto& row : run.tasks) {
    if (row.at("outcome") != "succeeded") continue;
    const std::int64_t takes =
        std::stoll(row.at("called_us")) - std::stoll(row.at("first_dispatch_us"));
    luck[row.at("task")] = {row.at("arrived_us"), takes};
  }
  return luck;
}

class CommonRandomNumbersTest : public ::testing::Test {
 protected:
  static Scenario Base() {
    Scenario scenario = Station(3, 2, PoissonSource(20, ExponentialSeconds(0.1), 500));
    scenario.workload[0].client.retry = {100'000, ExponentialSeconds(0.3)};
    return scenario;
  }
  static void ExpectTheSameLuck(const Scenario& variant) {
    const auto base = Luck(RunWithTables(Base()));
    EXPECT_EQ(base.size(), 500u);
    EXPECT_EQ(Luck(RunWithTables(variant)), base);
  }
};

TEST_F(CommonRandomNumbersTest, AnotherWorkerDoesNotDisturbArrivalsAndDurations) {
  Scenario variant = Base();
  variant.fleet.workers = 4;
  variant.coordinator.policy = CoordinatorPolicy::kRandom;
  ExpectTheSameLuck(variant);
}

TEST_F(CommonRandomNumbersTest, AnotherRetryDoesNotDisturbArrivalsAndDurations) {
  Scenario variant = Base();
  variant.workload[0].client.retry.backoff = ExponentialSeconds(0.05);
  ExpectTheSameLuck(variant);
}

TEST_F(CommonRandomNumbersTest, MoreExecutorsAndAnotherBuilderDoNotDisturbThem) {
  Scenario variant = Base();
  variant.config.executor_count = 7;
  variant.workload[0].task.builder.duration = ExponentialSeconds(0.02);
  ExpectTheSameLuck(variant);
}

TEST_F(CommonRandomNumbersTest, AnotherSourceDoesNotDisturbTheFirst) {
  Scenario variant = Base();
  variant.workload.push_back(PoissonSource(5, ExponentialSeconds(0.2), 100));
  variant.workload[1].name = "others";
  auto luck = Luck(RunWithTables(variant));
  std::erase_if(luck, [](const auto& task) { return task.first.starts_with("b"); });
  EXPECT_EQ(luck, Luck(RunWithTables(Base())));
}

TEST(SimulationTest, MemoryDoesNotGrowWithFinishedTasks) {
  std::size_t capacity = 0;
  for (const std::int64_t tasks : {2'000, 20'000}) {
    Scenario scenario = Station(20, 20, PoissonSource(100, ExponentialSeconds(0.15), tasks));
    scenario.config.result_retention = engine::Milliseconds(1'000);
    Simulation simulation(scenario);
    ASSERT_FALSE(simulation.Run().has_value());
    if (capacity == 0) capacity = simulation.record_capacity();
    EXPECT_EQ(simulation.record_capacity(), capacity);
    EXPECT_LE(capacity, 21u);
  }
}

TEST(SimulationTest, VirtualTimeThatStandsStillIsAnError) {
  Scenario scenario = Station(1, 1, PoissonSource(1, Milliseconds(10), 1));
  scenario.workload[0].arrivals = ClosedArrivals{2, Milliseconds(0)};
  scenario.workload[0].tasks.reset();
  scenario.until = engine::Milliseconds(1'000);
  Simulation simulation(scenario);
  const auto error = simulation.Run();
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->cause, RunError::Cause::kInput);
  EXPECT_THAT(error->message, ::testing::HasSubstr("thinkTime"));
}

TEST(SimulationTest, ExecutorsThatFailToStartForEverInNoTimeAreAnError) {
  Scenario scenario = Station(1, 1, PoissonSource(1, Milliseconds(10), 1));
  scenario.executors.start_failure = 1;
  scenario.config.executor_restart_delay = engine::Milliseconds(0);
  scenario.config.executor_restart_backoff = engine::Milliseconds(0);
  Simulation simulation(scenario);
  const auto error = simulation.Run();
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->message, ::testing::HasSubstr("executorRestartDelayMs"));
}

TEST(SimulationTest, ATimeSeriesHasARowForEachSecondInWhichAnythingHappened) {
  Scenario scenario = Station(5, 5, PoissonSource(1, Milliseconds(2'500), 2));
  scenario.workload[0].arrivals = ArrivalPattern(ConstantArrivals{1'500'000});
  const TabledRun run = RunWithTables(scenario);
  // The tasks run from 1.5 s to 4 s and from 3 s to 5.5 s; up to 3 s nothing happens after 2 s.
  std::vector<std::pair<std::string, std::string>> slots;
  for (const auto& row : run.series) slots.emplace_back(row.at("second"), row.at("slots"));
  EXPECT_THAT(slots, ::testing::ElementsAre(Pair("1", "0"), Pair("2", "1"), Pair("4", "2"),
                                            Pair("5", "1")));
  EXPECT_EQ(run.series[3].at("succeeded"), "1");
}

}  // namespace
}  // namespace blockx::sim
