#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Retries at once, so often that no test meets the end.
SubmitTask Patient(std::string_view task_id) {
  SubmitTask task = Task(task_id);
  task.retry_policy = RetryPolicy{.max_attempts = 1'000};
  return task;
}

TEST(TurnsTest, R_CALL_1_TasksTakeTurnsOneCallEach) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a", "b", "c"});
  worker.ToCalls("t2", {"d", "e"});
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("dispatch 2.1 on 0"));
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("dispatch 4.1 on 0"));
  EXPECT_THAT(worker.Succeeded(4), ElementsAre("dispatch 3.1 on 0"));
  EXPECT_THAT(worker.Succeeded(3), ElementsAre("converge t1#1 SUCCEEDED", "dispatch 5.1 on 0"));
}

TEST(TurnsTest, R_CALL_1_ATaskThatIsNotStartableIsSkipped) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  worker.Subcall(1, 2);  // waits: t1 stands in the line
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.Failed(1, Retryable("E")), ElementsAre("cancel 2.1 on 0"));
  EXPECT_THAT(worker.Failed(2, Final("CANCELLED")), ElementsAre("dispatch 4.1 on 0"));
}

TEST(TurnsTest, R_CALL_1_ATaskThatStoppedBeingStartableKeepsItsPlace) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls(Patient("t1"), {"a"});
  worker.Subcall(1, 1);
  worker.Subcall(1, 2);
  worker.ToCalls("t2", {"b"});
  worker.Failed(1, Retryable("E"));
  EXPECT_THAT(worker.Tick(),
              IsEmpty());  // The retry is due, and the cancelled subcall still occupies.
  EXPECT_THAT(worker.Failed(2, Final("CANCELLED")), ElementsAre("dispatch 1.2 on 0"));
}

TEST(TurnsTest, R_CALL_1_ATurnTakesSubcallsThenRetriesThenCalls) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls(Patient("t1"), {"a", "b", "c"});
  EXPECT_THAT(worker.Failed(1, Retryable("E")), ElementsAre("dispatch 2.1 on 0"));
  worker.Tick();
  EXPECT_THAT(worker.Subcall(2, 1), ElementsAre("dispatch 4.1 on 0"));
  EXPECT_THAT(worker.Succeeded(4), ElementsAre("deliver 1 to 2 on 0: ''"));
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("dispatch 1.2 on 0"));
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("dispatch 3.1 on 0"));
}

TEST(TurnsTest, R_CALL_1_SubcallsGoInTheOrderOfAsking) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 9);
  worker.Subcall(1, 8);
  worker.Subcall(1, 7);
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("deliver 9 to 1 on 0: ''", "dispatch 3.1 on 0"));
  EXPECT_THAT(worker.Succeeded(3), ElementsAre("deliver 8 to 1 on 0: ''", "dispatch 4.1 on 0"));
}

TEST(TurnsTest, R_CALL_1_RetriesGoInTheOrderInWhichTheyBecameDue) {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls(Patient("t1"), {"a", "b"});
  worker.ToCalls("t2", {"c", "d"});
  EXPECT_THAT(worker.Failed(2, Retryable("E")), ElementsAre("dispatch 3.1 on 1"));
  EXPECT_THAT(worker.Failed(1, Retryable("E")), ElementsAre("dispatch 4.1 on 0"));
  worker.Tick();
  EXPECT_THAT(worker.Succeeded(4), ElementsAre("dispatch 2.2 on 0"));
  EXPECT_THAT(worker.Succeeded(3), ElementsAre("converge t2#2 SUCCEEDED", "dispatch 1.2 on 1"));
}

TEST(TurnsTest, R_CALL_1_CallsGoInCallOrder) {
  Worker worker({.executor_count = 2});
  EXPECT_THAT(worker.Ready().ToCalls("t1", {"a", "b", "c", "d"}),
              ElementsAre("dispatch 1.1 on 0", "dispatch 2.1 on 1"));
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("dispatch 3.1 on 1"));
}

