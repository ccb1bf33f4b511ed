#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PhasesTest, R_PH_1_PreparationStartsTheSlotAndTheBuilder) {
  Worker worker;
  worker.Ready().Submit("t1");
  EXPECT_THAT(worker.Prepared("t1"), ElementsAre("start-builder t1#1"));
  EXPECT_EQ(worker.Get("t1"), "RUNNING BUILDER slot-0");
}

TEST(PhasesTest, R_PH_1_TheEpochIsPinnedForTheLifeOfTheTask) {
  Worker worker;
  worker.Ready().Submit("t1");
  worker.Prepared("t1", 77);
  worker.Prepared("t1", 78);
  worker.Built("t1", {"a"});
  EXPECT_EQ(worker.Only<DispatchCall>().epoch, CodeEpoch(77));
}

TEST(PhasesTest, R_PH_1_PreparationIsTakenOnce) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  EXPECT_THAT(worker.Prepared("t1"), IsEmpty());
  EXPECT_EQ(worker.dropped(), 1U);
}

TEST(PhasesTest, R_PH_1_AFailedActivationHasItsCode) {
  Worker worker;
  worker.Ready().Submit("t1");
  EXPECT_THAT(worker.NotPrepared("t1", Retryable("IO_SCOPE_FAILED")),
              ElementsAre("converge t1#1 FAILED/IO_SCOPE_FAILED retryable"));
}

TEST(PhasesTest, R_PH_1_AFailedActivationWithoutACodeIsActivationFailed) {
  Worker worker;
  worker.Ready().Submit("t1");
  EXPECT_THAT(worker.NotPrepared("t1", {}), ElementsAre("converge t1#1 FAILED/ACTIVATION_FAILED"));
}

TEST(PhasesTest, R_PH_1_AnActivationCannotFailAfterItSucceeded) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  EXPECT_THAT(worker.NotPrepared("t1", {}), IsEmpty());
}

TEST(PhasesTest, R_PH_2_TheBuilderStartsWithItsPermit) {
  Worker worker({.builder_slots = 1});
  worker.Ready().ToBuilder("t1");
  EXPECT_THAT(worker.ToBuilder("t2"), IsEmpty());
  EXPECT_THAT(worker.NotBuilt("t1", {}),
              ElementsAre("converge t1#1 FAILED/BUILDER_FAILED", "start-builder t2#2"));
}

TEST(PhasesTest, R_PH_2_AFailedBuildHasItsCode) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  EXPECT_THAT(worker.NotBuilt("t1", Final("BUILDER_NOT_FOUND")),
              ElementsAre("converge t1#1 FAILED/BUILDER_NOT_FOUND"));
}

TEST(PhasesTest, R_PH_2_AFailedBuildWithoutACodeIsBuilderFailed) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  EXPECT_THAT(worker.NotBuilt("t1", Retryable("")),
              ElementsAre("converge t1#1 FAILED/BUILDER_FAILED retryable"));
}

TEST(PhasesTest, R_PH_2_AListOverTheLimitIsBuilderFailed) {
  Worker worker({.max_calls_per_task = 2});
  worker.Ready().ToBuilder("t1");
  EXPECT_THAT(worker.Built("t1", {"a", "b", "c"}),
              ElementsAre("converge t1#1 FAILED/BUILDER_FAILED"));
}

TEST(PhasesTest, R_PH_2_ABuildBeforeItsPermitIsDropped) {
  Worker worker({.builder_slots = 1});
  worker.Ready().ToBuilder("t1");
  worker.ToBuilder("t2");
  EXPECT_THAT(worker.Built("t2", {"a"}), IsEmpty());
  EXPECT_EQ(worker.Get("t2"), "RUNNING BUILDER slot-1");
}

TEST(PhasesTest, R_PH_3_CallsStartWithTheExecutorTaskPermit) {
  Worker worker({.executor_task_slots = 1});
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.ToCalls("t2", {"b"}), IsEmpty());
  EXPECT_EQ(worker.Get("t2"), "RUNNING CALLS slot-1");
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t1#1 SUCCEEDED", "dispatch 2.1 on 0"));
}

