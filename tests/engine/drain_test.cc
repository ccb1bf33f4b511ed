#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A Worker with two executors whose heartbeats never time out, and a task in Builder.
Worker WithTask() {
  Worker worker({.executor_count = 2, .executor_heartbeat_timeout = Milliseconds(1'000'000)});
  worker.Ready().ToBuilder("t1");
  return worker;
}

Worker Idle() {
  Worker worker({.executor_count = 1});
  worker.Ready();
  return worker;
}

TEST(DrainTest, R_DR_1_ADrainDeregisters) {
  Worker worker = WithTask();
  EXPECT_THAT(worker.Drain(), ElementsAre("deregister"));
}

TEST(DrainTest, R_DR_1_UnknownTasksAreUnavailable) {
  Worker worker = WithTask();
  worker.Drain();
  EXPECT_EQ(worker.Reserve("t2"), "Unavailable");
  EXPECT_EQ(worker.Submit("t2"), "Unavailable");
}

TEST(DrainTest, R_DR_1_ReservedTasksCannotBeSubmitted) {
  Worker worker = WithTask();
  worker.Reserve("t2");
  worker.Drain();
  EXPECT_EQ(worker.Submit("t2"), "Unavailable");
  EXPECT_EQ(worker.Reserve("t2"), "ALLOCATED slot-1 until 5000ms");
}

TEST(DrainTest, R_DR_1_RunningTasksRunOn) {
  Worker worker = WithTask();
  worker.Drain();
  EXPECT_THAT(worker.Built("t1", {"a"}), ElementsAre("dispatch 1.1 on 0"));
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t1#1 SUCCEEDED", "drain-complete clean"));
}

TEST(DrainTest, R_DR_1_ATaskInPreparingRunsOn) {
  Worker worker = Idle();
  worker.Submit("t1");
  worker.Drain();
  EXPECT_THAT(worker.Prepared("t1"), ElementsAre("start-builder t1#1"));
}

TEST(DrainTest, R_DR_1_KnownTasksAnswerAsBefore) {
  Worker worker = WithTask();
  worker.Drain();
  EXPECT_EQ(worker.Get("t1"), "RUNNING BUILDER slot-0");
  EXPECT_EQ(worker.Watch(1, {"t1"}), "t1 RUNNING BUILDER slot-0");
}

TEST(DrainTest, R_DR_1_WithoutActiveTasksTheDrainIsCompleteAtOnce) {
  EXPECT_THAT(Idle().Drain(), ElementsAre("deregister", "drain-complete clean"));
}

TEST(DrainTest, R_DR_1_AReservationDoesNotDelayTheDrain) {
  Worker worker = Idle();
  worker.Reserve("t1");
  EXPECT_THAT(worker.Drain(), ElementsAre("deregister", "drain-complete clean"));
}

TEST(DrainTest, R_DR_1_ACleanDrainDisarmsItsTimeout) {
  Worker worker({.executor_count = 1, .executor_heartbeat_timeout = Milliseconds(1'000'000)});
  worker.Ready().Drain();
  EXPECT_THAT(worker.At(30s).Tick(), IsEmpty());
}

TEST(DrainTest, R_DR_1_AWorkerThatIsDrainedAndNotStoppedStillAnswers) {
  Worker worker = WithTask();
  worker.Drain();
  worker.NotBuilt("t1", {});
  EXPECT_EQ(worker.Submit("t1"), "FAILED/BUILDER_FAILED");
  EXPECT_EQ(worker.Reserve("t2"), "Unavailable");
}

TEST(DrainTest, R_DR_1_ADrainingWorkerStillRestartsExecutors) {
  Worker worker = WithTask();
  worker.Drain();
  worker.Exited(0);
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("spawn 0.2"));
}

TEST(DrainTest, R_DR_2_TheTimeoutEndsEverything) {
  Worker worker = WithTask();
  worker.At(1s).Drain();
  EXPECT_THAT(worker.At(31s - 1us).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(31s).Tick(),
              ElementsAre("converge t1#1 FAILED/WORKER_SHUTDOWN retryable", "kill 0.1 STOPPED",
                          "kill 1.1 STOPPED", "drain-complete unclean"));
}

