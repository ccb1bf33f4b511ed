#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string_view>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

SubmitTask TaskFor(std::string_view task_id, Duration timeout) {
  SubmitTask task = Task(task_id);
  task.timeout = timeout;
  return task;
}

SubmitTask TaskWithAttempts(std::string_view task_id, std::int64_t attempts) {
  SubmitTask task = Task(task_id);
  task.retry_policy = RetryPolicy{.max_attempts = attempts};
  return task;
}

TEST(TickOrderTest, R_TIME_6_LeasesComeBeforeTaskDeadlines) {
  Worker worker;
  worker.Ready().Submit(TaskFor("t1", 5s));
  EXPECT_THAT(worker.At(5s).Tick(), ElementsAre("converge t1#1 FAILED/SLOT_LOST retryable"));
}

TEST(TickOrderTest, R_TIME_6_TaskDeadlinesComeBeforeWatchGrace) {
  Worker worker({.watch_disconnect_grace = Milliseconds(2'000)});
  worker.Ready().ToBuilder(TaskFor("t1", 2s));
  worker.Watch(1, {"t1"});
  worker.Unwatch(1);
  EXPECT_THAT(worker.At(2s).Tick(), ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable"));
}

TEST(TickOrderTest, R_TIME_6_WatchGraceComesBeforeThePurge) {
  Worker worker({.result_retention = Duration(), .watch_disconnect_grace = Milliseconds(2'000)});
  worker.Ready().ToBuilder("t1");
  worker.Watch(1, {"t1"});
  worker.Unwatch(1);
  worker.At(2s).Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(TickOrderTest, R_TIME_6_CallDeadlinesComeBeforeCancelGrace) {
  Worker worker({.cancel_grace = Duration(),
                 .executor_count = 1,
                 .executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.At(60s).Tick(), ElementsAre("cancel 1.1 on 0", "kill 0.1 CANCEL_GRACE"));
}

TEST(TickOrderTest, R_TIME_6_CallDeadlinesComeBeforeRetries) {
  Worker worker({.executor_count = 2, .executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().ToCalls(TaskWithAttempts("t1", 2), {"a"});
  EXPECT_THAT(worker.At(60s).Tick(), ElementsAre("cancel 1.1 on 0", "dispatch 1.2 on 1"));
}

TEST(TickOrderTest, R_TIME_6_ADelayOfZeroNeedsATick) {
  Worker worker;
  worker.Ready().ToCalls(TaskWithAttempts("t1", 2), {"a"});
  EXPECT_THAT(worker.Failed(1, Retryable("E")), IsEmpty());
  EXPECT_THAT(worker.Tick(), ElementsAre("dispatch 1.2 on 0"));
}

TEST(TickOrderTest, R_TIME_6_ARestartWithoutDelayNeedsATick) {
  Worker worker({.executor_restart_delay = Duration()});
  worker.Ready();
  EXPECT_THAT(worker.Exited(0), IsEmpty());
  EXPECT_THAT(worker.Tick(), ElementsAre("spawn 0.2"));
}

TEST(TickOrderTest, R_TIME_6_ALeaseOfZeroNeedsATick) {
  Worker worker({.default_ttl = Duration()});
  worker.Ready().Reserve("t1");
  EXPECT_EQ(worker.Get("t1"), "ALLOCATED slot-0 until 0ms");
  worker.Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(TickOrderTest, R_TIME_6_HeartbeatsComeBeforeWedges) {
  Worker worker({.executor_count = 1, .scheduler_stall_timeout = Milliseconds(5'000)});
  worker.Ready().Beat(0, 9, 1);
  EXPECT_THAT(worker.At(10s).Tick(), ElementsAre("kill 0.1 HEARTBEAT_TIMEOUT"));
}

TEST(TickOrderTest, R_TIME_6_ThePoolOutageComesBeforeRestarts) {
  Worker worker({.executor_count = 1,
                 .executor_heartbeat_timeout = Milliseconds(1'000),
                 .executor_restart_delay = Milliseconds(1'000)});
  worker.Ready().Exited(0);
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("spawn 0.2"));
  EXPECT_EQ(worker.Reserve("t1"), "Unavailable");
}

// One executor for each kind of timer, all due in the Tick at 100 s.
TEST(TickOrderTest, R_TIME_6_ExecutorTimersAndTheDrainActInTheirOrder) {
  Worker worker({.executor_count = 5,
                 .executor_start_timeout = Milliseconds(100'000),
                 .executor_heartbeat_timeout = Milliseconds(100'000),
                 .scheduler_stall_timeout = Milliseconds(90'000),
                 .executor_restart_delay = Milliseconds(100'000)});
  worker.Start();
  for (const std::int64_t executor : {0, 2, 3}) worker.Connected(executor);
  worker.Exited(4);
  worker.Beat(3, 9, 1);
  worker.ToCalls(TaskWithAttempts("t1", 1), {"a"});
  worker.ToBuilder("t2");
  worker.At(50s).Beat(3, 9, 1);
  worker.At(60s).Tick();
  worker.At(70s).Drain();
  EXPECT_THAT(
      worker.At(100s).Tick(),
      ElementsAre("kill 0.1 CANCEL_GRACE", "kill 1.1 START_TIMEOUT", "kill 2.1 HEARTBEAT_TIMEOUT",
                  "kill 3.1 WEDGED", "spawn 4.2", "converge t2#2 FAILED/WORKER_SHUTDOWN retryable",
                  "kill 4.2 STOPPED", "drain-complete unclean"));
}

TEST(TickOrderTest, R_TIME_6_WithinAKindTheEarlierDeadlineGoesFirst) {
  Worker worker;
  worker.Ready();
  worker.Submit(TaskFor("t1", 2s));
  worker.Submit(TaskFor("t2", 1s));
  EXPECT_THAT(worker.At(3s).Tick(), ElementsAre("converge t2#2 FAILED/TIMED_OUT retryable",
                                                "converge t1#1 FAILED/TIMED_OUT retryable"));
}

TEST(TickOrderTest, R_TIME_6_EqualDeadlinesGoInTheOrderInWhichTheyWereSet) {
  Worker worker;
  worker.Ready();
  worker.Submit(TaskFor("t9", 2s));
  worker.At(1s).Submit(TaskFor("t1", 1s));
  EXPECT_THAT(worker.At(3s).Tick(), ElementsAre("converge t9#1 FAILED/TIMED_OUT retryable",
                                                "converge t1#2 FAILED/TIMED_OUT retryable"));
}

TEST(TickOrderTest, R_TIME_6_AHeartbeatThatMovesADeadlineSetsItAnew) {
  Worker worker({.executor_count = 2});
  worker.Ready();
  worker.At(1s).Beat(1);
  worker.Beat(0);
  EXPECT_THAT(worker.At(11s).Tick(),
              ElementsAre("kill 1.1 HEARTBEAT_TIMEOUT", "kill 0.1 HEARTBEAT_TIMEOUT"));
}

TEST(TickOrderTest, R_TIME_6_ATaskEndedByAnEarlierKindIsNotEndedAgain) {
  Worker worker({.executor_count = 1, .executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().ToCalls(TaskFor("t1", 60s), {"a"});
  EXPECT_THAT(worker.At(60s).Tick(),
              ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable", "cancel 1.1 on 0"));
}

}  // namespace
}  // namespace blockx::engine
