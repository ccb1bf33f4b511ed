#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

SubmitTask TaskWith(const RetryPolicy& policy, std::string_view task_id = "t1") {
  SubmitTask task = Task(task_id);
  task.retry_policy = policy;
  return task;
}

// When the call of this index is due again after its first attempt failed at 0. Nothing else is
// pending before that.
std::string DueAfterFirstFailure(const SubmitTask& task, std::int64_t index = 0) {
  Worker worker;
  worker.Ready().ToCalls(task, {"a", "b", "c", "d"});
  worker.Failed(index + 1, Retryable("E"));
  return worker.next_deadline();
}

// The expected delays were computed apart from the engine, from the formula on the rules' page.
TEST(RetryTest, R_CALL_4_TheFirstDelay) { EXPECT_EQ(DueAfterFirstFailure(Task("t1")), "10.189ms"); }

TEST(RetryTest, R_CALL_4_TheSecondDelay) {
  Worker worker;
  worker.Ready().ToCalls("t1", {"a"});
  worker.Failed(1, Retryable("E"));
  worker.At(1s).Tick();
  worker.Failed(1, Retryable("E"));
  EXPECT_EQ(worker.next_deadline(), "1020.777ms");
}

TEST(RetryTest, R_CALL_4_TheDelayDependsOnTheIndex) {
  EXPECT_EQ(DueAfterFirstFailure(Task("t1"), 1), "9.995ms");
  EXPECT_EQ(DueAfterFirstFailure(Task("t1"), 2), "9.805ms");
  EXPECT_EQ(DueAfterFirstFailure(Task("t1"), 3), "10.190ms");
}

TEST(RetryTest, R_CALL_4_TheDelayDependsOnTheBytesOfTheTaskId) {
  EXPECT_EQ(DueAfterFirstFailure(Task("t2")), "10.459ms");
  EXPECT_EQ(DueAfterFirstFailure(Task("\u00e9")), "10.405ms");
}

TEST(RetryTest, R_CALL_4_TheIndexIsThePlaceInTheTaskAndNotTheCallId) {
  Worker worker;
  worker.Ready().ToCalls("t0", {"a"});
  worker.ToCalls("t1", {"b"});
  worker.Failed(2, Retryable("E"));
  EXPECT_EQ(worker.next_deadline(), "10.189ms");
}

TEST(RetryTest, R_CALL_4_TheIndexOfASubcallIsItsCallId) {
  Worker worker;
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  worker.Failed(2, Retryable("E"));
  EXPECT_EQ(worker.next_deadline(), "9.805ms");
}

TEST(RetryTest, R_CALL_4_JitterIsInPercent) {
  EXPECT_EQ(DueAfterFirstFailure(
                TaskWith({.max_attempts = 2, .base_backoff = 10ms, .jitter_percent = 1})),
            "10.037ms");
}

TEST(RetryTest, R_CALL_4_WithoutJitterTheDelayIsTheBackoff) {
  EXPECT_EQ(DueAfterFirstFailure(TaskWith({.max_attempts = 2, .base_backoff = 3ms})), "3ms");
}

TEST(RetryTest, R_CALL_4_JitterOfLessThanAMicrosecondIsTruncated) {
  EXPECT_EQ(DueAfterFirstFailure(
                TaskWith({.max_attempts = 2, .base_backoff = 19us, .jitter_percent = 5})),
            "0.019ms");
}

TEST(RetryTest, R_CALL_4_TheBackoffDoublesUpToItsMaximum) {
  Worker worker({.max_backoff = Milliseconds(50)});
  worker.Ready().ToCalls(TaskWith({.max_attempts = 9, .base_backoff = 20ms}), {"a"});
  std::string due;
  for (int attempt = 1; attempt <= 4; ++attempt) {
    worker.At(1s * attempt).Failed(1, Retryable("E"));
    due += worker.next_deadline() + " ";
    worker.At(1s * attempt + 500ms).Tick();
  }
  EXPECT_EQ(due, "1020ms 2040ms 3050ms 4050ms ");
}

