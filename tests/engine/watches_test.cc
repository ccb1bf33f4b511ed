#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WatchesTest, R_W_1_TheReplyHasTheKnownTasksInTheOrderAsked) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  worker.Reserve("t2");
  worker.ToCalls("t3", {});
  EXPECT_EQ(worker.Watch(1, {"t3", "unknown", "t2", "t1"}),
            "t3 SUCCEEDED; t2 ALLOCATED slot-1 until 5000ms; t1 RUNNING BUILDER slot-0");
}

TEST(WatchesTest, R_W_1_AnUnknownTaskIsWatchedAsSoonAsItIsAccepted) {
  Worker worker;
  worker.Ready();
  EXPECT_EQ(worker.Watch(1, {"t1"}), "");
  worker.Submit("t1");
  EXPECT_THAT(worker.Prepared("t1"),
              ElementsAre("notify 1: t1 RUNNING BUILDER", "start-builder t1#1"));
}

TEST(WatchesTest, R_W_1_ATaskThatHasEndedIsDone) {
  Worker worker;
  worker.Ready().ToCalls("t1", {});
  worker.ToBuilder("t2");
  worker.Watch(1, {"t1", "t2"});
  EXPECT_THAT(worker.commands(), IsEmpty());
  EXPECT_THAT(worker.NotBuilt("t2", {}),
              ElementsAre("converge t2#2 FAILED/BUILDER_FAILED",
                          "notify 1: t2 FAILED/BUILDER_FAILED", "end-watch 1 complete"));
}

TEST(WatchesTest, R_W_1_AWatchOverEndedTasksOnlyEndsAtOnce) {
  Worker worker;
  worker.Ready().ToCalls("t1", {});
  EXPECT_EQ(worker.Watch(1, {"t1"}), "t1 SUCCEEDED");
  EXPECT_THAT(worker.commands(), ElementsAre("end-watch 1 complete"));
}

TEST(WatchesTest, R_W_1_ATaskNamedTwiceCountsOnce) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  EXPECT_EQ(worker.Watch(1, {"t1", "t1"}), "t1 RUNNING BUILDER slot-0");
  EXPECT_THAT(worker.NotBuilt("t1", {}),
              ElementsAre("converge t1#1 FAILED/BUILDER_FAILED",
                          "notify 1: t1 FAILED/BUILDER_FAILED", "end-watch 1 complete"));
}

TEST(WatchesTest, R_W_1_AnOpenIdIsFirstClosed) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  worker.ToBuilder("t2");
  worker.Watch(1, {"t1"});
  worker.Watch(1, {"t2"});
  EXPECT_THAT(worker.NotBuilt("t1", {}), ElementsAre("converge t1#1 FAILED/BUILDER_FAILED"));
  EXPECT_THAT(worker.NotBuilt("t2", {}),
              ElementsAre("converge t2#2 FAILED/BUILDER_FAILED",
                          "notify 1: t2 FAILED/BUILDER_FAILED", "end-watch 1 complete"));
}

