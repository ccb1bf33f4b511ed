#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

SubmitTask TaskWithAttempts(std::int64_t attempts) {
  SubmitTask task = Task("t1");
  task.retry_policy = RetryPolicy{.max_attempts = attempts};
  return task;
}

TEST(SubcallsTest, R_SUBC_ASubcallRunsOutsideTheWindow) {
  Worker worker({.ramp_up_initial_window = 1, .ramp_up_max_window = 1});
  worker.Ready().ToCalls("t1", {"a", "b"});
  EXPECT_THAT(worker.Subcall(1, 1), ElementsAre("dispatch 3.1 on 0"));
}

TEST(SubcallsTest, R_SUBC_ADispatchedSubcallHasItsFunctionAndItsTask) {
  Worker worker;
  worker.Ready().Submit("t1");
  worker.Prepared("t1", 7);
  worker.Built("t1", {"a"});
  worker.Subcall(1, 1, "helper");
  const DispatchCall dispatch = worker.Only<DispatchCall>();
  EXPECT_EQ(dispatch.function, "helper");
  EXPECT_EQ(dispatch.task_id, "t1");
  EXPECT_EQ(dispatch.epoch, CodeEpoch(7));
}

TEST(SubcallsTest, R_SUBC_AParentThatWaitsDoesNotOccupyItsExecutor) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.Subcall(1, 1), ElementsAre("dispatch 2.1 on 0"));
  EXPECT_EQ(worker.engine().load().calls_occupying, 1);
}

TEST(SubcallsTest, R_SUBC_TheOutcomeIsDeliveredToTheParent) {
  Worker worker;
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 42);
  EXPECT_THAT(worker.Succeeded(2, "answer"), ElementsAre("deliver 42 to 1 on 0: 'answer'"));
}

TEST(SubcallsTest, R_SUBC_AResumedParentOccupiesAgain) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("deliver 1 to 1 on 0: ''"));
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t1#1 SUCCEEDED", "dispatch 3.1 on 0"));
}

// The subcall runs elsewhere, another call takes the parent's place, and the parent comes back
// beside it.
TEST(SubcallsTest, R_SUBC_AParentIsResumedWithoutWaitingForAPlace) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls("t1", {"a"});
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.Subcall(1, 1), ElementsAre("dispatch 3.1 on 0"));
  worker.Subcall(1, 2);
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("converge t2#2 SUCCEEDED", "dispatch 4.1 on 1"));
  EXPECT_THAT(worker.Succeeded(3), ElementsAre("deliver 1 to 1 on 0: ''"));
  EXPECT_THAT(worker.ToCalls("t3", {"c", "d"}), ElementsAre("dispatch 5.1 on 0"));
  EXPECT_THAT(worker.Succeeded(4), ElementsAre("deliver 2 to 1 on 0: ''", "dispatch 6.1 on 1"));
  EXPECT_EQ(worker.engine().load().calls_occupying, 3);
  worker.ToCalls("t4", {"e"});
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t1#1 SUCCEEDED"));
  EXPECT_THAT(worker.Succeeded(5), ElementsAre("dispatch 7.1 on 0"));
}

TEST(SubcallsTest, R_SUBC_AParentWaitsForTheLastOfItsSubcalls) {
  Worker worker({.executor_count = 3});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  worker.Subcall(1, 2);
  EXPECT_THAT(worker.Succeeded(3), ElementsAre("deliver 2 to 1 on 0: ''"));
  EXPECT_EQ(worker.engine().load().calls_occupying, 1);
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("deliver 1 to 1 on 0: ''"));
  EXPECT_EQ(worker.engine().load().calls_occupying, 1);
}

TEST(SubcallsTest, R_SUBC_ASubcallIsRetriedByItsTasksPolicy) {
  Worker worker;
  worker.Ready().ToCalls(TaskWithAttempts(2), {"a"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.Failed(2, Retryable("E")), IsEmpty());
  EXPECT_THAT(worker.Tick(), ElementsAre("dispatch 2.2 on 0"));
  EXPECT_THAT(worker.Failed(2, Retryable("E")), ElementsAre("deliver 1 to 1 on 0: E retryable"));
}

TEST(SubcallsTest, R_SUBC_ASubcallThatFailsForGoodFailsNothingElse) {
  Worker worker;
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.Failed(2, Final("E")), ElementsAre("deliver 1 to 1 on 0: E"));
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t1#1 SUCCEEDED"));
}

