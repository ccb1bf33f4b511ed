#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LimitsTest, R_LIM_MoreWatchesThanTheLimitHaveNoSlot) {
  Worker worker({.max_watches = 2});
  worker.Ready().Watch(1, {"t1"});
  worker.Watch(2, {"t1"});
  EXPECT_EQ(worker.Watch(3, {"t1"}), "NoSlot");
}

TEST(LimitsTest, R_LIM_AClosedWatchMakesRoom) {
  Worker worker({.max_watches = 1});
  worker.Ready().Watch(1, {"t1"});
  worker.Unwatch(1);
  EXPECT_EQ(worker.Watch(2, {"t1"}), "");
}

TEST(LimitsTest, R_LIM_AWatchThatEndedMakesRoom) {
  Worker worker({.max_watches = 1});
  worker.Ready().Watch(1, {"t1"});
  worker.ToCalls("t1", {});
  EXPECT_EQ(worker.Watch(2, {"t2"}), "");
}

TEST(LimitsTest, R_LIM_AWatchThatTakesThePlaceOfItsOwnIdNeedsNoRoom) {
  Worker worker({.max_watches = 1, .max_watched_ids = 2});
  worker.Ready().Watch(1, {"t1", "t2"});
  EXPECT_EQ(worker.Watch(1, {"t3", "t4"}), "");
}

TEST(LimitsTest, R_LIM_MoreWatchedIdsThanTheLimitHaveNoSlot) {
  Worker worker({.max_watched_ids = 3});
  worker.Ready().Watch(1, {"t1", "t2"});
  EXPECT_EQ(worker.Watch(2, {"t1", "t2"}), "NoSlot");
  EXPECT_EQ(worker.Watch(2, {"t1"}), "");
}

TEST(LimitsTest, R_LIM_AnIdNamedTwiceInAWatchCountsOnce) {
  Worker worker({.max_watched_ids = 2});
  worker.Ready();
  EXPECT_EQ(worker.Watch(1, {"t1", "t1", "t2", "t2"}), "");
}

TEST(LimitsTest, R_LIM_AWatchedIdThatIsDoneStillCounts) {
  Worker worker({.max_watched_ids = 2});
  worker.Ready().ToCalls("t1", {});
  worker.Watch(1, {"t1", "t2"});
  EXPECT_EQ(worker.Watch(2, {"t3"}), "NoSlot");
}

TEST(LimitsTest, R_LIM_AReopeningBeyondTheLimitLeavesTheOpenWatch) {
  Worker worker({.max_watched_ids = 2});
  worker.Ready().ToBuilder("t1");
  worker.Watch(1, {"t1"});
  EXPECT_EQ(worker.Watch(1, {"t1", "t2", "t3"}), "NoSlot");
  EXPECT_THAT(worker.NotBuilt("t1", {}),
              ElementsAre("converge t1#1 FAILED/BUILDER_FAILED",
                          "notify 1: t1 FAILED/BUILDER_FAILED", "end-watch 1 complete"));
}

TEST(LimitsTest, R_LIM_AListAtTheLimitRuns) {
  Worker worker({.max_calls_per_task = 2});
  EXPECT_THAT(worker.Ready().ToCalls("t1", {"a", "b"}),
              ElementsAre("dispatch 1.1 on 0", "dispatch 2.1 on 1"));
}

TEST(LimitsTest, R_LIM_AListBeyondTheLimitFailsTheTask) {
  Worker worker({.max_calls_per_task = 2});
  EXPECT_THAT(worker.Ready().ToCalls("t1", {"a", "b", "c"}),
              ElementsAre("converge t1#1 FAILED/BUILDER_FAILED"));
}

TEST(LimitsTest, R_LIM_AStreamBeyondTheLimitFailsTheTask) {
  Worker worker({.max_calls_per_task = 2});
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b"});
  EXPECT_THAT(worker.Appended("t1", {"c"}), ElementsAre("converge t1#1 FAILED/BUILDER_FAILED",
                                                        "cancel 1.1 on 0", "cancel 2.1 on 1"));
}

TEST(LimitsTest, R_LIM_AStreamThatFailedByTheLimitStillOccupiesItsScan) {
  Worker worker({.max_calls_per_task = 1, .scan_slots = 1});
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b"});
  EXPECT_THAT(worker.ToStream("t2"), IsEmpty());
  EXPECT_THAT(worker.StreamFailed("t1", Final("CANCELLED")), ElementsAre("start-stream t2#2"));
}

TEST(LimitsTest, R_LIM_ASubcallBeyondTheLimitIsAnsweredAtOnce) {
  Worker worker({.max_calls_per_task = 2});
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.Subcall(1, 1), ElementsAre("dispatch 2.1 on 0"));
  EXPECT_THAT(worker.Subcall(1, 2), ElementsAre("deliver 2 to 1 on 0: CALL_FAILED"));
}

TEST(LimitsTest, R_LIM_SubcallsCountAgainstAStream) {
  Worker worker({.max_calls_per_task = 2});
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.Appended("t1", {"b"}), ElementsAre("converge t1#1 FAILED/BUILDER_FAILED",
                                                        "cancel 1.1 on 0", "cancel 2.1 on 0"));
}

TEST(LimitsTest, R_LIM_ARefusedSubcallGetsNoCallId) {
  Worker worker({.max_calls_per_task = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.ToCalls("t2", {"b"}), ElementsAre("dispatch 2.1 on 1"));
}

TEST(LimitsTest, R_LIM_OutputsUpToTheLimitAreKept) {
  Worker worker({.max_task_output_bytes = 10});
  worker.Ready().ToCalls(TaskWithWriter("t1"), {"a", "b"});
  worker.Succeeded(1, "123456");
  EXPECT_THAT(worker.Succeeded(2, "7890"), ElementsAre("start-writer t1#1 ['123456', '7890']"));
}

TEST(LimitsTest, R_LIM_OutputsBeyondTheLimitFailTheTask) {
  Worker worker({.max_task_output_bytes = 10});
  worker.Ready().ToCalls(TaskWithWriter("t1"), {"a", "b", "c"});
  worker.Succeeded(1, "123456");
  EXPECT_THAT(worker.Succeeded(2, "78901"),
              ElementsAre("converge t1#1 FAILED/CALL_FAILED", "cancel 3.1 on 2"));
}

TEST(LimitsTest, R_LIM_OutputsBeyondTheLimitFailATaskThatContinuesToo) {
  SubmitTask task = TaskWithWriter("t1");
  task.failure_policy = CallFailurePolicy::kContinue;
  Worker worker({.max_task_output_bytes = 10});
  worker.Ready().ToCalls(task, {"a"});
  EXPECT_THAT(worker.Succeeded(1, "12345678901"), ElementsAre("converge t1#1 FAILED/CALL_FAILED"));
}

TEST(LimitsTest, R_LIM_OutputsAreCountedForEachTask) {
  Worker worker({.max_task_output_bytes = 10});
  worker.Ready().ToCalls(TaskWithWriter("t1"), {"a"});
  worker.ToCalls(TaskWithWriter("t2"), {"b"});
  EXPECT_THAT(worker.Succeeded(1, "123456"), ElementsAre("start-writer t1#1 ['123456']"));
  EXPECT_THAT(worker.Succeeded(2, "123456"), ElementsAre("start-writer t2#2 ['123456']"));
}

}  // namespace
}  // namespace blockx::engine
