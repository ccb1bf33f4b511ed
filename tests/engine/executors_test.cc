#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One executor, and nothing else that could time out.
Config OneExecutor() { return {.executor_count = 1}; }

TEST(ExecutorsTest, R_EX_1_StartSpawnsEachExecutor) {
  Worker worker({.executor_count = 3});
  EXPECT_THAT(worker.Start(), ElementsAre("spawn 0.1", "spawn 1.1", "spawn 2.1"));
}

TEST(ExecutorsTest, R_EX_1_AnExecutorIsHealthyOnceConnected) {
  Worker worker({.executor_count = 2});
  worker.Start();
  EXPECT_EQ(worker.engine().DeriveHeartbeat().healthy_executors, 0);
  worker.Connected(1);
  EXPECT_EQ(worker.engine().DeriveHeartbeat().healthy_executors, 1);
}

TEST(ExecutorsTest, R_EX_1_AnExecutorThatDoesNotConnectIsKilled) {
  Worker worker({.executor_count = 2});
  worker.At(1100ms).Start();
  worker.Connected(0);
  EXPECT_THAT(worker.At(11'100ms - 1us).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(11'100ms).Tick(), ElementsAre("kill 1.1 START_TIMEOUT"));
}

TEST(ExecutorsTest, R_EX_1_AnExecutorThatTheEngineDoesNotHaveIsDropped) {
  Worker worker(OneExecutor());
  worker.Start();
  for (const std::int64_t id : {-1, 1, 1'000'000}) {
    EXPECT_THAT(
        worker.Apply(ExecutorConnected{.executor = ExecutorId(id), .generation = Generation(1)}),
        IsEmpty());
  }
  EXPECT_EQ(worker.dropped(), 3U);
}

TEST(ExecutorsTest, R_EX_2_TheFirstHealthyExecutorRegistersTheWorker) {
  Worker worker({.executor_count = 2});
  worker.Start();
  EXPECT_EQ(worker.Reserve("t1"), "Unavailable");
  EXPECT_THAT(worker.Connected(1), ElementsAre("register"));
  EXPECT_EQ(worker.Reserve("t1"), "ALLOCATED slot-0 until 5000ms");
}

TEST(ExecutorsTest, R_EX_2_TheWorkerIsRegisteredOnce) {
  Worker worker({.executor_count = 2});
  worker.Ready(1);
  EXPECT_THAT(worker.Connected(1), IsEmpty());
  worker.Exited(0);
  worker.Exited(1);
  worker.At(1s).Tick();
  EXPECT_THAT(worker.Connected(0), IsEmpty());
}

