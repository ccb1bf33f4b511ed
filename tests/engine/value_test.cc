#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/history.h"
#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;

Engine Ready() {
  Engine engine(Config{.executor_count = 1});
  engine.Apply(Start(), kStart);
  engine.Apply(ExecutorConnected{.generation = Generation(1)}, kStart);
  return engine;
}

TEST(ValueTest, ACopyHasTheSameFutureFromEachPoint) {
  Worker original(RichConfig());
  const Texts whole = Play(original, 0);
  Worker worker(RichConfig());
  for (std::size_t i = 0; i < RichHistory().size(); ++i) {
    Worker copy = worker;
    EXPECT_EQ(Play(copy, i), Texts(whole.begin() + static_cast<std::ptrdiff_t>(i), whole.end()))
        << "copied before step " << i;
    RichHistory()[i](worker);
  }
}

TEST(ValueTest, ACopyLivesOnIndependently) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  const std::uint64_t before = worker.digest();
  Worker copy = worker;
  copy.Succeeded(1);
  EXPECT_EQ(copy.Get("t1"), "SUCCEEDED");
  EXPECT_EQ(worker.digest(), before);
  EXPECT_EQ(worker.Get("t1"), "RUNNING CALLS slot-0");
}

TEST(ValueTest, ACopyOutlivesItsOriginal) {
  std::optional<Worker> worker(std::in_place, Config{.executor_count = 1});
  worker->Ready().ToCalls("a task id that is too long to be stored within a string", {"a"});
  Worker copy = *worker;
  worker.reset();
  EXPECT_THAT(
      copy.Succeeded(1),
      ElementsAre("converge a task id that is too long to be stored within a string#1 SUCCEEDED"));
}

TEST(ValueTest, AssignmentTakesTheWholeState) {
  Engine one = Ready();
  Engine other((Config()));
  other = one;
  EXPECT_EQ(other.StateDigest(), one.StateDigest());
  EXPECT_EQ(other.config(), one.config());
  static_cast<void>(other.Apply(RequestTaskSlot{.task_id = "t1"}, kStart));
  EXPECT_NE(other.StateDigest(), one.StateDigest());
}

TEST(ValueTest, AMovedEngineGoesOn) {
  Engine one = Ready();
  const std::uint64_t digest = one.StateDigest();
  Engine other = std::move(one);
  EXPECT_EQ(other.StateDigest(), digest);
  one = Ready();
  EXPECT_EQ(one.StateDigest(), digest);
}

TEST(ValueTest, TheSameEventsGiveTheSameOutputs) {
  Worker one(RichConfig());
  Worker other(RichConfig());
  EXPECT_EQ(Play(one, 0), Play(other, 0));
}

TEST(ValueTest, ANewEngineHasNoCommands) { EXPECT_TRUE(Engine(Config()).commands().empty()); }

TEST(ValueTest, EachApplyBeginsANewListOfCommands) {
  Worker worker({.executor_count = 1});
  worker.Start();
  EXPECT_THAT(worker.commands(), ElementsAre("spawn 0.1"));
  EXPECT_EQ(worker.Get("t1"), "NotFound");
  EXPECT_THAT(worker.commands(), IsEmpty());
}

// Applies a submission whose every text is gone when the commands are read.
TEST(ValueTest, CommandsDoNotBorrowFromTheEvent) {
  Engine engine = Ready();
  {
    const std::string task_id(40, 't');
    const std::string type(40, 'f');
    static_cast<void>(
        engine.Apply(SubmitTask{.task_id = task_id, .function = {.type = type}}, kStart));
  }
  EXPECT_EQ(Describe(engine.commands().front()), "prepare " + std::string(40, 't') + "#1 slot-0");
}

TEST(ValueTest, CallsDoNotBorrowFromTheirReport) {
  Engine engine = Ready();
  const std::string task_id(40, 't');
  static_cast<void>(engine.Apply(Task(task_id), kStart));
  engine.Apply(ActivationPrepared{.task_id = task_id, .run = blockx::engine::Run(1)}, kStart);
  {
    const std::string function(50, 'f');
    const std::vector<CallSpec> calls = {
        {.function = function, .args = Payload::FromBytes("args")}};
    engine.Apply(
        BuilderFinished{
            .task_id = task_id, .run = blockx::engine::Run(1), .outcome = CallList{calls}},
        kStart);
  }
  const auto& dispatch = std::get<DispatchCall>(engine.commands().front());
  EXPECT_EQ(dispatch.function, std::string(50, 'f'));
  EXPECT_EQ(*dispatch.args->bytes(), "args");
}

