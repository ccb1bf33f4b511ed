#include "blockx/engine/time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
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

constexpr Instant kLast = Instant::max();

SubmitTask TaskFor(std::string_view task_id, Duration timeout) {
  SubmitTask task = Task(task_id);
  task.timeout = timeout;
  return task;
}

TEST(TimeTest, R_TIME_1_InstantsCountMicrosecondsSinceTheEpoch) {
  EXPECT_EQ(AtMicroseconds(1'500'000), Instant() + 1500ms);
}

TEST(TimeTest, R_TIME_1_ConfiguredMillisecondsAreMicrosecondsInside) {
  Worker worker({.default_ttl = Milliseconds(7)});
  worker.Ready();
  EXPECT_EQ(worker.At(1us).Reserve("t1"), "ALLOCATED slot-0 until 7.001ms");
}

TEST(TimeTest, R_TIME_2_AnEarlierNowIsHandledAtTheLastOne) {
  Worker worker;
  worker.Ready().At(2s).Reserve("t1");
  EXPECT_EQ(worker.At(1s).Reserve("t2"), "ALLOCATED slot-1 until 7000ms");
}

TEST(TimeTest, R_TIME_2_ATickWithAnEarlierNowActsAtTheLastOne) {
  Worker worker;
  worker.Ready().Submit(TaskFor("t1", 2s));
  worker.At(3s).Get("t1");
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable"));
}

TEST(TimeTest, R_TIME_2_EachRegressionIsCounted) {
  Worker worker;
  worker.Ready().At(2s).Tick();
  worker.At(1s).Tick();
  worker.At(1s).Get("t1");
  EXPECT_EQ(worker.engine().counters().clock_regressions, 2U);
}

TEST(TimeTest, R_TIME_2_TheSameInstantAgainIsNoRegression) {
  Worker worker;
  worker.Ready().At(2s).Tick();
  worker.Tick();
  EXPECT_EQ(worker.engine().counters().clock_regressions, 0U);
}

TEST(TimeTest, R_TIME_3_AdditionsAndDifferencesSaturate) {
  EXPECT_EQ(AddSaturating(kLast, 1us), kLast);
  EXPECT_EQ(AddSaturating(Instant::min(), -1us), Instant::min());
  EXPECT_EQ(Elapsed(Instant::min(), kLast), Duration::max());
  EXPECT_EQ(Elapsed(kLast, Instant::min()), Duration::min());
  EXPECT_EQ(Milliseconds(std::numeric_limits<std::int64_t>::max()), Duration::max());
}

TEST(TimeTest, R_TIME_3_ALeaseAtTheEndOfTimeSaturates) {
  Engine engine((Config()));
  engine.Apply(Start(), kLast - 1s);
  engine.Apply(ExecutorConnected{.generation = Generation(1)}, kLast - 1s);
  const Result<TaskView> reply = engine.Apply(RequestTaskSlot{.task_id = "t1"}, kLast - 1s);
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply.value().lease_expires_at, kLast);
}

// A life in which every time is near the ends of the time line; gives what is known of the task at
// last.
std::string LiveAt(Instant now) {
  Worker worker({.tick_interval = Milliseconds(7)});
  worker.AtInstant(now).Ready();
  SubmitTask task = Task("t1");
  task.retry_policy =
      RetryPolicy{.max_attempts = 3, .base_backoff = Duration::max(), .jitter_percent = 5};
  worker.ToCalls(task, {"a", "b"});
  worker.Failed(1, Retryable("E"));
  worker.Subcall(2, 1);
  worker.Beat(0, 2, 1);
  worker.Exited(7);
  worker.Tick();
  EXPECT_TRUE(worker.engine().NextDeadline().has_value());
  worker.Drain();
  worker.Stop();
  return worker.Get("t1");
}

