#include "blockx/engine/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Notes, in order, what the driver shows and carries out.
class Notebook : public World, public StepObserver {
 public:
  void Carry(const Command& command, Instant now) override {
    notes_.push_back("carry " + Describe(command) + " at " + Describe(now));
  }
  void OnStep(const Step& step) override {
    notes_.push_back("step " + std::to_string(step.sequence) + " at " + Describe(step.now) +
                     " of event " + std::to_string(step.event.index()) + ", reply " +
                     std::to_string(step.reply.index()) + ", " +
                     std::to_string(step.commands.size()) + " commands");
    digests_.push_back(step.digest);
  }
  [[nodiscard]] Texts Take() { return std::exchange(notes_, {}); }
  [[nodiscard]] const std::vector<std::uint64_t>& digests() const { return digests_; }

 private:
  Texts notes_;
  std::vector<std::uint64_t> digests_;
};

Engine TwoExecutors() { return Engine(Config{.executor_count = 2}); }

TEST(DriverTest, AStepIsObservedBeforeItsCommandsAreCarriedOutInOrder) {
  Notebook notebook;
  Driver driver(TwoExecutors(), notebook, &notebook);
  driver.Apply(Start(), kStart + 1s);
  EXPECT_THAT(notebook.Take(),
              ElementsAre("step 1 at 1000ms of event 17, reply 0, 2 commands",
                          "carry spawn 0.1 at 1000ms", "carry spawn 1.1 at 1000ms"));
}

TEST(DriverTest, EachStepIsObservedAlsoARefusalAndADroppedReport) {
  Notebook notebook;
  Driver driver(TwoExecutors(), notebook, &notebook);
  EXPECT_FALSE(driver.Apply(RequestTaskSlot{.task_id = "t1"}, kStart).ok());
  driver.Apply(ExecutorExited{}, kStart);
  driver.Apply(Tick(), kStart);
  EXPECT_THAT(notebook.Take(), ElementsAre("step 1 at 0ms of event 0, reply 1, 0 commands",
                                           "step 2 at 0ms of event 13, reply 0, 0 commands",
                                           "step 3 at 0ms of event 18, reply 0, 0 commands"));
}

TEST(DriverTest, RepliesAreThoseOfTheEngine) {
  Notebook notebook;
  Driver driver(TwoExecutors(), notebook);
  driver.Apply(Start(), kStart);
  driver.Apply(ExecutorConnected{.generation = Generation(1)}, kStart);
  const Result<TaskView> task = driver.Apply(RequestTaskSlot{.task_id = "t1"}, kStart);
  ASSERT_TRUE(task.ok());
  EXPECT_EQ(Describe(task.value()), "ALLOCATED slot-0 until 5000ms");
  const Result<WatchView> watch = driver.Apply(OpenWatch{.watch_id = WatchId(1)}, kStart);
  ASSERT_FALSE(watch.ok());
  EXPECT_EQ(watch.error().code, ErrorCode::kInvalidArgument);
}

// The same steps by the typed door and by the variant.
TEST(DriverTest, BothDoorsGiveTheSameHistory) {
  Notebook typed_notes;
  Notebook variant_notes;
  Driver typed(TwoExecutors(), typed_notes, &typed_notes);
  Driver variant(TwoExecutors(), variant_notes, &variant_notes);
  const auto apply = [&](const auto& event, Instant now) {
    static_cast<void>(typed.Apply(event, now));
    variant.Apply(Event(event), now);
    EXPECT_EQ(typed.digest(), variant.digest());
  };
  apply(Start(), kStart);
  apply(ExecutorConnected{.executor = ExecutorId(1), .generation = Generation(1)}, kStart);
  apply(Task("t1"), kStart);
  apply(GetTaskResult{.task_id = "unknown"}, kStart);
  apply(Tick(), kStart + 9s);
  EXPECT_EQ(typed_notes.Take(), variant_notes.Take());
}

TEST(DriverTest, TheObservedDigestIsTheDriversAndMovesWithEachStep) {
  Notebook notebook;
  Driver driver(TwoExecutors(), notebook, &notebook);
  driver.Apply(Tick(), kStart);
  EXPECT_EQ(notebook.digests().back(), driver.digest());
  driver.Apply(Tick(), kStart);
  EXPECT_EQ(notebook.digests().back(), driver.digest());
  EXPECT_NE(notebook.digests()[0], notebook.digests()[1]);
  EXPECT_EQ(driver.sequence(), 2U);
}

TEST(DriverTest, TheDigestDoesNotDependOnAnObserver) {
  Notebook notebook;
  Driver seen(TwoExecutors(), notebook, &notebook);
  Driver unseen(TwoExecutors(), notebook);
  seen.Apply(Start(), kStart);
  unseen.Apply(Start(), kStart);
  EXPECT_EQ(seen.digest(), unseen.digest());
}

TEST(DriverTest, TheDigestHoldsTheWholePast) {
  Notebook notebook;
  Driver one(TwoExecutors(), notebook);
  Driver other(TwoExecutors(), notebook);
  one.Apply(CloseWatch{.watch_id = WatchId(1)}, kStart);
  other.Apply(CloseWatch{.watch_id = WatchId(2)}, kStart);
  one.Apply(Tick(), kStart);
  other.Apply(Tick(), kStart);
  EXPECT_NE(one.digest(), other.digest());
}

TEST(DriverTest, TheEventIsShownAsItCame) {
  class LastEvent : public StepObserver {
   public:
    void OnStep(const Step& step) override {
      const auto* request = std::get_if<RequestTaskSlot>(&step.event);
      seen = request != nullptr ? std::string(request->task_id) : "";
      now = step.now;
    }
    std::string seen;
    Instant now{};
  };
  Notebook notebook;
  LastEvent last;
  Driver driver(TwoExecutors(), notebook, &last);
  driver.Apply(Tick(), kStart + 9s);
  static_cast<void>(driver.Apply(RequestTaskSlot{.task_id = "t1"}, kStart));
  EXPECT_EQ(last.seen, "t1");
  EXPECT_EQ(last.now, kStart);  // as given, though the engine counts it as later
}

}  // namespace
}  // namespace blockx::engine