TEST(SubcallsTest, R_SUBC_AParentThatTimesOutCancelsItsSubcalls) {
  Worker worker({.executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().ToCalls(TaskWithAttempts(2), {"a"});
  worker.At(1s).Subcall(1, 1);
  EXPECT_THAT(worker.At(60s).Tick(),
              ElementsAre("cancel 1.1 on 0", "cancel 2.1 on 0", "dispatch 1.2 on 1"));
}

TEST(SubcallsTest, R_SUBC_AReferenceThatIsOutstandingIsDropped) {
  Worker worker;
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 7);
  EXPECT_THAT(worker.Subcall(1, 7), IsEmpty());
  EXPECT_EQ(worker.dropped(), 1U);
}

TEST(SubcallsTest, R_SUBC_ADeliveredReferenceMayBeUsedAgain) {
  Worker worker;
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 7);
  worker.Succeeded(2);
  EXPECT_THAT(worker.Subcall(1, 7), ElementsAre("dispatch 3.1 on 0"));
}

TEST(SubcallsTest, R_SUBC_TwoParentsMayUseTheSameReference) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls("t1", {"a", "b"});
  EXPECT_THAT(worker.Subcall(1, 7), ElementsAre("dispatch 3.1 on 0"));
  EXPECT_THAT(worker.Subcall(2, 7), ElementsAre("dispatch 4.1 on 1"));
}

TEST(SubcallsTest, R_SUBC_SubcallsMayAskForSubcalls) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.Subcall(2, 1), ElementsAre("dispatch 3.1 on 0"));
  EXPECT_THAT(worker.Succeeded(3, "deep"), ElementsAre("deliver 1 to 2 on 0: 'deep'"));
  EXPECT_THAT(worker.Succeeded(2, "less"), ElementsAre("deliver 1 to 1 on 0: 'less'"));
}

TEST(SubcallsTest, R_SUBC_TooDeepIsAnsweredAtOnce) {
  Worker worker({.max_subcall_depth = 1, .executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.Subcall(2, 1), ElementsAre("deliver 1 to 2 on 0: SUBCALL_DEPTH_EXCEEDED"));
}

TEST(SubcallsTest, R_SUBC_EightLevelsAreAllowed) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  for (std::int64_t call = 1; call <= 8; ++call) {
    worker.Subcall(call, 1);
    ASSERT_EQ(worker.Only<DispatchCall>().call, CallId(call + 1));
  }
  EXPECT_THAT(worker.Subcall(9, 1), ElementsAre("deliver 1 to 9 on 0: SUBCALL_DEPTH_EXCEEDED"));
}

TEST(SubcallsTest, R_SUBC_TooDeepGetsNoCallId) {
  Worker worker({.max_subcall_depth = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  worker.Subcall(2, 1);
  EXPECT_THAT(worker.ToCalls("t2", {"b"}), ElementsAre("dispatch 3.1 on 1"));
}

TEST(SubcallsTest, R_SUBC_TooDeepDoesNotSuspend) {
  Worker worker({.max_subcall_depth = 1, .executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  worker.Subcall(2, 1);
  EXPECT_THAT(worker.ToCalls("t2", {"b"}), IsEmpty());
}

TEST(SubcallsTest, R_SUBC_TheEndOfAnAttemptCancelsItsSubcallsAndTheirs) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  worker.Subcall(2, 1);
  EXPECT_THAT(worker.Succeeded(1),
              ElementsAre("cancel 2.1 on 0", "cancel 3.1 on 0", "converge t1#1 SUCCEEDED"));
}

TEST(SubcallsTest, R_SUBC_SubcallsThatNeverStartedEndSilently) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  worker.Subcall(1, 2);
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("cancel 2.1 on 0", "converge t1#1 SUCCEEDED"));
  EXPECT_EQ(worker.engine().load().calls_waiting, 0);
}

TEST(SubcallsTest, R_SUBC_NothingIsDeliveredToAnAttemptThatEnded) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls(TaskWithAttempts(2), {"a"});
  worker.Subcall(1, 1);
  worker.Failed(1, Retryable("E"));
  EXPECT_THAT(worker.Succeeded(2, "late"), IsEmpty());
  EXPECT_THAT(worker.Tick(), ElementsAre("dispatch 1.2 on 0"));
}