TEST(ExecutorsTest, R_EX_2_WithoutAHealthyExecutorUnknownTasksAreUnavailable) {
  Worker worker;
  worker.Start();
  EXPECT_EQ(worker.Reserve("t1"), "Unavailable");
  EXPECT_EQ(worker.Submit("t1"), "Unavailable");
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(ExecutorsTest, R_EX_3_AnExecutorWithoutHeartbeatsIsKilled) {
  Worker worker(OneExecutor());
  worker.Ready().At(10s - 1us).Tick();
  EXPECT_THAT(worker.commands(), IsEmpty());
  EXPECT_THAT(worker.At(10s).Tick(), ElementsAre("kill 0.1 HEARTBEAT_TIMEOUT"));
}

TEST(ExecutorsTest, R_EX_3_AHeartbeatGivesAnotherTimeout) {
  Worker worker(OneExecutor());
  worker.Ready().At(9s).Beat(0);
  EXPECT_THAT(worker.At(18s).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(19s).Tick(), ElementsAre("kill 0.1 HEARTBEAT_TIMEOUT"));
}

TEST(ExecutorsTest, R_EX_3_AHeartbeatOfAnotherGenerationIsDropped) {
  Worker worker(OneExecutor());
  worker.Ready().At(9s).Apply(
      ExecutorHeartbeat{.executor = ExecutorId(0), .generation = Generation(2)});
  EXPECT_EQ(worker.dropped(), 1U);
  EXPECT_THAT(worker.At(10s).Tick(), ElementsAre("kill 0.1 HEARTBEAT_TIMEOUT"));
}

TEST(ExecutorsTest, R_EX_3_AHeartbeatBeforeTheConnectionIsDropped) {
  Worker worker(OneExecutor());
  worker.Start();
  worker.At(9s).Beat(0);
  EXPECT_THAT(worker.At(10s).Tick(), ElementsAre("kill 0.1 START_TIMEOUT"));
}

// Heartbeats at these seconds, with a running call or 0 and a scheduler activity; then a Tick.
struct Pulse {
  Duration at;
  std::int64_t running_call;
  std::int64_t activity;
};

Texts AfterPulses(std::initializer_list<Pulse> pulses, Duration tick,
                  Duration stall_timeout = 20s) {
  Worker worker({.executor_count = 1,
                 .executor_heartbeat_timeout = Milliseconds(1'000'000),
                 .scheduler_stall_timeout = stall_timeout});
  worker.Ready();
  for (const Pulse& pulse : pulses) worker.At(pulse.at).Beat(0, pulse.running_call, pulse.activity);
  return worker.At(tick).Tick();
}

TEST(ExecutorsTest, R_EX_4_AStalledSchedulerIsKilled) {
  EXPECT_THAT(AfterPulses({{1s, 5, 77}, {20s, 5, 77}}, 21s + 1us), ElementsAre("kill 0.1 WEDGED"));
}

TEST(ExecutorsTest, R_EX_4_TheStallMustBeLongerThanTheTimeout) {
  EXPECT_THAT(AfterPulses({{1s, 5, 77}, {20s, 5, 77}}, 21s), IsEmpty());
}

TEST(ExecutorsTest, R_EX_4_TheNextDeadlineIsPastTheTimeout) {
  Config config = {.executor_count = 1,
                   .executor_heartbeat_timeout = Milliseconds(1'000'000),
                   .scheduler_stall_timeout = Milliseconds(20'000)};
  Worker on_grid(config);
  on_grid.Ready().Beat(0, 5, 77);
  EXPECT_EQ(on_grid.next_deadline(), "20500ms");
  config.tick_interval = Duration();
  Worker exact(config);
  exact.Ready().Beat(0, 5, 77);
  EXPECT_EQ(exact.next_deadline(), "20000.001ms");
}

TEST(ExecutorsTest, R_EX_4_TheStallBeginsWithARunningCall) {
  EXPECT_THAT(AfterPulses({{1s, 0, 77}, {10s, 5, 77}}, 29s), IsEmpty());
  EXPECT_THAT(AfterPulses({{1s, 0, 77}, {10s, 5, 77}}, 31s), ElementsAre("kill 0.1 WEDGED"));
}

TEST(ExecutorsTest, R_EX_4_AHeartbeatWithoutARunningCallEndsTheStall) {
  EXPECT_THAT(AfterPulses({{1s, 5, 77}, {15s, 0, 77}}, 100s), IsEmpty());
}

TEST(ExecutorsTest, R_EX_4_AnotherActivityBeginsAnotherStall) {
  EXPECT_THAT(AfterPulses({{1s, 5, 77}, {15s, 5, 78}}, 34s), IsEmpty());
  EXPECT_THAT(AfterPulses({{1s, 5, 77}, {15s, 5, 78}}, 36s), ElementsAre("kill 0.1 WEDGED"));
}

TEST(ExecutorsTest, R_EX_4_AnotherRunningCallDoesNotEndTheStall) {
  EXPECT_THAT(AfterPulses({{1s, 5, 77}, {15s, 6, 77}}, 22s), ElementsAre("kill 0.1 WEDGED"));
}

TEST(ExecutorsTest, R_EX_4_SilenceDoesNotEndTheStall) {
  EXPECT_THAT(AfterPulses({{1s, 5, 77}}, 22s), ElementsAre("kill 0.1 WEDGED"));
}

TEST(ExecutorsTest, R_EX_4_ByDefaultTheTimeoutIsTheCallDeadlineAndTenSeconds) {
  EXPECT_THAT(AfterPulses({{0s, 5, 77}}, 70s, Duration()), IsEmpty());
  EXPECT_THAT(AfterPulses({{0s, 5, 77}}, 71s, Duration()), ElementsAre("kill 0.1 WEDGED"));
}

TEST(ExecutorsTest, R_EX_4_ByDefaultTheTimeoutIsAtLeastThirtySeconds) {
  EXPECT_EQ(SchedulerStallTimeout(Config{.call_deadline = Milliseconds(1'000)}), 30s);
  EXPECT_EQ(SchedulerStallTimeout(Config{.call_deadline = Milliseconds(25'000)}), 35s);
  EXPECT_EQ(SchedulerStallTimeout(Config{.scheduler_stall_timeout = Milliseconds(1)}), 1ms);
}

TEST(ExecutorsTest, R_EX_5_AnExecutorThatExitsIsRestartedAfterTheDelay) {
  Worker worker(OneExecutor());
  worker.Ready().At(1100ms).Exited(0);
  EXPECT_THAT(worker.At(2100ms - 1us).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(2100ms).Tick(), ElementsAre("spawn 0.2"));
}

TEST(ExecutorsTest, R_EX_5_AFailedSpawnIsRestartedToo) {
  Worker worker(OneExecutor());
  worker.Start();
  worker.Exited(0);
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("spawn 0.2"));
}

TEST(ExecutorsTest, R_EX_5_ARestartHasItsOwnStartTimeout) {
  Worker worker(OneExecutor());
  worker.Start();
  worker.Exited(0);
  worker.At(1s).Tick();
  EXPECT_THAT(worker.At(10s).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(11s).Tick(), ElementsAre("kill 0.2 START_TIMEOUT"));
}

TEST(ExecutorsTest, R_EX_5_WithoutRestartsAnExecutorStaysAway) {
  Worker worker({.executor_count = 1, .executor_restart_enabled = false});
  worker.Ready().Exited(0);
  EXPECT_THAT(worker.At(1'000s).Tick(), IsEmpty());
}

TEST(ExecutorsTest, R_EX_5_AnExitIsTakenOnce) {
  Worker worker(OneExecutor());
  worker.Ready().Exited(0);
  worker.Exited(0);
  EXPECT_EQ(worker.dropped(), 1U);
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("spawn 0.2"));
  worker.Apply(ExecutorExited{.executor = ExecutorId(0), .generation = Generation(1)});
  EXPECT_THAT(worker.At(5s).Tick(), IsEmpty());
}

// Delays of 1 s, and of 30 s when `max_restarts` is reached within 60 s.
Config Restarting(std::int64_t max_restarts) {
  return {.executor_count = 1, .executor_max_restarts = max_restarts};
}

TEST(ExecutorsTest, R_EX_5_TooManyRestartsMakeTheDelayLonger) {
  Worker worker(Restarting(3));
  worker.Start();
  worker.Exited(0);  // n = 0
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("spawn 0.2"));
  worker.Exited(0);  // n = 1
  EXPECT_THAT(worker.At(2s).Tick(), ElementsAre("spawn 0.3"));
  worker.Exited(0);  // n = 2: n + 1 reaches the limit
  EXPECT_THAT(worker.At(32s - 1us).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(32s).Tick(), ElementsAre("spawn 0.4"));
}

TEST(ExecutorsTest, R_EX_5_TheBackoffClearsNothing) {
  Worker worker(Restarting(2));
  worker.Start();
  worker.Exited(0);
  worker.At(1s).Tick();
  worker.Exited(0);
  EXPECT_THAT(worker.At(31s).Tick(), ElementsAre("spawn 0.3"));
  worker.At(32s).Exited(0);  // the restarts at 1 s and 31 s both count
  EXPECT_EQ(worker.next_deadline(), "62000ms");
}

TEST(ExecutorsTest, R_EX_5_RestartsBeforeTheWindowDoNotCount) {
  Worker worker(Restarting(2));
  worker.Start();
  worker.Exited(0);
  worker.At(1s).Tick();
  worker.At(61s).Exited(0);  // the restart at 1 s is not later than 61 s - 60 s
  EXPECT_EQ(worker.next_deadline(), "62000ms");
}

TEST(ExecutorsTest, R_EX_5_RestartsWithinTheWindowCount) {
  Worker worker(Restarting(2));
  worker.Start();
  worker.Exited(0);
  worker.At(1s).Tick();
  worker.At(61s - 1us).Exited(0);
  EXPECT_EQ(worker.next_deadline(), "90999.999ms");
}

TEST(ExecutorsTest, R_EX_5_ALimitOfOneMakesEachDelayLong) {
  Worker worker(Restarting(1));
  worker.Start();
  worker.Exited(0);
  EXPECT_EQ(worker.next_deadline(), "30000ms");
}

TEST(ExecutorsTest, R_EX_5_EachExecutorIsCountedByItself) {
  Worker worker({.executor_count = 2, .executor_max_restarts = 2});
  worker.Start();
  worker.Exited(0);
  worker.At(1s).Tick();
  worker.Exited(1);
  EXPECT_THAT(worker.At(2s).Tick(), ElementsAre("spawn 1.2"));
}

TEST(ExecutorsTest, R_EX_6_AnExecutorIsKilledAtMostOnce) {
  Worker worker(OneExecutor());
  worker.Ready().Beat(0, 5, 77);
  worker.ToCalls("t1", {"a"});
  EXPECT_THAT(worker.At(10s).Tick(), ElementsAre("kill 0.1 HEARTBEAT_TIMEOUT"));
  EXPECT_THAT(worker.At(60s).Tick(), ElementsAre("cancel 1.1 on 0"));
  EXPECT_THAT(worker.At(100s).Tick(), IsEmpty());
}

TEST(ExecutorsTest, R_EX_6_AKilledExecutorIsNotHealthy) {
  Worker worker(OneExecutor());
  worker.Ready().At(10s).Tick();
  EXPECT_EQ(worker.engine().DeriveHeartbeat().healthy_executors, 0);
  worker.Beat(0);
  EXPECT_EQ(worker.engine().DeriveHeartbeat().healthy_executors, 0);
}

TEST(ExecutorsTest, R_EX_6_AKilledExecutorCannotConnect) {
  Worker worker(OneExecutor());
  worker.Start();
  worker.At(10s).Tick();
  EXPECT_THAT(worker.Connected(0), IsEmpty());
  EXPECT_EQ(worker.engine().DeriveHeartbeat().healthy_executors, 0);
}

TEST(ExecutorsTest, R_EX_6_AKilledExecutorIsGoneOnlyWithItsExit) {
  Worker worker(OneExecutor());
  worker.Ready().At(10s).Tick();
  EXPECT_THAT(worker.At(60s).Tick(), IsEmpty());
  worker.Exited(0);
  EXPECT_THAT(worker.At(61s).Tick(), ElementsAre("spawn 0.2"));
}

TEST(ExecutorsTest, R_EX_6_TheNextGenerationMayBeKilledToo) {
  Worker worker(OneExecutor());
  worker.Ready().At(10s).Tick();
  worker.Exited(0);
  worker.At(11s).Tick();
  worker.Connected(0);
  EXPECT_THAT(worker.At(21s).Tick(), ElementsAre("kill 0.2 HEARTBEAT_TIMEOUT"));
}

TEST(ExecutorsTest, R_EX_7_AfterTheTimeoutWithoutAnExecutorNewTasksAreUnavailable) {
  Worker worker(OneExecutor());
  worker.Ready().At(100ms).Exited(0);
  worker.At(10'100ms - 1us).Tick();
  EXPECT_EQ(worker.Reserve("t1"), "ALLOCATED slot-0 until 15099.999ms");
  worker.At(10'100ms).Tick();
  EXPECT_EQ(worker.Reserve("t2"), "Unavailable");
  EXPECT_EQ(worker.Submit("t3"), "Unavailable");
}

TEST(ExecutorsTest, R_EX_7_AnOutageBeginsWithATickOnly) {
  Worker worker(OneExecutor());
  worker.Ready().Exited(0);
  EXPECT_EQ(worker.At(20s).Reserve("t1"), "ALLOCATED slot-0 until 25000ms");
}

TEST(ExecutorsTest, R_EX_7_TheHeartbeatSaysNotReady) {
  Worker worker(OneExecutor());
  worker.Ready().Exited(0);
  worker.At(10s).Tick();
  EXPECT_EQ(worker.heartbeat(), "slots 50: 0 reserved, 0 running, 0 free; 0 healthy");
}

TEST(ExecutorsTest, R_EX_7_AnOutageEndsWhenAnExecutorConnects) {
  Worker worker(OneExecutor());
  worker.Ready().Exited(0);
  worker.At(10s).Tick();
  EXPECT_THAT(worker.commands(), ElementsAre("spawn 0.2"));
  EXPECT_THAT(worker.Connected(0), IsEmpty());
  EXPECT_EQ(worker.heartbeat(), "slots 50: 0 reserved, 0 running, 50 free; 1 healthy, ready");
}

TEST(ExecutorsTest, R_EX_7_AnExecutorInTimePreventsTheOutage) {
  Worker worker(OneExecutor());
  worker.Ready().Exited(0);
  worker.At(1s).Tick();
  worker.At(9s).Connected(0);
  worker.At(10s).Tick();
  EXPECT_EQ(worker.Reserve("t1"), "ALLOCATED slot-0 until 15000ms");
}

TEST(ExecutorsTest, R_EX_7_AKilledExecutorIsNoHealthyOne) {
  Worker worker(OneExecutor());
  worker.Ready().At(10s).Tick();
  worker.At(20s).Tick();
  EXPECT_EQ(worker.Reserve("t1"), "Unavailable");
}

TEST(ExecutorsTest, R_EX_7_AWorkerThatWasNeverReadyHasNoOutage) {
  Worker worker(OneExecutor());
  worker.Start();
  worker.Exited(0);
  EXPECT_EQ(worker.next_deadline(), "1000ms");  // the restart
  worker.At(1s).Tick();
  EXPECT_EQ(worker.next_deadline(), "11000ms");  // its start time-out
}

}  // namespace
}  // namespace blockx::engine