TEST(DrainTest, R_DR_2_ForceStopEndsEverything) {
  Worker worker = WithTask();
  worker.Submit("t2");
  worker.Watch(1, {"t2", "t3"});
  EXPECT_THAT(worker.Stop(),
              ElementsAre("deregister", "converge t1#1 FAILED/WORKER_SHUTDOWN retryable",
                          "converge t2#2 FAILED/WORKER_SHUTDOWN retryable",
                          "notify 1: t2 FAILED/WORKER_SHUTDOWN retryable", "end-watch 1 incomplete",
                          "kill 0.1 STOPPED", "kill 1.1 STOPPED", "drain-complete unclean"));
}

TEST(DrainTest, R_DR_2_ForceStopDuringADrainDoesTheRest) {
  Worker worker = WithTask();
  worker.Drain();
  EXPECT_THAT(worker.Stop(),
              ElementsAre("converge t1#1 FAILED/WORKER_SHUTDOWN retryable", "kill 0.1 STOPPED",
                          "kill 1.1 STOPPED", "drain-complete unclean"));
}

TEST(DrainTest, R_DR_2_NothingStartsInTheStepOfAStop) {
  Worker worker({.builder_slots = 1, .executor_count = 1});
  worker.Ready().ToCalls("t1", {"a", "b"});
  worker.ToBuilder("t2");
  worker.ToBuilder("t3");
  EXPECT_THAT(worker.Stop(),
              ElementsAre("deregister", "converge t1#1 FAILED/WORKER_SHUTDOWN retryable",
                          "cancel 1.1 on 0", "converge t2#2 FAILED/WORKER_SHUTDOWN retryable",
                          "converge t3#3 FAILED/WORKER_SHUTDOWN retryable", "kill 0.1 STOPPED",
                          "drain-complete unclean"));
}

TEST(DrainTest, R_DR_2_StoppedExecutorsAreNotRestarted) {
  Worker worker = Idle();
  worker.Stop();
  worker.Exited(0);
  EXPECT_THAT(worker.At(60s).Tick(), IsEmpty());
}

TEST(DrainTest, R_DR_2_ARestartThatWasDueIsCalledOff) {
  Worker worker({.executor_count = 2});
  worker.Ready().Exited(0);
  EXPECT_THAT(worker.Stop(),
              ElementsAre("deregister", "kill 1.1 STOPPED", "drain-complete unclean"));
  EXPECT_THAT(worker.At(1s).Tick(), IsEmpty());
}

TEST(DrainTest, R_DR_2_AnExecutorThatHasNotConnectedIsKilledToo) {
  Worker worker({.executor_count = 2});
  worker.Ready(1);
  EXPECT_THAT(worker.Stop(), ElementsAre("deregister", "kill 0.1 STOPPED", "kill 1.1 STOPPED",
                                         "drain-complete unclean"));
  EXPECT_THAT(worker.Connected(1), IsEmpty());
}

TEST(DrainTest, R_DR_2_AStoppedWorkerRefusesAfterTheArgumentChecks) {
  Worker worker = WithTask();
  worker.Stop();
  EXPECT_EQ(worker.Reserve("t2"), "Unavailable");
  EXPECT_EQ(worker.Submit("t1"), "Unavailable");
  EXPECT_EQ(worker.Watch(1, {"t1"}), "Unavailable");
  EXPECT_EQ(worker.Reserve(""), "InvalidArgument");
  EXPECT_EQ(worker.Submit(""), "InvalidArgument");
  EXPECT_EQ(worker.Watch(1, {}), "InvalidArgument");
}

TEST(DrainTest, R_DR_2_AStoppedWorkerStillGivesResults) {
  Worker worker = WithTask();
  worker.Stop();
  EXPECT_EQ(worker.Get("t1"), "FAILED/WORKER_SHUTDOWN retryable");
  EXPECT_EQ(worker.Get("t2"), "NotFound");
}