// Every deadline is due at once there, the end of retention too.
TEST(TimeTest, R_TIME_3_NothingOverflowsAtTheEndOfTime) { EXPECT_EQ(LiveAt(kLast), "NotFound"); }
TEST(TimeTest, R_TIME_3_NothingOverflowsAtTheBeginningOfTime) {
  EXPECT_EQ(LiveAt(Instant::min() + 1us), "FAILED/WORKER_SHUTDOWN retryable");
}
TEST(TimeTest, R_TIME_3_NothingOverflowsBeforeTheEpoch) {
  EXPECT_EQ(LiveAt(Instant() - 1us), "FAILED/WORKER_SHUTDOWN retryable");
}

TEST(TimeTest, R_TIME_4_ADeadlineIsDueAtItself) {
  Worker worker;
  worker.Ready().Submit(TaskFor("t1", 2s));
  EXPECT_THAT(worker.At(2s).Tick(), ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable"));
}

TEST(TimeTest, R_TIME_4_ADeadlineIsNotDueAMicrosecondEarlier) {
  Worker worker;
  worker.Ready().Submit(TaskFor("t1", 2s));
  EXPECT_THAT(worker.At(2s - 1us).Tick(), IsEmpty());
}

TEST(TimeTest, R_TIME_5_ASlotWhoseLeaseRanOutIsNotFreeBeforeATick) {
  Worker worker({.task_slots = 1});
  worker.Ready().Reserve("t1", 1s);
  EXPECT_EQ(worker.At(2s).Reserve("t2"), "NoSlot");
}

TEST(TimeTest, R_TIME_5_ALeaseThatRanOutStillServesItsHolder) {
  Worker worker;
  worker.Ready().Reserve("t1", 1s);
  EXPECT_EQ(worker.At(2s).Submit("t1"), "RUNNING PREPARING slot-0 until 1000ms");
}

TEST(TimeTest, R_TIME_5_ATaskPastItsDeadlineMayStillFinishBeforeATick) {
  Worker worker;
  worker.Ready().ToBuilder(TaskFor("t1", 1s));
  EXPECT_THAT(worker.At(2s).Built("t1"), ElementsAre("converge t1#1 SUCCEEDED"));
}

TEST(TimeTest, R_TIME_7_TheGridIsTheMultiplesOfTheInterval) {
  Worker worker;
  worker.Ready().At(1100ms).Tick();
  worker.Reserve("t1", 100ms);
  worker.At(1499ms).Tick();
  EXPECT_EQ(worker.Get("t1"), "ALLOCATED slot-0 until 1200ms");
  worker.At(1500ms).Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(TimeTest, R_TIME_7_ATickPastAGridPointActsOnAllThatIsDueByItself) {
  Worker worker;
  worker.Ready().At(1100ms).Tick();
  worker.Reserve("t1", 600ms);
  worker.At(1700ms).Tick();  // The grid point is 1500ms, before the lease's end.
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(TimeTest, R_TIME_7_TheFirstTickActsWhereverItLies) {
  Worker worker;
  worker.Ready().At(1100ms).Reserve("t1", 100ms);
  worker.At(1201ms).Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(TimeTest, R_TIME_7_OtherEventsDoNotConsumeAGridPoint) {
  Worker worker;
  worker.Ready().At(1100ms).Tick();
  worker.Reserve("t1", 100ms);
  worker.At(1500ms).Get("t1");
  worker.At(1501ms).Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(TimeTest, R_TIME_7_AGridPointServesOneTick) {
  Worker worker;
  worker.Ready().At(1500ms).Tick();
  worker.Reserve("t1", 100ms);
  worker.At(1600ms).Tick();
  EXPECT_EQ(worker.Get("t1"), "ALLOCATED slot-0 until 1600ms");
}

TEST(TimeTest, R_TIME_7_WithoutAnIntervalEachTickActs) {
  Worker worker({.tick_interval = Duration()});
  worker.Ready().At(1100ms).Tick();
  worker.Reserve("t1", 100ms);
  worker.At(1200ms).Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(TimeTest, R_TIME_7_TaskDeadlinesAreExact) {
  Worker worker;
  worker.Ready().At(1100ms).Tick();
  worker.Submit(TaskFor("t1", 100ms));
  EXPECT_THAT(worker.At(1200ms).Tick(), ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable"));
}

TEST(TimeTest, R_TIME_7_WatchGraceIsOnTheGrid) {
  Worker worker({.watch_disconnect_grace = Milliseconds(100)});
  worker.Ready().At(1100ms).Tick();
  worker.ToBuilder("t1");
  worker.Watch(1, {"t1"});
  worker.Unwatch(1);
  EXPECT_THAT(worker.At(1300ms).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(1500ms).Tick(), ElementsAre("converge t1#1 FAILED/WATCH_DISCONNECTED"));
}

TEST(TimeTest, R_TIME_7_ThePurgeIsOnTheGrid) {
  Worker worker({.result_retention = Milliseconds(100)});
  worker.Ready().At(1100ms).Tick();
  worker.ToCalls("t1", {});
  worker.At(1300ms).Tick();
  EXPECT_EQ(worker.Get("t1"), "SUCCEEDED");
  worker.At(1500ms).Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(TimeTest, R_TIME_7_HeartbeatTimeoutsAreOnTheGrid) {
  Worker worker({.executor_count = 1, .executor_heartbeat_timeout = Milliseconds(100)});
  worker.At(1100ms).Ready().Tick();
  EXPECT_THAT(worker.At(1300ms).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(1500ms).Tick(), ElementsAre("kill 0.1 HEARTBEAT_TIMEOUT"));
}

TEST(TimeTest, R_TIME_7_WedgeChecksAreOnTheGrid) {
  Worker worker({.executor_count = 1, .scheduler_stall_timeout = Milliseconds(100)});
  worker.At(1100ms).Ready().Tick();
  worker.Beat(0, 9, 1);
  EXPECT_THAT(worker.At(1300ms).Tick(), IsEmpty());
  EXPECT_THAT(worker.At(1500ms).Tick(), ElementsAre("kill 0.1 WEDGED"));
}

TEST(TimeTest, R_TIME_8_NothingIsPendingInANewEngine) {
  EXPECT_EQ(Worker().next_deadline(), "none");
}

TEST(TimeTest, R_TIME_8_AnExactDeadlineIsNamedAsItIs) {
  Worker worker;
  worker.Ready().Submit(TaskFor("t1", 1234ms));
  EXPECT_EQ(worker.next_deadline(), "1234ms");
}

TEST(TimeTest, R_TIME_8_ADeadlineOnTheGridIsNamedByItsGridPoint) {
  Worker worker;
  worker.Ready().Reserve("t1", 1234ms);
  EXPECT_EQ(worker.next_deadline(), "1500ms");
}

TEST(TimeTest, R_TIME_8_AGridPointThatWasUsedUpIsNotNamedAgain) {
  Worker worker({.default_ttl = Duration()});
  worker.Ready().At(1500ms).Tick();
  worker.Reserve("t1");
  EXPECT_EQ(worker.next_deadline(), "2000ms");
}

TEST(TimeTest, R_TIME_8_WithoutAnIntervalADeadlineIsNamedAsItIs) {
  Worker worker({.tick_interval = Duration()});
  worker.Ready().Tick();
  worker.Reserve("t1", 1234ms);
  EXPECT_EQ(worker.next_deadline(), "1234ms");
}

TEST(TimeTest, R_TIME_8_WhatWasCalledOffIsNoLongerNamed) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls(TaskFor("t1", 1234ms), {});
  EXPECT_EQ(worker.next_deadline(), "10000ms");  // the executor's heartbeat
}

TEST(TimeTest, R_TIME_8_TheTimeOfTheLastTickIsPartOfTheState) {
  Worker early;
  Worker late;
  early.Ready().At(1500ms).Tick();
  late.Ready().At(1600ms).Tick();
  EXPECT_NE(early.digest(), late.digest());
}

TEST(TimeTest, R_TIME_8_ATickBeforeTheNextDeadlineDoesNothing) {
  Worker worker;
  worker.Ready().Reserve("t1", 1234ms);
  worker.At(1s).Tick();
  EXPECT_EQ(worker.next_deadline(), "1500ms");
  EXPECT_THAT(worker.At(1499ms).Tick(), IsEmpty());
  EXPECT_EQ(worker.Get("t1"), "ALLOCATED slot-0 until 1234ms");
}

}  // namespace
}  // namespace blockx::engine
