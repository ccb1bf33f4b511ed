#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""s;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(SlotsTest, R_SLOT_1_SlotsAreNumberedFromZero) {
  Worker worker({.task_slots = 2});
  worker.Ready();
  EXPECT_EQ(worker.Reserve("t1"), "ALLOCATED slot-0 until 5000ms");
  EXPECT_EQ(worker.Reserve("t2"), "ALLOCATED slot-1 until 5000ms");
}

TEST(SlotsTest, R_SLOT_1_TheTableIsTheCapacity) {
  Worker worker({.task_slots = 2});
  worker.Ready().Reserve("t1");
  worker.Reserve("t2");
  EXPECT_EQ(worker.Reserve("t3"), "NoSlot");
}

TEST(SlotsTest, R_SLOT_1_TheHeartbeatIsDerivedFromTheTable) {
  Worker worker({.task_slots = 5, .executor_count = 2});
  worker.Ready().Reserve("t1");
  worker.Submit("t2");
  worker.ToBuilder("t3");
  EXPECT_EQ(worker.heartbeat(), "slots 5: 2 reserved, 1 running, 2 free; 2 healthy, ready");
}

TEST(SlotsTest, R_SLOT_1_TheHeartbeatOffersNoSlotWhileNotReady) {
  EXPECT_EQ(Worker({.task_slots = 5}).heartbeat(),
            "slots 5: 0 reserved, 0 running, 0 free; 0 healthy");
}

TEST(SlotsTest, R_SLOT_1_TheHeartbeatOffersNoSlotWhileDraining) {
  Worker worker({.task_slots = 5, .executor_count = 2});
  worker.Ready().Drain();
  EXPECT_EQ(worker.heartbeat(),
            "slots 5: 0 reserved, 0 running, 0 free; 2 healthy, ready, draining");
}

TEST(SlotsTest, R_SLOT_2_TheLowestFreeSlotIsTaken) {
  Worker worker;
  worker.Ready();
  for (const char* task : {"t0", "t1", "t2", "t3"}) worker.Submit(task);
  worker.NotPrepared("t2", {});
  worker.NotPrepared("t1", {});
  EXPECT_EQ(worker.Reserve("t4"), "ALLOCATED slot-1 until 5000ms");
}

TEST(SlotsTest, R_SLOT_2_TheLeaseLastsForTheTtl) {
  Worker worker;
  EXPECT_EQ(worker.Ready().At(1s).Reserve("t1", 7s), "ALLOCATED slot-0 until 8000ms");
}

TEST(SlotsTest, R_SLOT_2_AReservationGivesNoCommands) {
  Worker worker;
  worker.Ready().Reserve("t1");
  EXPECT_THAT(worker.commands(), IsEmpty());
}

TEST(SlotsTest, R_SLOT_2_ArgumentsComeBeforeAStop) {
  Worker worker;
  worker.Ready().Stop();
  EXPECT_EQ(worker.Reserve(""), "InvalidArgument");
}

TEST(SlotsTest, R_SLOT_2_AStopComesBeforeKnownTasks) {
  Worker worker;
  worker.Ready().ToCalls("t1", {});
  worker.Stop();
  EXPECT_EQ(worker.Reserve("t1"), "Unavailable");
}

TEST(SlotsTest, R_SLOT_2_KnownTasksComeBeforeADrain) {
  Worker worker;
  worker.Ready().Reserve("t1");
  worker.ToBuilder("t2");
  worker.Drain();
  EXPECT_EQ(worker.Reserve("t1"), "ALLOCATED slot-0 until 5000ms");
}

TEST(SlotsTest, R_SLOT_2_KnownTasksComeBeforeCapacity) {
  Worker worker({.task_slots = 1});
  worker.Ready().Reserve("t1");
  EXPECT_EQ(worker.Reserve("t1"), "ALLOCATED slot-0 until 5000ms");
}

TEST(SlotsTest, R_SLOT_2_NotReadyIsUnavailable) {
  EXPECT_EQ(Worker().Reserve("t1"), "Unavailable");
}

TEST(SlotsTest, R_SLOT_2_ADrainComesBeforeCapacity) {
  Worker worker({.task_slots = 1});
  worker.Ready().ToBuilder("t1");
  worker.Drain();
  EXPECT_EQ(worker.Reserve("t2"), "Unavailable");
}

// What one retained result weighs: with a limit of `bytes` there is no slot, with one more there
// is.
void ExpectRetainedBytes(std::int64_t bytes, void (*end_task)(Worker&)) {
  Worker full({.max_retained_result_bytes = bytes});
  full.Ready();
  end_task(full);
  EXPECT_EQ(full.Reserve("t2"), "NoSlot");
  Worker almost({.max_retained_result_bytes = bytes + 1});
  almost.Ready();
  end_task(almost);
  EXPECT_THAT(almost.Reserve("t2"), StartsWith("ALLOCATED slot-0"));
}

TEST(SlotsTest, R_SLOT_2_AResultWeighs400BytesAndItsTaskId) {
  ExpectRetainedBytes(402, [](Worker& worker) { worker.ToCalls("t1", {}); });
  ExpectRetainedBytes(407, [](Worker& worker) { worker.ToCalls("task-01", {}); });
}

TEST(SlotsTest, R_SLOT_2_AResultWeighsItsPluginResults) {
  ExpectRetainedBytes(412, [](Worker& worker) {
    worker.ToPlugin("t1");
    worker.Written("t1", "0123456789");
  });
}

