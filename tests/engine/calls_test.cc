#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Retries at once, so often that no test meets the end.
SubmitTask Patient(std::string_view task_id) {
  SubmitTask task = Task(task_id);
  task.retry_policy = RetryPolicy{.max_attempts = 1'000};
  return task;
}

SubmitTask Continuing(SubmitTask task) {
  task.failure_policy = CallFailurePolicy::kContinue;
  return task;
}

TEST(CallsTest, R_CALL_0_CallIdsCountFromOneOverTheEnginesLife) {
  Worker worker;
  EXPECT_THAT(worker.Ready().ToCalls("t1", {"a", "b"}),
              ElementsAre("dispatch 1.1 on 0", "dispatch 2.1 on 1"));
  worker.Failed(1, Final("E"));
  EXPECT_THAT(worker.ToCalls("t2", {"c"}), ElementsAre("dispatch 3.1 on 0"));
}

TEST(CallsTest, R_CALL_0_CallsAreNumberedWhenTheyBecomeKnown) {
  Worker worker({.executor_task_slots = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.ToCalls("t2", {"b", "c"});
  EXPECT_THAT(worker.Subcall(1, 1), ElementsAre("dispatch 4.1 on 0"));
}

TEST(CallsTest, R_CALL_0_ADispatchSaysAllThatTheExecutorNeeds) {
  const std::vector<CallSpec> calls = {{.function = "sum", .args = Payload::FromBytes("1,2")}};
  Worker worker;
  worker.Ready().Submit("t1");
  worker.Prepared("t1", 5);
  worker.Apply(
      BuilderFinished{.task_id = "t1", .run = worker.RunOf("t1"), .outcome = CallList{calls}});
  const DispatchCall dispatch = worker.Only<DispatchCall>();
  EXPECT_EQ(dispatch.executor, ExecutorId(0));
  EXPECT_EQ(dispatch.call, CallId(1));
  EXPECT_EQ(dispatch.task_id, "t1");
  EXPECT_EQ(dispatch.run, worker.RunOf("t1"));
  EXPECT_EQ(dispatch.attempt, Attempt(1));
  EXPECT_EQ(dispatch.deadline, kStart + 60s);
  EXPECT_EQ(dispatch.function, "sum");
  EXPECT_EQ(*dispatch.args->bytes(), "1,2");
  EXPECT_EQ(dispatch.epoch, CodeEpoch(5));
}

TEST(CallsTest, R_CALL_3_AnAttemptHasUntilTheCallDeadline) {
  Worker worker({.executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().At(1s).ToCalls(Patient("t1"), {"a"});
  EXPECT_THAT(worker.At(61s - 1us).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(61s).Tick(), ElementsAre("cancel 1.1 on 0", "dispatch 1.2 on 1"));
}

TEST(CallsTest, R_CALL_3_AnAttemptHasAtMostUntilItsTasksDeadline) {
  SubmitTask task = Task("t1");
  task.timeout = 20s;
  Worker worker;
  worker.Ready().ToCalls(task, {"a"});
  EXPECT_EQ(worker.Only<DispatchCall>().deadline, kStart + 20s);
}

TEST(CallsTest, R_CALL_3_ATimeoutIsARetryableFailure) {
  Worker worker({.default_max_attempts = 1, .executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.At(60s).Tick(),
              ElementsAre("cancel 1.1 on 0", "converge t1#1 FAILED/CALL_TIMED_OUT retryable"));
}

TEST(CallsTest, R_CALL_3_ALateEndOfATimedOutAttemptIsNoOutcome) {
  Worker worker({.executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().ToCalls("t1", {"a"});
  worker.At(60s).Tick();
  EXPECT_THAT(worker.Succeeded(1), IsEmpty());
  EXPECT_EQ(worker.Get("t1"), "RUNNING CALLS slot-0");
}

TEST(CallsTest, R_CALL_5_TheFirstCallThatFailsForGoodEndsTheTask) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls("t1", {"a", "b", "c"});
  EXPECT_THAT(worker.Failed(2, Final("BROKEN")),
              ElementsAre("converge t1#1 FAILED/BROKEN", "cancel 1.1 on 0"));
}

TEST(CallsTest, R_CALL_5_TheTaskHasTheCallsMessageAndFlag) {
  Worker worker({.default_max_attempts = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Failed(1, {.code = "BUSY", .message = "try later", .retryable = true});
  EXPECT_EQ(worker.ResultOf("t1").message, "try later");
  EXPECT_TRUE(worker.ResultOf("t1").retryable);
}

TEST(CallsTest, R_CALL_5_ContinueRunsEveryCall) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls(Continuing(TaskWithWriter("t1")), {"a", "b"});
  EXPECT_THAT(worker.Failed(1, Final("BROKEN")), ElementsAre("dispatch 2.1 on 0"));
  EXPECT_THAT(worker.Succeeded(2, "out"), ElementsAre("start-writer t1#1 [BROKEN, 'out']"));
}

TEST(CallsTest, R_CALL_5_ContinueWithoutAWriterSucceeds) {
  Worker worker;
  worker.Ready().ToCalls(Continuing(Task("t1")), {"a"});
  EXPECT_THAT(worker.Failed(1, Final("BROKEN")), ElementsAre("converge t1#1 SUCCEEDED"));
}

TEST(CallsTest, R_CALL_6_ACancelledCallOccupiesItsExecutorUntilItsEnd) {
  Worker worker({.executor_count = 1, .executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().ToCalls("t1", {"a", "b"});
  EXPECT_THAT(worker.At(60s).Tick(), ElementsAre("cancel 1.1 on 0"));
  EXPECT_THAT(worker.Failed(1, Final("CANCELLED")), ElementsAre("dispatch 2.1 on 0"));
}

TEST(CallsTest, R_CALL_6_TheEndMayAlsoBeASuccess) {
  Worker worker({.executor_count = 1});
  SubmitTask task = Task("t1");
  task.timeout = 1s;
  worker.Ready().ToCalls(task, {"a"});
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.At(1s).Tick(),
              ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable", "cancel 1.1 on 0"));
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("dispatch 2.1 on 0"));
}

TEST(CallsTest, R_CALL_6_AfterTheGraceTheExecutorIsKilled) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls("t1", {"a", "b"});
  worker.At(1s).Failed(1, Final("E"));
  EXPECT_THAT(worker.At(6s - 1us).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(6s).Tick(), ElementsAre("kill 1.1 CANCEL_GRACE"));
}

TEST(CallsTest, R_CALL_6_AnEndWithinTheGraceSparesTheExecutor) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls("t1", {"a", "b"});
  worker.At(1s).Failed(1, Final("E"));
  worker.At(6s).Failed(2, Final("CANCELLED"));
  EXPECT_THAT(worker.Tick(), IsEmpty());
}

TEST(CallsTest, R_CALL_7_AttemptsOnAnExecutorThatExitsAreLost) {
  Worker worker({.default_max_attempts = 1});
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.Exited(0), ElementsAre("converge t1#1 FAILED/EXECUTOR_LOST retryable"));
}

TEST(CallsTest, R_CALL_7_ALostAttemptIsRetriedElsewhere) {
  Worker worker;
  worker.Ready().ToCalls(Patient("t1"), {"a"});
  EXPECT_THAT(worker.Exited(0), IsEmpty());
  EXPECT_THAT(worker.Tick(), ElementsAre("dispatch 1.2 on 1"));
}

TEST(CallsTest, R_CALL_7_ALostAttemptCounts) {
  Worker worker({.default_max_attempts = 2, .default_base_backoff = Duration()});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Exited(0);
  EXPECT_THAT(worker.Tick(), ElementsAre("dispatch 1.2 on 1"));
  EXPECT_THAT(worker.Exited(1), ElementsAre("converge t1#1 FAILED/EXECUTOR_LOST retryable"));
}

TEST(CallsTest, R_CALL_7_AttemptsAreLostInTheOrderOfTheirDispatch) {
  Worker worker(
      {.default_max_attempts = 1, .executor_count = 1, .executor_max_concurrent_calls = 3});
  worker.Ready();
  for (const char* task : {"t1", "t2", "t3"}) worker.ToCalls(task, {"a"});
  EXPECT_THAT(worker.Exited(0), ElementsAre("converge t1#1 FAILED/EXECUTOR_LOST retryable",
                                            "converge t2#2 FAILED/EXECUTOR_LOST retryable",
                                            "converge t3#3 FAILED/EXECUTOR_LOST retryable"));
}

TEST(CallsTest, R_CALL_7_NothingIsCancelledOnAnExecutorThatIsGone) {
  Worker worker(
      {.default_max_attempts = 1, .executor_count = 2, .executor_max_concurrent_calls = 2});
  worker.Ready().ToCalls("t1", {"a", "b", "c", "d"});
  EXPECT_THAT(worker.Exited(0), ElementsAre("converge t1#1 FAILED/EXECUTOR_LOST retryable",
                                            "cancel 2.1 on 1", "cancel 4.1 on 1"));
}

TEST(CallsTest, R_CALL_7_AReportFromAKilledExecutorCounts) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.At(10s).Tick(), ElementsAre("kill 0.1 HEARTBEAT_TIMEOUT"));
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t1#1 SUCCEEDED"));
}

TEST(CallsTest, R_CALL_7_AReportAfterTheExitIsDropped) {
  Worker worker;
  worker.Ready().ToCalls(Patient("t1"), {"a"});
  worker.Exited(0);
  EXPECT_THAT(worker.Succeeded(1), IsEmpty());
  EXPECT_EQ(worker.Get("t1"), "RUNNING CALLS slot-0");
  EXPECT_EQ(worker.dropped(), 1U);
}

TEST(CallsTest, R_CALL_7_AnExitEndsCancelledAttemptsToo) {
  Worker worker({.executor_count = 1, .executor_restart_delay = Duration()});
  SubmitTask task = Task("t1");
  task.timeout = 1s;
  worker.Ready().ToCalls(task, {"a"});
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.At(1s).Tick(),
              ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable", "cancel 1.1 on 0"));
  worker.Exited(0);
  worker.Tick();
  EXPECT_THAT(worker.Connected(0), ElementsAre("dispatch 2.1 on 0"));
  EXPECT_THAT(worker.At(6s).Tick(), IsEmpty());  // no grace is left over
}

TEST(CallsTest, R_CALL_5_TheWriterSeesAMessageOfAtMost4KiB) {
  const std::string message(10'000, 'm');
  Worker worker;
  worker.Ready().ToCalls(Continuing(TaskWithWriter("t1")), {"a"});
  worker.Failed(1, {.code = "E", .message = message});
  EXPECT_EQ(worker.Only<StartWriter>().outcomes.front().failure.message.size(), 4096U);
}

}  // namespace
}  // namespace blockx::engine