TEST(DrainTest, R_DR_2_AStopDoesNotEndReservations) {
  Worker worker = Idle();
  worker.Reserve("t1");
  worker.Stop();
  EXPECT_EQ(worker.Get("t1"), "ALLOCATED slot-0 until 5000ms");
  worker.At(5s).Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(DrainTest, R_DR_2_AStoppedWorkerComesToRest) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls("t1", {"a"});
  worker.ToBuilder("t2");
  worker.Stop();
  worker.Exited(0);
  worker.Exited(1);
  EXPECT_EQ(worker.next_deadline(), "10000ms");  // the pool outage, which the heartbeat shows
  worker.At(10s).Tick();
  EXPECT_EQ(worker.next_deadline(), "300000ms");  // the end of retention
  worker.At(300s).Tick();
  EXPECT_EQ(worker.next_deadline(), "none");
}

TEST(DrainTest, R_DR_3_ForceStopAfterACleanDrainEndsTheRest) {
  Worker worker = Idle();
  worker.Watch(1, {"t1"});
  worker.Drain();
  EXPECT_THAT(worker.Stop(), ElementsAre("end-watch 1 incomplete", "kill 0.1 STOPPED"));
}

TEST(DrainTest, R_DR_3_ASecondDrainDoesNothing) {
  Worker worker = WithTask();
  worker.Drain();
  EXPECT_THAT(worker.At(10s).Drain(), IsEmpty());
  EXPECT_EQ(worker.At(30s).Tick().back(), "drain-complete unclean");  // 30 s after the first
}

TEST(DrainTest, R_DR_3_ASecondStopDoesNothing) {
  Worker worker = WithTask();
  worker.Stop();
  EXPECT_THAT(worker.Stop(), IsEmpty());
}

TEST(DrainTest, R_DR_3_ADrainAfterAStopDoesNothing) {
  Worker worker = WithTask();
  worker.Stop();
  EXPECT_THAT(worker.Drain(), IsEmpty());
}

TEST(DrainTest, R_DR_3_ASecondStartDoesNothing) {
  Worker worker = WithTask();
  EXPECT_THAT(worker.Start(), IsEmpty());
}

TEST(DrainTest, R_DR_3_AStartAfterAStopDoesNothing) {
  Worker worker;
  EXPECT_THAT(worker.Stop(), ElementsAre("drain-complete unclean"));
  EXPECT_THAT(worker.Start(), IsEmpty());
}

TEST(DrainTest, R_DR_3_OrdersThatDoNothingLeaveTheState) {
  Worker worker = WithTask();
  worker.Stop();
  const std::uint64_t before = worker.digest();
  worker.Stop();
  worker.Drain();
  worker.Start();
  EXPECT_EQ(worker.digest(), before);
}

TEST(DrainTest, R_DR_3_AWorkerThatDidNotRegisterDoesNotDeregister) {
  Worker worker({.executor_count = 1});
  worker.Start();
  EXPECT_THAT(worker.Drain(), ElementsAre("drain-complete clean"));
  EXPECT_THAT(worker.Stop(), ElementsAre("kill 0.1 STOPPED"));
}

TEST(DrainTest, R_DR_3_AWorkerThatBecomesReadyWhileDrainingDoesNotRegister) {
  Worker worker({.executor_count = 1});
  worker.Start();
  worker.Drain();
  EXPECT_THAT(worker.Connected(0), IsEmpty());
  EXPECT_THAT(worker.Stop(), ElementsAre("kill 0.1 STOPPED"));
}

TEST(DrainTest, R_DR_3_AStartWhileDrainingSpawnsExecutors) {
  Worker worker({.executor_count = 1});
  worker.Drain();
  EXPECT_THAT(worker.Start(), ElementsAre("spawn 0.1"));
}

}  // namespace
}  // namespace blockx::engine