// The jitter comes after the cap.
TEST(RetryTest, R_CALL_4_JitterMayExceedTheMaximum) {
  EXPECT_EQ(
      DueAfterFirstFailure(TaskWith({.max_attempts = 2, .base_backoff = 8s, .jitter_percent = 5})),
      "8151.680ms");
  Worker worker({.executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().ToCalls(TaskWith({.max_attempts = 3, .base_backoff = 8s, .jitter_percent = 5}),
                         {"a"});
  worker.Failed(1, Retryable("E"));
  worker.At(10s).Tick();
  worker.Failed(1, Retryable("E"));
  EXPECT_EQ(worker.next_deadline(), "20388.750ms");
}

TEST(RetryTest, R_CALL_4_AHugeBaseSaturates) {
  Worker worker({.executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().ToCalls(TaskWith({.max_attempts = 2, .base_backoff = Duration::max()}), {"a"});
  worker.Failed(1, Retryable("E"));
  EXPECT_EQ(worker.next_deadline(), "10000ms");
}

TEST(RetryTest, R_CALL_4_ManyDoublingsSaturate) {
  SubmitTask task = TaskWith({.max_attempts = 1'000, .base_backoff = 1us});
  task.timeout = 28'000s;
  Worker worker({.executor_heartbeat_timeout = Milliseconds(100'000'000)});
  worker.Ready().ToCalls(task, {"a"});
  for (int attempt = 1; attempt <= 200; ++attempt) {
    worker.At(20s * attempt).Failed(1, Retryable("E"));
    if (attempt == 200) break;
    worker.At(20s * attempt + 15s).Tick();
  }
  EXPECT_EQ(worker.next_deadline(), "4010000ms");
}

TEST(RetryTest, R_CALL_4_ARetryIsExact) {
  Worker worker;
  worker.Ready().ToCalls("t1", {"a"});
  worker.Failed(1, Retryable("E"));
  EXPECT_THAT(worker.At(10'188us).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(10'189us).Tick(), ElementsAre("dispatch 1.2 on 0"));
}

TEST(RetryTest, R_CALL_4_ThereAreAtMostMaxAttempts) {
  Worker worker;
  worker.Ready().ToCalls(TaskWith({.max_attempts = 3}), {"a"});
  worker.Failed(1, Retryable("E"));
  EXPECT_THAT(worker.Tick(), ElementsAre("dispatch 1.2 on 0"));
  worker.Failed(1, Retryable("E"));
  EXPECT_THAT(worker.Tick(), ElementsAre("dispatch 1.3 on 0"));
  EXPECT_THAT(worker.Failed(1, Retryable("E")), ElementsAre("converge t1#1 FAILED/E retryable"));
}

TEST(RetryTest, R_CALL_4_AFailureThatIsNotRetryableIsFinal) {
  Worker worker;
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.Failed(1, Final("E")), ElementsAre("converge t1#1 FAILED/E"));
}

TEST(RetryTest, R_CALL_4_ARetryWaitsForAnExecutor) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls(TaskWith({.max_attempts = 3}), {"a", "b"});
  EXPECT_THAT(worker.Failed(1, Retryable("E")), ElementsAre("dispatch 2.1 on 0"));
  EXPECT_THAT(worker.Tick(), IsEmpty());
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("dispatch 1.2 on 0"));
}

TEST(RetryTest, R_CALL_4_ARetryOfAnEndedTaskNeverComes) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls("t1", {"a", "b"});
  worker.Failed(1, Retryable("E"));
  worker.Failed(2, Final("E"));
  EXPECT_THAT(worker.At(1s).Tick(), IsEmpty());
}

TEST(RetryTest, R_CALL_4_AReportOfAnEarlierAttemptIsDropped) {
  Worker worker;
  worker.Ready().ToCalls(TaskWith({.max_attempts = 3}), {"a"});
  worker.Failed(1, Retryable("E"));
  worker.Tick();
  EXPECT_THAT(worker.Apply(CallSucceeded{
                  .executor = ExecutorId(0), .call = CallId(1), .attempt = Attempt(1)}),
              IsEmpty());
  EXPECT_EQ(worker.dropped(), 1U);
}

}  // namespace
}  // namespace blockx::engine