TEST(SlotsTest, R_SLOT_2_AResultWeighsAReportedMessage) {
  ExpectRetainedBytes(407, [](Worker& worker) {
    worker.Submit("t1");
    worker.NotPrepared("t1", {.message = "12345"});
  });
}

TEST(SlotsTest, R_SLOT_2_AMessageOfTheEngineItselfWeighsNothing) {
  ExpectRetainedBytes(402, [](Worker& worker) {
    worker.Submit("t1");
    worker.At(5s).Tick();
  });
}

TEST(SlotsTest, R_SLOT_2_AMessageIsCutAt4KiB) {
  const auto end_task = [](Worker& worker) {
    const std::string message(10'000, 'm');
    worker.Submit("t1");
    worker.NotPrepared("t1", {.message = message});
  };
  Worker worker;
  worker.Ready();
  end_task(worker);
  EXPECT_EQ(worker.ResultOf("t1").message, std::string(4096, 'm'));
  ExpectRetainedBytes(402 + 4096, end_task);
}

TEST(SlotsTest, R_SLOT_2_ACutMessageEndsWithAWholeCharacter) {
  std::string message(4095, 'm');
  message += "\u00e9";  // two bytes, of which only the first would fit
  Worker worker;
  worker.Ready().Submit("t1");
  worker.NotPrepared("t1", {.message = message});
  EXPECT_EQ(worker.ResultOf("t1").message, std::string(4095, 'm'));
}

TEST(SlotsTest, R_SLOT_2_ThePurgeMakesRoomForResults) {
  Worker worker({.max_retained_result_bytes = 402});
  worker.Ready().ToCalls("t1", {});
  worker.At(300s).Alive().Tick();
  EXPECT_EQ(worker.Reserve("t2"), "ALLOCATED slot-0 until 305000ms");
}

TEST(SlotsTest, R_SLOT_2_RetainedResultsDoNotHinderAReservedTask) {
  Worker worker({.max_retained_result_bytes = 402});
  worker.Ready().Reserve("t2");
  worker.ToCalls("t1", {});
  EXPECT_EQ(worker.Submit("t2"), "RUNNING PREPARING slot-0 until 5000ms");
}

TEST(SlotsTest, R_SLOT_3_ZeroTtlMeansTheDefault) {
  Worker worker({.default_ttl = Milliseconds(9'000)});
  EXPECT_EQ(worker.Ready().Reserve("t1", Duration()), "ALLOCATED slot-0 until 9000ms");
}

TEST(SlotsTest, R_SLOT_4_AnExpiredLeaseFreesItsSlot) {
  Worker worker({.task_slots = 1});
  worker.Ready().Reserve("t1", 5s);
  worker.At(5s).Tick();
  EXPECT_EQ(worker.Reserve("t2"), "ALLOCATED slot-0 until 10000ms");
}

TEST(SlotsTest, R_SLOT_4_AReservationThatExpiredIsUnknown) {
  Worker worker;
  worker.Ready().Reserve("t1", 5s);
  worker.At(5s).Tick();
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

TEST(SlotsTest, R_SLOT_4_ASubmittedTaskThatLosesItsSlotConverges) {
  Worker worker;
  worker.Ready().Submit("t1");
  EXPECT_THAT(worker.At(5s).Tick(), ElementsAre("converge t1#1 FAILED/SLOT_LOST retryable"));
  EXPECT_EQ(worker.heartbeat(), "slots 50: 0 reserved, 0 running, 50 free; 8 healthy, ready");
}

TEST(SlotsTest, R_SLOT_5_ARunningSlotHasNoLease) {
  Worker worker;
  worker.Ready().ToBuilder("t1");
  EXPECT_EQ(worker.Get("t1"), "RUNNING BUILDER slot-0");
  worker.At(299s).Alive().Tick();
  EXPECT_EQ(worker.Get("t1"), "RUNNING BUILDER slot-0");
}

TEST(SlotsTest, R_SLOT_5_ConvergenceFreesTheSlotInTheSameCall) {
  Worker worker({.task_slots = 1});
  worker.Ready().ToBuilder("t1");
  EXPECT_EQ(worker.Reserve("t2"), "NoSlot");
  EXPECT_THAT(worker.NotBuilt("t1", {}), Contains("converge t1#1 FAILED/BUILDER_FAILED"));
  EXPECT_EQ(worker.Reserve("t2"), "ALLOCATED slot-0 until 5000ms");
}

// Scans of a million slots would never end here, whether for each request or for each tick.
TEST(SlotsTest, R_SLOT_6_AMillionSlotsAreAsQuickAsFew) {
  constexpr int kTasks = 100'000;
  Engine engine(Config{.task_slots = 1'000'000});
  engine.Apply(Start(), kStart);
  engine.Apply(ExecutorConnected{.generation = Generation(1)}, kStart);
  for (int i = 0; i < kTasks; ++i) {
    const std::string task = "t" + std::to_string(i);
    const Result<TaskView> reply =
        engine.Apply(RequestTaskSlot{.task_id = task, .ttl = 300s}, kStart);
    ASSERT_TRUE(reply.ok());
    ASSERT_EQ(reply.value().slot, SlotIndex(i));
  }
  for (int i = 0; i < kTasks; ++i) {
    engine.Apply(ExecutorHeartbeat{.generation = Generation(1)}, kStart + 1s);
    engine.Apply(Tick(), kStart + 1s);
  }
  engine.Apply(Tick(), kStart + 1h);
  EXPECT_EQ(engine.DeriveHeartbeat().reserved_slots, 0);
}

}  // namespace
}  // namespace blockx::engine
