#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string_view>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Inside a test, Run is a member of GoogleTest.
constexpr Run kRun1{1};
constexpr Run kRun2{2};
constexpr Run kRun3{3};

SubmitTask TaskIn(std::string_view slot_id, std::string_view task_id = "t1") {
  SubmitTask task = Task(task_id);
  task.slot_id = slot_id;
  return task;
}

TEST(SubmissionTest, R_IDEM_1_AReservedTaskKeepsItsSlotAndExpiry) {
  Worker worker;
  worker.Ready().Reserve("t1", 5s);
  EXPECT_EQ(worker.At(2s).Reserve("t1", 60s), "ALLOCATED slot-0 until 5000ms");
}

TEST(SubmissionTest, R_IDEM_1_ASubmittedTaskIsRunning) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  EXPECT_EQ(worker.Submit("t1"), "RUNNING BUILDER slot-0");
  EXPECT_EQ(worker.Reserve("t1"), "RUNNING BUILDER slot-0");
  EXPECT_THAT(worker.commands(), IsEmpty());
}

TEST(SubmissionTest, R_IDEM_1_AnEndedTaskIsAnsweredWithItsResult) {
  Worker worker;
  worker.Ready().Submit("t1");
  worker.NotPrepared("t1", Retryable("IO_SCOPE_FAILED"));
  EXPECT_EQ(worker.Submit("t1"), "FAILED/IO_SCOPE_FAILED retryable");
  EXPECT_EQ(worker.Reserve("t1"), "FAILED/IO_SCOPE_FAILED retryable");
  EXPECT_THAT(worker.commands(), IsEmpty());
}

TEST(SubmissionTest, R_IDEM_1_ComesBeforeReadiness) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToBuilder("t1");
  worker.ToCalls("t2", {});
  worker.Exited(0);
  worker.At(10s).Tick();
  EXPECT_EQ(worker.Reserve("t3"), "Unavailable");
  EXPECT_EQ(worker.Reserve("t1"), "RUNNING BUILDER slot-0");
  EXPECT_EQ(worker.Submit("t2"), "SUCCEEDED");
}

TEST(SubmissionTest, R_IDEM_1_ComesBeforeADrain) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  worker.ToBuilder("t2");
  worker.NotBuilt("t2", {});
  worker.Drain();
  EXPECT_EQ(worker.Submit("t1"), "RUNNING BUILDER slot-0");
  EXPECT_EQ(worker.Reserve("t2"), "FAILED/BUILDER_FAILED");
}

TEST(SubmissionTest, R_IDEM_1_ComesBeforeCapacity) {
  Worker worker({.task_slots = 1});
  worker.Ready().ToCalls("t1", {});
  worker.Submit("t2");
  EXPECT_EQ(worker.Submit("t1"), "SUCCEEDED");
  EXPECT_EQ(worker.Submit("t2"), "RUNNING PREPARING slot-0 until 5000ms");
}

TEST(SubmissionTest, R_SUB_1_ArgumentsComeBeforeAStop) {
  Worker worker;
  worker.Ready().Stop();
  EXPECT_EQ(worker.Submit(SubmitTask{.task_id = "t1"}), "InvalidArgument");
}

TEST(SubmissionTest, R_SUB_1_AStopComesBeforeKnownTasks) {
  Worker worker;
  worker.Ready().ToCalls("t1", {});
  worker.Stop();
  EXPECT_EQ(worker.Submit("t1"), "Unavailable");
}

TEST(SubmissionTest, R_SUB_1_ATaskInPreparingIsAnsweredWhileDraining) {
  Worker worker;
  worker.Ready().Submit("t1");
  worker.Drain();
  EXPECT_EQ(worker.Submit("t1"), "RUNNING PREPARING slot-0 until 5000ms");
}

TEST(SubmissionTest, R_SUB_1_NotReadyIsUnavailable) {
  EXPECT_EQ(Worker().Submit("t1"), "Unavailable");
}

TEST(SubmissionTest, R_SUB_1_AReservedTaskIsUnavailableWhileDraining) {
  Worker worker;
  worker.Ready().Reserve("t1");
  worker.ToBuilder("t2");
  worker.Drain();
  EXPECT_EQ(worker.Submit("t1"), "Unavailable");
  EXPECT_EQ(worker.Get("t1"), "ALLOCATED slot-0 until 5000ms");
}

TEST(SubmissionTest, R_SUB_1_AReservedTaskIsUnavailableInAPoolOutage) {
  Worker worker({.executor_count = 1});
  worker.Ready().Exited(0);
  worker.At(8s).Reserve("t1");
  worker.At(10s).Tick();
  EXPECT_EQ(worker.Submit("t1"), "Unavailable");
  EXPECT_EQ(worker.Get("t1"), "ALLOCATED slot-0 until 13000ms");
}

