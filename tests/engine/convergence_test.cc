#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ConvergenceTest, R_END_1_AllThatFollowsFromAnEndHappensInOneCall) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls("t1", {"a", "b", "c"});
  worker.Watch(2, {"t1", "t2"});
  worker.Watch(1, {"t1"});
  EXPECT_THAT(worker.Failed(1, Final("E")),
              ElementsAre("converge t1#1 FAILED/E", "cancel 2.1 on 1", "notify 1: t1 FAILED/E",
                          "end-watch 1 complete", "notify 2: t1 FAILED/E"));
  EXPECT_EQ(worker.heartbeat(), "slots 50: 0 reserved, 0 running, 50 free; 2 healthy, ready");
}

TEST(ConvergenceTest, R_END_1_CallsAreCancelledInTheOrderOfTheirDispatch) {
  Worker worker({.executor_count = 3});
  worker.Ready().ToCalls("t1", {"a", "b", "c"});
  worker.Failed(1, Retryable("E"));
  worker.At(1s).Tick();
  EXPECT_THAT(worker.Failed(3, Final("E")),
              ElementsAre("converge t1#1 FAILED/E", "cancel 2.1 on 1", "cancel 1.2 on 0"));
}

TEST(ConvergenceTest, R_END_1_TheTaskLeavesEveryQueue) {
  SubmitTask brief = Task("t2");
  brief.timeout = 1s;
  Worker worker({.builder_slots = 1});
  worker.Ready().ToBuilder("t1");
  worker.ToBuilder(brief);
  worker.At(1s).Tick();
  EXPECT_EQ(worker.engine().load().builder.waiting, 0);
  EXPECT_THAT(worker.Built("t1"), ElementsAre("converge t1#1 SUCCEEDED"));
}

TEST(ConvergenceTest, R_END_1_WaitingCallsOfAnEndedTaskAreNeverDispatched) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a", "b"});
  EXPECT_THAT(worker.Failed(1, Final("E")), ElementsAre("converge t1#1 FAILED/E"));
  EXPECT_EQ(worker.engine().load().calls_waiting, 0);
}

TEST(ConvergenceTest, R_END_1_ItHappensOnce) {
  Worker worker;
  worker.Ready().ToPlugin("t1");
  worker.Written("t1");
  EXPECT_THAT(worker.Written("t1"), IsEmpty());
  EXPECT_THAT(worker.NotWritten("t1", {}), IsEmpty());
  EXPECT_THAT(worker.At(300s - 1ms).Alive().Tick(), IsEmpty());
  EXPECT_EQ(worker.Get("t1"), "SUCCEEDED");
  EXPECT_EQ(worker.dropped(), 2U);
}

