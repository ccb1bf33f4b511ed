#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/history.h"
#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;

// Calls `check` with the Worker before each step of the rich history, and at its end.
template <class Check>
void AtEachPoint(Check check) {
  Worker worker(RichConfig());
  for (std::size_t i = 0; i <= RichHistory().size(); ++i) {
    SCOPED_TRACE("before step " + std::to_string(i));
    check(worker, i);
    if (i < RichHistory().size()) RichHistory()[i](worker);
  }
}

Worker Restored(const Worker& worker) {
  Worker restored = worker;
  Result<Engine> engine = Engine::Restore(worker.engine().config(), worker.engine().Snapshot());
  EXPECT_TRUE(engine.ok()) << engine.error().message;
  if (engine.ok()) restored.Replace(engine.value());
  return restored;
}

TEST(SnapshotTest, ARestoredEngineHasTheSameDigest) {
  AtEachPoint([](const Worker& worker, std::size_t) {
    EXPECT_EQ(Restored(worker).digest(), worker.digest());
  });
}

TEST(SnapshotTest, ARestoredEngineHasTheSameFuture) {
  Worker original(RichConfig());
  const Texts whole = Play(original, 0);
  AtEachPoint([&](const Worker& worker, std::size_t i) {
    Worker restored = Restored(worker);
    EXPECT_EQ(Play(restored, i),
              Texts(whole.begin() + static_cast<std::ptrdiff_t>(i), whole.end()));
  });
}

TEST(SnapshotTest, ARestoredEngineHasTheSameDeadlineHeartbeatAndLoad) {
  AtEachPoint([](const Worker& worker, std::size_t) {
    const Worker restored = Restored(worker);
    EXPECT_EQ(restored.next_deadline(), worker.next_deadline());
    EXPECT_EQ(restored.heartbeat(), worker.heartbeat());
    EXPECT_EQ(restored.engine().load().calls_occupying, worker.engine().load().calls_occupying);
    EXPECT_EQ(restored.engine().load().calls_waiting, worker.engine().load().calls_waiting);
    EXPECT_EQ(restored.engine().load().builder.in_use, worker.engine().load().builder.in_use);
  });
}

TEST(SnapshotTest, ASnapshotOfARestoredEngineIsTheSame) {
  AtEachPoint([](const Worker& worker, std::size_t) {
    EXPECT_EQ(Restored(worker).engine().Snapshot(), worker.engine().Snapshot());
  });
}

TEST(SnapshotTest, ARestoredEngineKeepsTheBytesOfPayloads) {
  Worker worker;
  worker.Ready().ToPlugin("t1");
  worker.Written("t1", "precious");
  EXPECT_EQ(*Restored(worker).ResultOf("t1").plugin_results.bytes(), "precious");
}

TEST(SnapshotTest, APayloadThatWasLeftOutStaysLeftOut) {
  Worker worker;
  worker.Ready().ToPlugin("t1");
  worker.Apply(WriterFinished{
      .task_id = "t1", .run = worker.RunOf("t1"), .outcome = Payload::LeftOut(7, 9)});
  const Payload results = Restored(worker).ResultOf("t1").plugin_results;
  EXPECT_EQ(results.size(), 7U);
  EXPECT_EQ(results.fingerprint(), 9U);
  EXPECT_EQ(results.bytes(), nullptr);
}

TEST(SnapshotTest, ARestoredEngineRemembersItsClock) {
  Worker worker({.executor_count = 1});
  worker.Ready().At(3s).Get("t1");
  EXPECT_EQ(Restored(worker).At(1s).Reserve("t1"), "ALLOCATED slot-0 until 8000ms");
}

TEST(SnapshotTest, ARestoredEngineRemembersItsCounters) {
  Worker worker({.executor_count = 1});
  worker.Ready().At(3s).Get("t1");
  worker.At(1s).Exited(0);
  worker.Exited(0);
  const Counters counters = Restored(worker).engine().counters();
  EXPECT_EQ(counters.events, worker.engine().counters().events);
  EXPECT_EQ(counters.clock_regressions, 2U);
  EXPECT_EQ(counters.dropped_reports, 1U);
}

// What a damaged snapshot gives is refused, or is a sound engine that can go on.
void ExpectSound(const Config& config, std::string_view snapshot) {
  Result<Engine> engine = Engine::Restore(config, snapshot);
  if (!engine.ok()) {
    EXPECT_FALSE(engine.error().message.empty());
    return;
  }
  Engine restored = engine.value();
  EXPECT_EQ(restored.CheckInvariants(), std::nullopt);
  for (const Event& event :
       {Event(Tick()), Event(BeginDrain()), Event(ForceStop()), Event(Tick())}) {
    restored.Apply(event, Instant::max());
    EXPECT_EQ(restored.CheckInvariants(), std::nullopt);
  }
}

TEST(SnapshotTest, ASnapshotWithAFlippedBitIsRefusedOrSound) {
  AtEachPoint([](const Worker& worker, std::size_t i) {
    if (i % 5 != 0) return;  // each state lasts for several steps
    const std::string snapshot = worker.engine().Snapshot();
    for (std::size_t at = 0; at < snapshot.size(); ++at) {
      for (const char flip : {'\x01', '\x10', '\x80', '\xff'}) {
        std::string damaged = snapshot;
        damaged[at] = static_cast<char>(damaged[at] ^ flip);
        ExpectSound(worker.engine().config(), damaged);
      }
    }
  });
}

TEST(SnapshotTest, ASnapshotThatWasCutIsRefused) {
  AtEachPoint([](const Worker& worker, std::size_t i) {
    if (i % 5 != 0) return;
    const std::string snapshot = worker.engine().Snapshot();
    for (std::size_t size = 0; size < snapshot.size(); ++size) {
      EXPECT_FALSE(
          Engine::Restore(worker.engine().config(), std::string_view(snapshot).substr(0, size))
              .ok())
          << size;
    }
  });
}

TEST(SnapshotTest, ASnapshotWithSomethingBehindItIsRefused) {
  AtEachPoint([](const Worker& worker, std::size_t) {
    EXPECT_FALSE(Engine::Restore(worker.engine().config(), worker.engine().Snapshot() + '\0').ok());
  });
}

TEST(SnapshotTest, ASnapshotOfALargerWorkerIsRefusedOrSound) {
  AtEachPoint([](const Worker& worker, std::size_t) {
    const std::string snapshot = worker.engine().Snapshot();
    Config config = RichConfig();
    config.task_slots = 1;
    ExpectSound(config, snapshot);
    config = RichConfig();
    config.executor_count = 1;
    ExpectSound(config, snapshot);
    config = RichConfig();
    config.builder_slots = config.executor_task_slots = config.plugin_slots = 1;
    ExpectSound(config, snapshot);
  });
}

TEST(SnapshotTest, BytesThatAreNoSnapshotAreRefused) {
  EXPECT_FALSE(Engine::Restore(Config(), "").ok());
  EXPECT_FALSE(Engine::Restore(Config(), "hello").ok());
  EXPECT_FALSE(Engine::Restore(Config(), std::string(10'000, '\xff')).ok());
  EXPECT_FALSE(Engine::Restore(Config(), std::string(10'000, '\0')).ok());
}

}  // namespace
}  // namespace blockx::engine