TEST(SubmissionTest, R_SUB_1_ADrainComesBeforeTheSlot) {
  Worker worker;
  worker.Ready().ToBuilder("t2");
  worker.Drain();
  EXPECT_EQ(worker.Submit(TaskIn("slot-99")), "Unavailable");
}

TEST(SubmissionTest, R_SUB_2_ASlotThatDoesNotExistIsInvalid) {
  for (const std::string_view slot :
       {"slot-50", "slot--1", "slot-00", "slot-", "slot-0 ", " slot-0", "Slot-0", "slot-+0", "0",
        "slot-x", "slot-18446744073709551616", "slot-99999999999999999999999999"}) {
    Worker worker;
    worker.Ready().Reserve("t1");
    EXPECT_EQ(worker.Submit(TaskIn(slot)), "InvalidSlot") << slot;
  }
}

TEST(SubmissionTest, R_SUB_2_ASlotOfATaskThatHoldsNoneIsInvalid) {
  Worker worker;
  EXPECT_EQ(worker.Ready().Submit(TaskIn("slot-0")), "InvalidSlot");
}

TEST(SubmissionTest, R_SUB_2_ASlotHeldByAnotherTaskIsInvalidForATaskThatHoldsNone) {
  Worker worker;
  worker.Ready().Reserve("t2");
  EXPECT_EQ(worker.Submit(TaskIn("slot-0")), "InvalidSlot");
}

TEST(SubmissionTest, R_SUB_2_AnotherSlotThanTheHeldOneIsUncertain) {
  Worker worker;
  worker.Ready().Reserve("t1");
  EXPECT_EQ(worker.Submit(TaskIn("slot-1")), "SlotUncertain");
}

TEST(SubmissionTest, R_SUB_2_TheNamedReservationIsTaken) {
  Worker worker;
  worker.Ready().Reserve("t0");
  worker.Reserve("t1");
  EXPECT_EQ(worker.Submit(TaskIn("slot-1")), "RUNNING PREPARING slot-1 until 5000ms");
}

TEST(SubmissionTest, R_SUB_2_AnUnnamedReservationIsTaken) {
  Worker worker;
  worker.Ready().Reserve("t0");
  worker.Reserve("t1", 9s);
  EXPECT_EQ(worker.Submit("t1"), "RUNNING PREPARING slot-1 until 9000ms");
}