TEST(ValueTest, RepliesDoNotBorrowFromTheRequest) {
  Engine engine = Ready();
  std::optional<Result<TaskView>> reply;
  {
    const std::string task_id(40, 't');
    reply.emplace(engine.Apply(RequestTaskSlot{.task_id = task_id}, kStart));
  }
  EXPECT_EQ(reply->value().task_id, std::string(40, 't'));
}

TEST(ValueTest, ResultsAreReadableWithTheCommandsOfTheirStep) {
  Engine engine = Ready();
  static_cast<void>(engine.Apply(Task("t1"), kStart));
  {
    const std::string message(60, 'm');
    engine.Apply(
        ActivationFailed{
            .task_id = "t1", .run = blockx::engine::Run(1), .failure = {.message = message}},
        kStart);
  }
  const auto& converge = std::get<ConvergeTask>(engine.commands().front());
  EXPECT_EQ(converge.result->message, std::string(60, 'm'));
}

// With a retention of nothing, a Tick converges and purges: the command must still be readable.
TEST(ValueTest, AResultPurgedInItsOwnStepIsReadableUntilTheNext) {
  Worker worker({.result_retention = Duration()});
  SubmitTask task = Task("a task id that is too long to be stored within a string");
  task.timeout = 1s;
  worker.Ready().ToBuilder(task);
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("converge a task id that is too long to be stored "
                                                "within a string#1 FAILED/TIMED_OUT retryable"));
  EXPECT_EQ(worker.Get(task.task_id), "NotFound");
}

TEST(ValueTest, TheDigestIsThatOfTheStateAndNotOfItsHistory) {
  Worker one({.executor_count = 1});
  Worker other({.executor_count = 1});
  one.Ready().Watch(1, {"t1"});
  one.Watch(2, {"t2"});
  other.Ready().Watch(2, {"t2"});
  other.Watch(3, {"t3"});
  other.Watch(1, {"t1"});
  other.Unwatch(3);
  EXPECT_EQ(one.digest(), other.digest());
}

TEST(ValueTest, TheDigestDoesNotCoverTheClockAndTheCounters) {
  Worker worker({.executor_count = 1});
  worker.Ready();
  const std::uint64_t before = worker.digest();
  worker.At(3s).Get("t1");
  worker.Apply(ExecutorExited{.executor = ExecutorId(0), .generation = Generation(7)});
  EXPECT_THAT(worker.dropped(), Gt(0U));
  EXPECT_EQ(worker.digest(), before);
}

TEST(ValueTest, EachStepThatChangesSomethingChangesTheDigest) {
  Worker worker({.executor_count = 1});
  std::vector<std::uint64_t> digests = {worker.digest()};
  worker.Ready();
  digests.push_back(worker.digest());
  for (const HistoryStep& step : std::vector<HistoryStep>{
           [](Worker& w) { return w.Reserve("t1"); },
           [](Worker& w) { return w.Submit(TaskWithWriter("t1")); },
           [](Worker& w) { return w.Prepared("t1").front(); },
           [](Worker& w) { return w.Built("t1", {"a"}).front(); },
           [](Worker& w) { return w.Subcall(1, 1).front(); },
           [](Worker& w) { return w.Succeeded(2).front(); },
           [](Worker& w) { return w.Succeeded(1).front(); },
           [](Worker& w) { return w.Written("t1").front(); },
           [](Worker& w) { return w.Drain().front(); },
           [](Worker& w) { return w.Stop().front(); },
       }) {
    step(worker);
    EXPECT_EQ(std::count(digests.begin(), digests.end(), worker.digest()), 0)
        << "step " << digests.size();
    digests.push_back(worker.digest());
  }
}

}  // namespace
}  // namespace blockx::engine