TEST(SubcallsTest, R_SUBC_ACancelledParentOccupiesAgainEvenAboveTheLimit) {
  SubmitTask task = Task("t1");
  task.timeout = 1s;
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls(task, {"a"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable",
                                                "cancel 1.1 on 0", "cancel 2.1 on 0"));
  EXPECT_EQ(worker.engine().load().calls_occupying, 2);
  EXPECT_THAT(worker.ToCalls("t2", {"b"}), IsEmpty());
  EXPECT_THAT(worker.Failed(2, Final("CANCELLED")), IsEmpty());
  EXPECT_THAT(worker.Failed(1, Final("CANCELLED")), ElementsAre("dispatch 3.1 on 0"));
}

TEST(SubcallsTest, R_SUBC_ARequestOfAnEndedAttemptIsDropped) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls(TaskWithAttempts(3), {"a"});
  worker.Failed(1, Retryable("E"));
  EXPECT_THAT(worker.Subcall(1, 1), IsEmpty());
  worker.Tick();
  EXPECT_THAT(worker.Apply(SubcallRequested{
                  .executor = ExecutorId(0), .parent = CallId(1), .parent_attempt = Attempt(1)}),
              IsEmpty());
  EXPECT_EQ(worker.dropped(), 2U);
}

TEST(SubcallsTest, R_SUBC_TheWriterSeesRootCallsOnly) {
  Worker worker;
  worker.Ready().ToCalls(TaskWithWriter("t1"), {"a"});
  worker.Subcall(1, 1);
  worker.Succeeded(2, "inner");
  EXPECT_THAT(worker.Succeeded(1, "outer"), ElementsAre("start-writer t1#1 ['outer']"));
}

TEST(SubcallsTest, R_SUBC_ASubcallRunsWhereverThereIsAPlace) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.Subcall(1, 2), ElementsAre("dispatch 3.1 on 1"));
}

TEST(SubcallsTest, R_SUBC_ASubcallOnALostExecutorIsRetriedElsewhere) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls(TaskWithAttempts(2), {"a"});
  worker.Subcall(1, 1);
  worker.Subcall(1, 2);
  EXPECT_THAT(worker.Exited(1), IsEmpty());
  worker.Succeeded(2);
  EXPECT_THAT(worker.Tick(), ElementsAre("dispatch 3.2 on 0"));
}

TEST(SubcallsTest, R_SUBC_AFailureWithoutACodeIsDeliveredAsCallFailed) {
  Worker worker;
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.Failed(2, {}), ElementsAre("deliver 1 to 1 on 0: CALL_FAILED"));
}

TEST(SubcallsTest, R_SUBC_AParentThatIsLostTakesItsSubcallsAlong) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls(TaskWithAttempts(2), {"a"});
  worker.Subcall(1, 1);
  worker.Subcall(1, 2);
  EXPECT_THAT(worker.Exited(0), ElementsAre("cancel 3.1 on 1"));  // 2.1 went with the executor
}

TEST(SubcallsTest, R_SUBC_ARetryOfASubcallEndsWithItsParent) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls(TaskWithWriter("t1"), {"a"});
  worker.Subcall(1, 1);
  worker.Failed(2, Retryable("E"));
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("start-writer t1#1 ['']"));
  EXPECT_THAT(worker.At(1s).Tick(), IsEmpty());
}

}  // namespace
}  // namespace blockx::engine