TEST(TurnsTest, R_CALL_1_TheExecutorWithTheFewestCallsIsTaken) {
  Worker worker({.executor_count = 2, .executor_max_concurrent_calls = 3});
  EXPECT_THAT(worker.Ready().ToCalls("t1", {"a", "b", "c", "d"}),
              ElementsAre("dispatch 1.1 on 0", "dispatch 2.1 on 1", "dispatch 3.1 on 0",
                          "dispatch 4.1 on 1"));
  worker.Succeeded(2);
  EXPECT_THAT(worker.ToCalls("t2", {"e", "f"}),
              ElementsAre("dispatch 5.1 on 1", "dispatch 6.1 on 0"));
}

TEST(TurnsTest, R_CALL_1_AnExecutorThatConnectsGetsWaitingCallsAtOnce) {
  Worker worker({.executor_count = 2});
  worker.Ready(1).ToCalls("t1", {"a", "b"});
  EXPECT_THAT(worker.Connected(1), ElementsAre("dispatch 2.1 on 1"));
}

TEST(TurnsTest, R_CALL_1_AKilledExecutorGetsNoCall) {
  Worker worker({.executor_count = 1});
  worker.Ready().At(10s).Tick();
  EXPECT_THAT(worker.ToCalls("t1", {"a"}), IsEmpty());
}

TEST(TurnsTest, R_CALL_1_ACancelledAttemptStillOccupiesInTheChoice) {
  Worker worker({.executor_count = 2, .executor_max_concurrent_calls = 2});
  worker.Ready().ToCalls("t1", {"a", "b", "c"});
  worker.Failed(2, Final("E"));  // 1.1 and 3.1, both on 0, are cancelled
  EXPECT_THAT(worker.ToCalls("t2", {"d", "e", "f"}),
              ElementsAre("dispatch 4.1 on 1", "dispatch 5.1 on 1"));
}

TEST(TurnsTest, R_CALL_1_ASuspendedAttemptDoesNotOccupyInTheChoice) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.Subcall(1, 1), ElementsAre("dispatch 2.1 on 0"));
}