TEST(WatchesTest, R_W_1_ClosingForAReopeningStartsTheGrace) {
  Worker worker({.watch_disconnect_grace = Milliseconds(1'000)});
  worker.Ready().ToBuilder("t1");
  worker.Watch(1, {"t1"});
  worker.Watch(1, {"t2"});
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("converge t1#1 FAILED/WATCH_DISCONNECTED"));
}

TEST(WatchesTest, R_W_1_ReopeningOverTheSameTaskLeavesItAttached) {
  Worker worker({.watch_disconnect_grace = Milliseconds(1'000)});
  worker.Ready().ToBuilder("t1");
  worker.Watch(1, {"t1"});
  worker.Watch(1, {"t1"});
  EXPECT_THAT(worker.At(1s).Tick(), IsEmpty());
}

TEST(WatchesTest, R_W_1_ARefusedReopeningChangesNothing) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  worker.Watch(1, {"t1"});
  EXPECT_EQ(worker.Watch(1, {""}), "InvalidArgument");
  EXPECT_THAT(worker.NotBuilt("t1", {}),
              ElementsAre("converge t1#1 FAILED/BUILDER_FAILED",
                          "notify 1: t1 FAILED/BUILDER_FAILED", "end-watch 1 complete"));
}

TEST(WatchesTest, R_W_1_ClosingAWatchThatIsNotOpenDoesNothing) {
  Worker worker;
  worker.Ready();
  EXPECT_THAT(worker.Unwatch(1), IsEmpty());
}

TEST(WatchesTest, R_W_2_AWatcherIsToldOfEachPhaseAndOfTheEnd) {
  Worker worker;
  worker.Ready().Submit(TaskWithWriter("t1"));
  worker.Watch(1, {"t1"});
  EXPECT_THAT(worker.Prepared("t1"),
              ElementsAre("notify 1: t1 RUNNING BUILDER", "start-builder t1#1"));
  EXPECT_THAT(worker.Built("t1", {"a"}),
              ElementsAre("notify 1: t1 RUNNING CALLS", "dispatch 1.1 on 0"));
  EXPECT_THAT(worker.Succeeded(1),
              ElementsAre("notify 1: t1 RUNNING PLUGIN", "start-writer t1#1 ['']"));
  EXPECT_THAT(worker.Written("t1"), ElementsAre("converge t1#1 SUCCEEDED", "notify 1: t1 SUCCEEDED",
                                                "end-watch 1 complete"));
}

TEST(WatchesTest, R_W_2_PreparingIsNotTold) {
  Worker worker;
  worker.Ready().Watch(1, {"t1"});
  worker.Submit("t1");
  EXPECT_THAT(worker.commands(), ElementsAre("prepare t1#1 slot-0"));
}

TEST(WatchesTest, R_W_2_APhaseIsToldWhenItIsEnteredNotWhenItsPermitComes) {
  Worker worker({.builder_slots = 1});
  worker.Ready().ToBuilder("t0");
  worker.Watch(1, {"t1"});
  worker.Submit("t1");
  EXPECT_THAT(worker.Prepared("t1"), ElementsAre("notify 1: t1 RUNNING BUILDER"));
}

TEST(WatchesTest, R_W_2_APhasePassedThroughInOneStepIsTold) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  worker.Watch(1, {"t1"});
  EXPECT_THAT(
      worker.Built("t1"),
      ElementsAre("notify 1: t1 RUNNING CALLS", "notify 1: t1 RUNNING PLUGIN",
                  "converge t1#1 SUCCEEDED", "notify 1: t1 SUCCEEDED", "end-watch 1 complete"));
}

TEST(WatchesTest, R_W_2_TheEndIsToldWithItsResult) {
  Worker worker;
  worker.Ready().ToPlugin("t1");
  worker.Watch(1, {"t1"});
  worker.Written("t1", "rows");
  const NotifyWatch notify = worker.Only<NotifyWatch>();
  ASSERT_NE(notify.result, nullptr);
  EXPECT_EQ(*notify.result->plugin_results.bytes(), "rows");
  EXPECT_EQ(notify.phase, Phase::kTerminal);
}

TEST(WatchesTest, R_W_2_TheEndIsToldOnceThoughTheTaskIdLivesAgain) {
  Worker worker({.result_retention = Duration()});
  worker.Ready().Watch(1, {"t1", "t2"});
  worker.ToCalls("t1", {});
  worker.Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
  EXPECT_THAT(worker.ToCalls("t1", {}), ElementsAre("converge t1#2 SUCCEEDED"));
}

TEST(WatchesTest, R_W_2_AWatchEndsWithTheLastOfItsTasks) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  worker.ToBuilder("t2");
  worker.Watch(1, {"t1", "t2"});
  EXPECT_THAT(worker.NotBuilt("t2", {}), ElementsAre("converge t2#2 FAILED/BUILDER_FAILED",
                                                     "notify 1: t2 FAILED/BUILDER_FAILED"));
  EXPECT_THAT(worker.NotBuilt("t1", {}),
              ElementsAre("converge t1#1 FAILED/BUILDER_FAILED",
                          "notify 1: t1 FAILED/BUILDER_FAILED", "end-watch 1 complete"));
}

TEST(WatchesTest, R_W_2_AReservationThatExpiresEndsNoWatch) {
  Worker worker;
  worker.Ready().Watch(1, {"t1"});
  worker.Reserve("t1");
  EXPECT_THAT(worker.At(5s).Tick(), IsEmpty());
}

TEST(WatchesTest, R_W_2_SeveralWatchersAreToldByWatchId) {
  Worker worker;
  worker.Ready().Submit("t1");
  for (const std::int64_t watch : {7, -2, 3}) worker.Watch(watch, {"t1"});
  EXPECT_THAT(worker.Prepared("t1"),
              ElementsAre("notify -2: t1 RUNNING BUILDER", "notify 3: t1 RUNNING BUILDER",
                          "notify 7: t1 RUNNING BUILDER", "start-builder t1#1"));
}

TEST(WatchesTest, R_W_2_AClosedWatchIsToldNothing) {
  Worker worker;
  worker.Ready().Submit("t1");
  worker.Watch(1, {"t1"});
  worker.Unwatch(1);
  EXPECT_THAT(worker.Prepared("t1"), ElementsAre("start-builder t1#1"));
}

TEST(WatchesTest, R_W_2_AStopEndsWatchesIncomplete) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToBuilder("t1");
  worker.Watch(5, {"unknown"});
  worker.Watch(2, {"t1", "other"});
  worker.Watch(9, {"t1"});
  EXPECT_THAT(worker.Stop(),
              ElementsAre("deregister", "converge t1#1 FAILED/WORKER_SHUTDOWN retryable",
                          "notify 2: t1 FAILED/WORKER_SHUTDOWN retryable",
                          "notify 9: t1 FAILED/WORKER_SHUTDOWN retryable", "end-watch 9 complete",
                          "end-watch 2 incomplete", "end-watch 5 incomplete", "kill 0.1 STOPPED",
                          "drain-complete unclean"));
}

// A task that had a watch from 0 to 1 s, and a grace of 2 s.
Worker Disconnected() {
  Worker worker({.watch_disconnect_grace = Milliseconds(2'000)});
  worker.Ready().ToBuilder("t1");
  worker.Watch(1, {"t1"});
  worker.At(1s).Unwatch(1);
  return worker;
}

constexpr char kDisconnected[] = "converge t1#1 FAILED/WATCH_DISCONNECTED";

TEST(WatchesTest, R_W_3_TheLastDetachStartsTheGrace) {
  Worker worker = Disconnected();
  EXPECT_THAT(worker.At(2999ms).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(3s).Tick(), ElementsAre(kDisconnected));
}

TEST(WatchesTest, R_W_3_AnAttachClearsTheGrace) {
  Worker worker = Disconnected();
  worker.At(2s).Watch(2, {"t1"});
  EXPECT_THAT(worker.At(9s).Tick(), IsEmpty());
}

TEST(WatchesTest, R_W_3_TheGraceBeginsAnewWithEachLastDetach) {
  Worker worker = Disconnected();
  worker.At(2s).Watch(2, {"t1"});
  worker.At(5s).Unwatch(2);
  EXPECT_THAT(worker.At(6s).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(7s).Tick(), ElementsAre(kDisconnected));
}

TEST(WatchesTest, R_W_3_ADetachThatIsNotTheLastStartsNothing) {
  Worker worker({.watch_disconnect_grace = Milliseconds(2'000)});
  worker.Ready().ToBuilder("t1");
  worker.Watch(1, {"t1"});
  worker.Watch(2, {"t1"});
  worker.Unwatch(1);
  EXPECT_THAT(worker.At(9s).Tick(), IsEmpty());
}

TEST(WatchesTest, R_W_3_AWatchThatIsOpenWhenTheTaskIsAcceptedCounts) {
  Worker worker({.watch_disconnect_grace = Milliseconds(2'000)});
  worker.Ready().Watch(1, {"t1"});
  worker.ToBuilder("t1");
  worker.At(1s).Unwatch(1);
  EXPECT_THAT(worker.At(3s).Tick(), ElementsAre(kDisconnected));
}

TEST(WatchesTest, R_W_3_AWatchThatWasClosedBeforeTheTaskWasAcceptedDoesNotCount) {
  Worker worker({.watch_disconnect_grace = Milliseconds(2'000)});
  worker.Ready().Watch(1, {"t1"});
  worker.Unwatch(1);
  worker.ToBuilder("t1");
  EXPECT_THAT(worker.At(9s).Tick(), IsEmpty());
}

TEST(WatchesTest, R_W_3_WithAGraceOfZeroNothingStarts) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  worker.Watch(1, {"t1"});
  worker.Unwatch(1);
  EXPECT_THAT(worker.At(9s).Tick(), IsEmpty());
}

TEST(WatchesTest, R_W_4_WithoutAWatchTheTaskEndsWhenTheGraceHasPassed) {
  Worker worker = Disconnected();
  worker.At(3s).Tick();
  EXPECT_EQ(worker.Get("t1"), "FAILED/WATCH_DISCONNECTED");
}

TEST(WatchesTest, R_W_4_ATaskThatNeverHadAWatchGoesOn) {
  Worker worker({.watch_disconnect_grace = Milliseconds(2'000)});
  worker.Ready().ToBuilder("t1");
  EXPECT_THAT(worker.At(9s).Tick(), IsEmpty());
}

TEST(WatchesTest, R_W_4_TheGraceEndsATaskInPreparingToo) {
  Worker worker({.watch_disconnect_grace = Milliseconds(2'000)});
  worker.Ready().Submit("t1");
  worker.Watch(1, {"t1"});
  worker.Unwatch(1);
  EXPECT_THAT(worker.At(2s).Tick(), ElementsAre(kDisconnected));
}

}  // namespace
}  // namespace blockx::engine