TEST(SubmissionTest, R_SUB_2_WithoutAReservationANewSlotIsTakenWithTheDefaultTtl) {
  Worker worker({.default_ttl = Milliseconds(3'000)});
  worker.Ready().Reserve("t0");
  EXPECT_EQ(worker.At(1s).Submit("t1"), "RUNNING PREPARING slot-1 until 4000ms");
}

TEST(SubmissionTest, R_SUB_2_WithoutAFreeSlotThereIsNoSlot) {
  Worker worker({.task_slots = 1});
  worker.Ready().Reserve("t0");
  EXPECT_EQ(worker.Submit("t1"), "NoSlot");
}

TEST(SubmissionTest, R_SUB_2_WithoutRoomForResultsThereIsNoSlot) {
  Worker worker({.max_retained_result_bytes = 402});
  worker.Ready().ToCalls("t0", {});
  EXPECT_EQ(worker.Submit("t1"), "NoSlot");
}

TEST(SubmissionTest, R_SUB_3_AcceptanceEmitsPrepareActivation) {
  Worker worker;
  worker.Ready().Submit("t1");
  EXPECT_THAT(worker.commands(), ElementsAre("prepare t1#1 slot-0"));
}

TEST(SubmissionTest, R_SUB_3_TheSlotStaysAllocatedUntilItsTaskIsPrepared) {
  Worker worker({.executor_count = 1});
  worker.Ready().Submit("t1");
  EXPECT_EQ(worker.heartbeat(), "slots 50: 1 reserved, 0 running, 49 free; 1 healthy, ready");
  worker.Prepared("t1");
  EXPECT_EQ(worker.heartbeat(), "slots 50: 0 reserved, 1 running, 49 free; 1 healthy, ready");
}

TEST(SubmissionTest, R_SUB_3_SubmittingDoesNotRenewTheLease) {
  Worker worker;
  worker.Ready().Reserve("t1", 5s);
  EXPECT_EQ(worker.At(4s).Submit("t1"), "RUNNING PREPARING slot-0 until 5000ms");
}

TEST(SubmissionTest, R_SUB_3_TheDeadlineIsTheTimeoutFromAcceptance) {
  SubmitTask task = Task("t1");
  task.timeout = 1500ms;
  Worker worker;
  worker.Ready().At(1s).Submit(task);
  EXPECT_EQ(worker.next_deadline(), "2500ms");
}

TEST(SubmissionTest, R_SUB_3_ATimeoutOfZeroMeansTheConfiguredDeadline) {
  Worker worker({.task_deadline = Milliseconds(2'345)});
  worker.Ready().Submit("t1");
  EXPECT_EQ(worker.next_deadline(), "2345ms");
}

TEST(SubmissionTest, R_SUB_4_RunsCountAcceptedSubmissionsFromOne) {
  Worker worker({.task_slots = 2});
  worker.Ready().Submit("t1");
  worker.Submit("t1");
  worker.Submit("t2");
  EXPECT_EQ(worker.Submit("t3"), "NoSlot");
  worker.NotPrepared("t1", {});
  worker.Submit("t3");
  EXPECT_THAT(worker.commands(), ElementsAre("prepare t3#3 slot-0"));
}

// Run 1 of t1 timed out while its builder ran and was forgotten; run 2 waits for the only builder
// permit.
Worker SecondRunWaitsForBuilder() {
  Worker worker(
      {.task_deadline = Milliseconds(10'000), .result_retention = Duration(), .builder_slots = 1});
  worker.Ready().ToBuilder("t1");
  worker.At(10s).Alive().Tick();
  worker.ToBuilder("t1");
  return worker;
}

TEST(SubmissionTest, R_SUB_4_ALateReportOfAnEarlierRunOnlyReturnsItsPermit) {
  Worker worker = SecondRunWaitsForBuilder();
  EXPECT_THAT(worker.commands(), IsEmpty());
  EXPECT_THAT(worker.Apply(BuilderFinished{.task_id = "t1", .run = kRun1}),
              ElementsAre("start-builder t1#2"));
  EXPECT_EQ(worker.Get("t1"), "RUNNING BUILDER slot-0");
}

TEST(SubmissionTest, R_SUB_4_ALateActivationOfAnEarlierRunIsDropped) {
  Worker worker({.result_retention = Duration()});
  worker.Ready().Submit("t1");
  worker.At(5s).Tick();
  worker.Submit("t1");
  EXPECT_THAT(worker.Apply(ActivationPrepared{.task_id = "t1", .run = kRun1}), IsEmpty());
  EXPECT_EQ(worker.Get("t1"), "RUNNING PREPARING slot-0 until 10000ms");
}

TEST(SubmissionTest, R_SUB_4_TaskAndRunMustBothMatchForAPermitToMove) {
  Worker worker = SecondRunWaitsForBuilder();
  for (const BuilderFinished& report :
       {BuilderFinished{.task_id = "t2", .run = kRun1},
        BuilderFinished{.task_id = "t1", .run = kRun2},
        BuilderFinished{.task_id = "t1", .run = kRun3}, BuilderFinished{.task_id = "t1"}}) {
    const std::uint64_t before = worker.digest();
    EXPECT_THAT(worker.Apply(report), IsEmpty());
    EXPECT_EQ(worker.digest(), before);
  }
  EXPECT_EQ(worker.dropped(), 4U);
}

TEST(SubmissionTest, R_SUB_4_AnEndOfOtherWorkThanIsOwedMovesNoPermit) {
  Worker worker = SecondRunWaitsForBuilder();
  EXPECT_THAT(worker.Apply(WriterFinished{.task_id = "t1", .run = kRun1}), IsEmpty());
  EXPECT_THAT(worker.Apply(CallStreamEnded{.task_id = "t1", .run = kRun1}), IsEmpty());
  EXPECT_EQ(worker.engine().load().builder.in_use, 1);
}

TEST(SubmissionTest, R_SUB_4_APermitComesBackOnce) {
  Worker worker = SecondRunWaitsForBuilder();
  worker.ToBuilder("t2");
  worker.Apply(BuilderFinished{.task_id = "t1", .run = kRun1});
  EXPECT_THAT(worker.Apply(BuilderFinished{.task_id = "t1", .run = kRun1}), IsEmpty());
  EXPECT_EQ(worker.engine().load().builder.waiting, 1);
}

TEST(SubmissionTest, R_SUB_4_TheSlotInAnActivationIsInformative) {
  Worker worker;
  worker.Ready().Submit("t1");
  EXPECT_THAT(worker.Apply(ActivationPrepared{.task_id = "t1", .run = kRun1, .slot_id = "slot-7"}),
              ElementsAre("start-builder t1#1"));
}

TEST(SubmissionTest, R_SUB_5_OtherContentIsAnsweredByIdAndCounted) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  EXPECT_EQ(worker.Submit(TaskWithWriter("t1")), "RUNNING BUILDER slot-0");
  EXPECT_EQ(worker.engine().counters().idempotency_mismatches, 1U);
}

TEST(SubmissionTest, R_SUB_5_OtherContentForAnEndedTaskIsCounted) {
  Worker worker;
  worker.Ready().ToCalls("t1", {});
  EXPECT_EQ(worker.Submit(TaskWithWriter("t1")), "SUCCEEDED");
  EXPECT_EQ(worker.engine().counters().idempotency_mismatches, 1U);
}

SubmitTask FullTask() {
  return SubmitTask{
      .task_id = "t1",
      .function = {.type = "build", .payload = Payload::FromBytes("in")},
      .result_handler = {.type = "write", .payload = Payload::FromBytes("out")},
      .timeout = 20s,
      .retry_policy = RetryPolicy{.max_attempts = 2, .base_backoff = 1s, .jitter_percent = 1}};
}

std::uint64_t MismatchesOf(const SubmitTask& resubmission) {
  Worker worker;
  worker.Ready().Submit(FullTask());
  worker.Submit(resubmission);
  return worker.engine().counters().idempotency_mismatches;
}

TEST(SubmissionTest, R_SUB_5_TheSameContentIsNoMismatch) {
  EXPECT_EQ(MismatchesOf(FullTask()), 0U);
}

TEST(SubmissionTest, R_SUB_5_PayloadsAreComparedBySizeAndFingerprint) {
  SubmitTask task = FullTask();
  task.function.payload = Payload::LeftOut(2, Fingerprint::Of("in"));
  EXPECT_EQ(MismatchesOf(task), 0U);
  task.function.payload = Payload::LeftOut(3, Fingerprint::Of("in"));
  EXPECT_EQ(MismatchesOf(task), 1U);
}

TEST(SubmissionTest, R_SUB_5_TheNamedSlotIsNoContent) {
  SubmitTask task = FullTask();
  task.slot_id = "slot-0";
  EXPECT_EQ(MismatchesOf(task), 0U);
}

TEST(SubmissionTest, R_SUB_5_EachFieldIsCompared) {
  void (*const changes[])(SubmitTask&) = {
      [](SubmitTask& task) { task.function.type = "other"; },
      [](SubmitTask& task) { task.function.payload = Payload::FromBytes("iN"); },
      [](SubmitTask& task) { task.result_handler.type = "other"; },
      [](SubmitTask& task) { task.result_handler.payload = Payload(); },
      [](SubmitTask& task) { task.timeout = 21s; },
      [](SubmitTask& task) { task.failure_policy = CallFailurePolicy::kContinue; },
      [](SubmitTask& task) { task.retry_policy.reset(); },
      [](SubmitTask& task) { task.retry_policy->max_attempts = 3; },
      [](SubmitTask& task) { task.retry_policy->base_backoff = 2s; },
      [](SubmitTask& task) { task.retry_policy->jitter_percent = 2; },
  };
  int number = 0;
  for (const auto change : changes) {
    SubmitTask task = FullTask();
    change(task);
    EXPECT_EQ(MismatchesOf(task), 1U) << "change " << number;
    ++number;
  }
}

// The fixture compares the digests around every refusal; here each code is provoked once, in a
// Worker with some state.
TEST(SubmissionTest, R_ERR_ARefusalLeavesTheStateAsItWas) {
  Worker worker({.task_slots = 2});
  worker.Ready().Reserve("t1");
  worker.ToBuilder("t2");
  EXPECT_EQ(worker.Reserve(""), "InvalidArgument");
  EXPECT_EQ(worker.Reserve("t3"), "NoSlot");
  EXPECT_EQ(worker.Submit(TaskIn("slot-9")), "InvalidSlot");
  EXPECT_EQ(worker.Submit(TaskIn("slot-1")), "SlotUncertain");
  EXPECT_EQ(worker.Get("t3"), "NotFound");
  worker.Drain();
  EXPECT_EQ(worker.Submit("t1"), "Unavailable");
}

TEST(SubmissionTest, R_ERR_ARefusalSaysWhatWasWrong) {
  Engine engine((Config()));
  EXPECT_FALSE(engine.Apply(RequestTaskSlot{.task_id = ""}, kStart).error().message.empty());
  EXPECT_FALSE(engine.Apply(RequestTaskSlot{.task_id = "t1"}, kStart).error().message.empty());
}

}  // namespace
}  // namespace blockx::engine