TEST(ConvergenceTest, R_END_1_TheResultIsKeptForTheRetention) {
  Worker worker({.result_retention = Milliseconds(20'000)});
  worker.Ready().At(1s).ToCalls("t1", {});
  worker.At(20'500ms).Alive().Tick();
  EXPECT_EQ(worker.Get("t1"), "SUCCEEDED");
  worker.At(21s).Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

// Ends a task in one way, and gives its failure as the result tells it.
std::string FailureBy(void (*end_task)(Worker&)) {
  Worker worker({.watch_disconnect_grace = Milliseconds(1'000),
                 .default_max_attempts = 1,
                 .call_deadline = Milliseconds(2'000),
                 .executor_count = 1});
  worker.Ready();
  end_task(worker);
  return worker.Get("t1");
}

TEST(ConvergenceTest, R_END_2_TheEnginesOwnCodes) {
  EXPECT_EQ(FailureBy([](Worker& w) {
              w.Submit("t1");
              w.At(5s).Tick();
            }),
            "FAILED/SLOT_LOST retryable");
  EXPECT_EQ(FailureBy([](Worker& w) {
              w.ToBuilder("t1");
              w.At(300s).Tick();
            }),
            "FAILED/TIMED_OUT retryable");
  EXPECT_EQ(FailureBy([](Worker& w) {
              w.ToBuilder("t1");
              w.Watch(1, {"t1"});
              w.Unwatch(1);
              w.At(1s).Tick();
            }),
            "FAILED/WATCH_DISCONNECTED");
  EXPECT_EQ(FailureBy([](Worker& w) {
              w.ToBuilder("t1");
              w.Stop();
            }),
            "FAILED/WORKER_SHUTDOWN retryable");
  EXPECT_EQ(FailureBy([](Worker& w) {
              w.ToCalls("t1", {"a"});
              w.At(2s).Tick();
            }),
            "FAILED/CALL_TIMED_OUT retryable");
  EXPECT_EQ(FailureBy([](Worker& w) {
              w.ToCalls("t1", {"a"});
              w.Exited(0);
            }),
            "FAILED/EXECUTOR_LOST retryable");
  EXPECT_EQ(FailureBy([](Worker& w) {
              w.ToCalls("t1", {"a"});
              w.Failed(1, {});
            }),
            "FAILED/CALL_FAILED");
}

TEST(ConvergenceTest, R_END_2_TheReportsOwnFlagStands) {
  EXPECT_EQ(FailureBy([](Worker& w) {
              w.ToBuilder("t1");
              w.NotBuilt("t1", Retryable("BUILDER_NOT_FOUND"));
            }),
            "FAILED/BUILDER_NOT_FOUND retryable");
  EXPECT_EQ(FailureBy([](Worker& w) {
              w.ToCalls("t1", {"a"});
              w.Failed(1, Final("CALL_TIMED_OUT"));
            }),
            "FAILED/CALL_TIMED_OUT");
}

TEST(ConvergenceTest, R_END_2_AReportMayBringACodeOfItsOwn) {
  EXPECT_EQ(FailureBy([](Worker& w) {
              w.ToPlugin("t1");
              w.NotWritten("t1", Final("DISK_FULL"));
            }),
            "FAILED/DISK_FULL");
}

TEST(ConvergenceTest, R_END_3_AResultCarriesTheReportedMessage) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  worker.NotBuilt("t1", {.code = "E", .message = "no such table", .retryable = true});
  const TaskResult result = worker.ResultOf("t1");
  EXPECT_EQ(result.state, TaskState::kFailed);
  EXPECT_EQ(result.failure_code, "E");
  EXPECT_EQ(result.message, "no such table");
  EXPECT_TRUE(result.retryable);
}

TEST(ConvergenceTest, R_END_3_ASuccessHasNoFailure) {
  Worker worker;
  worker.Ready().ToCalls("t1", {});
  const TaskResult result = worker.ResultOf("t1");
  EXPECT_EQ(result.state, TaskState::kSucceeded);
  EXPECT_EQ(result.failure_code, "");
  EXPECT_EQ(result.message, "");
  EXPECT_FALSE(result.retryable);
}

TEST(ConvergenceTest, R_END_3_AResultCountsItsCalls) {
  SubmitTask task = Task("t1");
  task.failure_policy = CallFailurePolicy::kContinue;
  task.retry_policy = RetryPolicy{.max_attempts = 3};
  Worker worker;
  worker.Ready().ToCalls(task, {"a", "b", "c"});
  worker.Failed(1, Retryable("E"));
  worker.Tick();
  worker.Failed(1, Retryable("E"));
  worker.Tick();
  worker.Succeeded(1);
  worker.Failed(2, Final("E"));
  worker.Subcall(3, 1);
  worker.Failed(4, Final("E"));
  worker.Succeeded(3);
  const CallCounts calls = worker.ResultOf("t1").calls;
  EXPECT_EQ(calls.total, 4U);
  EXPECT_EQ(calls.failed, 2U);
  EXPECT_EQ(calls.retried, 2U);
}

std::string Times(const StepTimes& times) {
  std::string text;
  for (const Instant time :
       {times.accepted, times.activated, times.builder_granted, times.built, times.scan_granted,
        times.executors_granted, times.called, times.plugin_granted, times.ended}) {
    text += (text.empty() ? "" : " ") + (time == kNever ? std::string("-") : Describe(time));
  }
  return text;
}

// The first task, t0, holds the only permit of each stage when t1 asks for it.
TEST(ConvergenceTest, R_END_3_AResultTellsWhenEachStepHappened) {
  Worker worker({.builder_slots = 1, .executor_task_slots = 1, .plugin_slots = 1});
  worker.Ready().ToBuilder(TaskWithWriter("t0"));
  worker.At(1s).Submit(TaskWithWriter("t1"));
  worker.At(2s).Prepared("t1");
  worker.At(3s).Built("t0", {"a"});
  worker.At(4s).Built("t1", {"b"});
  worker.At(5s).Succeeded(1);
  worker.At(6s).Succeeded(2);
  worker.At(7s).Written("t0");
  worker.At(8s).Written("t1");
  EXPECT_EQ(Times(worker.ResultOf("t1").times),
            "1000ms 2000ms 3000ms 4000ms - 5000ms 6000ms 7000ms 8000ms");
}

TEST(ConvergenceTest, R_END_3_AStreamTellsWhenItsScanWasGranted) {
  Worker worker({.executor_task_slots = 1, .scan_slots = 1});
  worker.Ready().ToStream("t0");
  worker.At(1s).ToStream("t1");
  worker.At(2s).Appended("t0", {"a"});
  worker.At(3s).StreamEnded("t0");
  worker.At(4s).Succeeded(1);
  worker.At(5s).StreamEnded("t1");
  EXPECT_EQ(Times(worker.ResultOf("t1").times),
            "1000ms 1000ms 1000ms 1000ms 3000ms 4000ms 5000ms - 5000ms");
}

TEST(ConvergenceTest, R_END_3_StepsThatWereNotReachedHaveNoTime) {
  Worker worker;
  worker.Ready().At(1s).Submit("t1");
  worker.At(2s).NotPrepared("t1", {});
  EXPECT_EQ(Times(worker.ResultOf("t1").times), "1000ms - - - - - - - 2000ms");
}

TEST(ConvergenceTest, R_RET_AfterRetentionTheIdIsUnknownAndASubmissionIsANewTask) {
  Worker worker({.result_retention = Milliseconds(10'000)});
  worker.Ready().ToCalls("t1", {});
  worker.At(10s).Alive().Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
  EXPECT_EQ(worker.Submit("t1"), "RUNNING PREPARING slot-0 until 15000ms");
  EXPECT_THAT(worker.commands(), ElementsAre("prepare t1#2 slot-0"));
}

TEST(ConvergenceTest, R_RET_WithinRetentionTheResultIsKept) {
  Worker worker({.result_retention = Milliseconds(10'000)});
  worker.Ready().ToCalls("t1", {});
  worker.At(9'999ms).Tick();
  EXPECT_EQ(worker.Get("t1"), "SUCCEEDED");
}

}  // namespace
}  // namespace blockx::engine