// How many calls a task may have in flight after so many successes and then so many failed
// attempts.
std::int64_t WindowAfter(std::int64_t initial, std::int64_t max, int successes, int failures) {
  Worker worker(
      {.ramp_up_initial_window = initial, .ramp_up_max_window = max, .executor_count = 100});
  worker.Ready().ToBuilder(Patient("t1"));
  const std::vector<CallSpec> calls(1'000, CallSpec{.function = "f"});
  std::vector<std::int64_t> in_flight;
  const auto learn = [&] {
    for (const DispatchCall& dispatch : worker.All<DispatchCall>())
      in_flight.push_back(dispatch.call.value());
  };
  const auto end = [&](auto report) {
    const std::int64_t call = in_flight.front();
    in_flight.erase(in_flight.begin());
    report(call);
    learn();
  };
  worker.Apply(
      BuilderFinished{.task_id = "t1", .run = worker.RunOf("t1"), .outcome = CallList{calls}});
  learn();
  for (int i = 0; i < successes; ++i) end([&](std::int64_t call) { worker.Succeeded(call); });
  for (int i = 0; i < failures; ++i)
    end([&](std::int64_t call) { worker.Failed(call, Retryable("E")); });
  return static_cast<std::int64_t>(in_flight.size());
}

TEST(TurnsTest, R_CALL_2_TheWindowStartsAtTheInitialOne) { EXPECT_EQ(WindowAfter(4, 64, 0, 0), 4); }
TEST(TurnsTest, R_CALL_2_EachSuccessWidensItByOne) { EXPECT_EQ(WindowAfter(4, 64, 3, 0), 7); }
TEST(TurnsTest, R_CALL_2_ItIsNeverWiderThanTheMaximum) { EXPECT_EQ(WindowAfter(4, 6, 9, 0), 6); }

// From 5 to 2: five calls were in flight, so that the next success leaves three beside a window of
// three.
TEST(TurnsTest, R_CALL_2_AFailureHalvesItRoundedDown) {
  Worker worker({.ramp_up_initial_window = 1, .ramp_up_max_window = 5, .executor_count = 10});
  worker.Ready().ToCalls(Patient("t1"),
                         {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"});
  for (std::int64_t call = 1; call <= 4; ++call) worker.Succeeded(call);
  EXPECT_THAT(worker.Failed(5, Retryable("E")), IsEmpty());
  EXPECT_THAT(worker.Succeeded(6), IsEmpty());
  EXPECT_EQ(worker.Succeeded(7).size(), 2U);
}

TEST(TurnsTest, R_CALL_2_AFailureDoesNotNarrowItBelowTheInitialOne) {
  EXPECT_EQ(WindowAfter(4, 64, 1, 3), 4);
}

TEST(TurnsTest, R_CALL_2_AfterAHalvingNothingStartsUntilThereIsRoom) {
  Worker worker({.ramp_up_initial_window = 1, .ramp_up_max_window = 6, .executor_count = 10});
  worker.Ready().ToCalls(
      Patient("t1"), {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o"});
  for (std::int64_t call = 1; call <= 5; ++call) worker.Succeeded(call);
  EXPECT_THAT(worker.commands(), ElementsAre("dispatch 10.1 on 2", "dispatch 11.1 on 5"));
  EXPECT_THAT(worker.Failed(6, Retryable("E")), IsEmpty());  // window 3, in flight 5
  EXPECT_THAT(worker.Succeeded(7), IsEmpty());               // window 4, in flight 4
  EXPECT_THAT(worker.Succeeded(8),
              ElementsAre("dispatch 12.1 on 0", "dispatch 13.1 on 1"));  // window 5, in flight 3
}

TEST(TurnsTest, R_CALL_2_ATimeoutNarrowsTheWindowAndIsNoLongerInFlight) {
  Worker worker({.ramp_up_initial_window = 1,
                 .ramp_up_max_window = 4,
                 .executor_heartbeat_timeout = Milliseconds(90'000)});
  worker.Ready().ToCalls(Patient("t1"), {"a", "b", "c", "d"});
  worker.Succeeded(1);
  EXPECT_THAT(worker.commands(), ElementsAre("dispatch 2.1 on 0", "dispatch 3.1 on 1"));
  EXPECT_THAT(worker.At(60s).Tick(),
              ElementsAre("cancel 2.1 on 0", "cancel 3.1 on 1", "dispatch 2.2 on 2"));
}

TEST(TurnsTest, R_CALL_2_ASuspendedCallIsInFlight) {
  Worker worker({.ramp_up_initial_window = 1, .ramp_up_max_window = 1});
  worker.Ready().ToCalls("t1", {"a", "b"});
  EXPECT_THAT(worker.Subcall(1, 1), ElementsAre("dispatch 3.1 on 0"));
}

TEST(TurnsTest, R_CALL_2_SubcallsDoNotMoveTheWindow) {
  Worker worker({.default_max_attempts = 1, .ramp_up_initial_window = 2});
  worker.Ready().ToCalls("t1", {"a", "b", "c"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.Succeeded(4), ElementsAre("deliver 1 to 1 on 0: ''"));
}

TEST(TurnsTest, R_CALL_2_AFailedSubcallDoesNotNarrowTheWindow) {
  Worker worker({.ramp_up_initial_window = 1, .ramp_up_max_window = 4, .executor_count = 9});
  worker.Ready().ToCalls("t1", {"a", "b", "c", "d", "e", "f"});
  worker.Succeeded(1);  // window 2, in flight 2 and 3
  worker.Subcall(2, 1);
  EXPECT_THAT(worker.Failed(7, Final("E")), ElementsAre("deliver 1 to 2 on 0: E"));
  EXPECT_EQ(worker.Succeeded(3).size(), 2U);  // window 3, in flight 2
}

TEST(TurnsTest, R_CALL_2_EachTaskHasItsOwnWindow) {
  Worker worker({.ramp_up_initial_window = 1});
  worker.Ready().ToCalls("t1", {"a", "b"});
  EXPECT_THAT(worker.ToCalls("t2", {"c", "d"}), ElementsAre("dispatch 3.1 on 1"));
}

}  // namespace
}  // namespace blockx::engine