TEST(PhasesTest, R_PH_3_NoCallsNeedNoPermit) {
  Worker worker({.executor_task_slots = 1});
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.ToCalls("t2", {}), ElementsAre("converge t2#2 SUCCEEDED"));
}

TEST(PhasesTest, R_PH_3_AStreamStartsWithBothPermits) {
  Worker worker({.executor_task_slots = 1});
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.ToStream("t2"), IsEmpty());
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t1#1 SUCCEEDED", "start-stream t2#2"));
}

TEST(PhasesTest, R_PH_3_AStreamThatWaitsForItsScanSitsOnNoExecutorTaskPermit) {
  Worker worker({.executor_task_slots = 2, .scan_slots = 1});
  worker.Ready().ToStream("t1");
  EXPECT_THAT(worker.ToStream("t2"), IsEmpty());
  EXPECT_THAT(worker.ToCalls("t3", {"a"}), ElementsAre("dispatch 1.1 on 0"));
}

TEST(PhasesTest, R_PH_3_AScanPermitOfAStreamThatNeverStartedComesBackAtTheEnd) {
  SubmitTask brief = Task("t2");
  brief.timeout = 1s;
  Worker worker({.executor_task_slots = 1, .scan_slots = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.ToBuilder(brief);
  worker.BuiltStream("t2");
  worker.ToStream("t3");
  EXPECT_EQ(worker.engine().load().scan.waiting, 1);
  worker.At(1s).Tick();
  EXPECT_EQ(worker.Get("t2"), "FAILED/TIMED_OUT retryable");
  EXPECT_EQ(worker.engine().load().scan.waiting, 0);
  EXPECT_EQ(worker.engine().load().scan.in_use, 1);
}

TEST(PhasesTest, R_PH_4_TheWriterGetsTheOutcomesInCallOrder) {
  SubmitTask task = TaskWithWriter("t1");
  task.failure_policy = CallFailurePolicy::kContinue;
  Worker worker;
  worker.Ready().ToCalls(task, {"a", "b", "c"});
  worker.Succeeded(3, "third");
  worker.Failed(2, Final("BROKEN"));
  EXPECT_THAT(worker.Succeeded(1, "first"),
              ElementsAre("start-writer t1#1 ['first', BROKEN, 'third']"));
}

TEST(PhasesTest, R_PH_4_TheWriterStartsWithItsPermit) {
  Worker worker({.plugin_slots = 1});
  worker.Ready().ToPlugin("t1");
  EXPECT_THAT(worker.ToPlugin("t2"), IsEmpty());
  EXPECT_EQ(worker.Get("t2"), "RUNNING PLUGIN slot-1");
  EXPECT_THAT(worker.Written("t1"), ElementsAre("converge t1#1 SUCCEEDED", "start-writer t2#2 []"));
}

TEST(PhasesTest, R_PH_4_WithoutAHandlerTheTaskSucceedsWithoutAPermit) {
  Worker worker({.plugin_slots = 1});
  worker.Ready().ToPlugin("t1");
  worker.ToCalls("t2", {"a"});
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t2#2 SUCCEEDED"));
}

TEST(PhasesTest, R_PH_4_WithoutAHandlerTheTaskStillPassesThroughPlugin) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  worker.Watch(1, {"t1"});
  EXPECT_THAT(
      worker.Built("t1"),
      ElementsAre("notify 1: t1 RUNNING CALLS", "notify 1: t1 RUNNING PLUGIN",
                  "converge t1#1 SUCCEEDED", "notify 1: t1 SUCCEEDED", "end-watch 1 complete"));
}

TEST(PhasesTest, R_PH_5_AWriterThatFinishesGivesTheTaskItsResults) {
  Worker worker;
  worker.Ready().ToPlugin("t1");
  EXPECT_THAT(worker.Written("t1", "rows"), ElementsAre("converge t1#1 SUCCEEDED"));
  EXPECT_EQ(*worker.ResultOf("t1").plugin_results.bytes(), "rows");
}

TEST(PhasesTest, R_PH_5_AFailedWriterHasItsCode) {
  Worker worker;
  worker.Ready().ToPlugin("t1");
  EXPECT_THAT(worker.NotWritten("t1", Retryable("PLUGIN_NOT_FOUND")),
              ElementsAre("converge t1#1 FAILED/PLUGIN_NOT_FOUND retryable"));
}

TEST(PhasesTest, R_PH_5_AFailedWriterWithoutACodeIsPluginFailed) {
  Worker worker;
  worker.Ready().ToPlugin("t1");
  EXPECT_THAT(worker.NotWritten("t1", {}), ElementsAre("converge t1#1 FAILED/PLUGIN_FAILED"));
}

// Brings a task that may take a second to a phase, and lets the second pass.
Texts TimeOutIn(Worker& worker, void (*advance)(Worker&), const SubmitTask& task = Task("t1")) {
  SubmitTask brief = task;
  brief.timeout = 1s;
  worker.Ready().Submit(brief);
  advance(worker);
  return worker.At(1s).Tick();
}

constexpr char kTimedOut[] = "converge t1#1 FAILED/TIMED_OUT retryable";

TEST(PhasesTest, R_PH_6_ATaskTimesOutInPreparing) {
  Worker worker;
  EXPECT_THAT(TimeOutIn(worker, [](Worker&) {}), ElementsAre(kTimedOut));
}

TEST(PhasesTest, R_PH_6_ATaskTimesOutInBuilder) {
  Worker worker;
  EXPECT_THAT(TimeOutIn(worker, [](Worker& w) { w.Prepared("t1"); }), ElementsAre(kTimedOut));
}

TEST(PhasesTest, R_PH_6_ATaskTimesOutWaitingForItsBuilder) {
  Worker worker({.builder_slots = 1});
  const auto advance = [](Worker& w) {
    w.ToBuilder("t0");
    w.Prepared("t1");
  };
  EXPECT_THAT(TimeOutIn(worker, advance), ElementsAre(kTimedOut));
}

TEST(PhasesTest, R_PH_6_ATaskTimesOutInCalls) {
  Worker worker;
  const auto advance = [](Worker& w) {
    w.Prepared("t1");
    w.Built("t1", {"a"});
  };
  EXPECT_THAT(TimeOutIn(worker, advance), ElementsAre(kTimedOut, "cancel 1.1 on 0"));
}

TEST(PhasesTest, R_PH_6_ATaskTimesOutInPlugin) {
  Worker worker;
  const auto advance = [](Worker& w) {
    w.Prepared("t1");
    w.Built("t1");
  };
  EXPECT_THAT(TimeOutIn(worker, advance, TaskWithWriter("t1")), ElementsAre(kTimedOut));
}

TEST(PhasesTest, R_PH_7_AFailureAfterAcceptanceIsAResultAndNoError) {
  Worker worker;
  EXPECT_EQ(worker.Ready().Submit("t1"), "RUNNING PREPARING slot-0 until 5000ms");
  worker.NotPrepared("t1", {});
  EXPECT_EQ(worker.Submit("t1"), "FAILED/ACTIVATION_FAILED");
  EXPECT_EQ(worker.Get("t1"), "FAILED/ACTIVATION_FAILED");
}

TEST(PhasesTest, AllPhasesButTheLastShowAsRunning) {
  Worker worker;
  worker.Ready().Submit(TaskWithWriter("t1"));
  EXPECT_EQ(worker.Get("t1"), "RUNNING PREPARING slot-0 until 5000ms");
  worker.Prepared("t1");
  EXPECT_EQ(worker.Get("t1"), "RUNNING BUILDER slot-0");
  worker.Built("t1", {"a"});
  EXPECT_EQ(worker.Get("t1"), "RUNNING CALLS slot-0");
  worker.Succeeded(1);
  EXPECT_EQ(worker.Get("t1"), "RUNNING PLUGIN slot-0");
  worker.Written("t1");
  EXPECT_EQ(worker.Get("t1"), "SUCCEEDED");
}

TEST(PhasesTest, TheTerminalViewHasItsPhaseAndNoSlot) {
  Worker worker;
  worker.Ready().ToCalls("t1", {});
  Engine engine = worker.engine();
  const Result<TaskView> reply = engine.Apply(GetTaskResult{.task_id = "t1"}, kStart);
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply.value().phase, Phase::kTerminal);
  EXPECT_FALSE(reply.value().slot.has_value());
  EXPECT_FALSE(reply.value().lease_expires_at.has_value());
}

}  // namespace
}  // namespace blockx::engine
