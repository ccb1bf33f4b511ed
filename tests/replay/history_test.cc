// What happened, gathered from a log's steps by task and by executor.
#include "blockx/replay/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "blockx/engine/driver.h"
#include "replay/recording.h"

namespace blockx::replay {
namespace {

using namespace blockx::engine;  // NOLINT(google-build-using-namespace): events in every line
using ::testing::ElementsAre;

const std::array<CallSpec, 2> kCalls = {CallSpec{"f", Payload::FromBytes("of f")},
                                        CallSpec{"g", {}}};
constexpr engine::Run kRun1(1);
constexpr engine::Run kRun2(2);
constexpr Failure kBusy = {.code = "BUSY", .message = "not now", .retryable = true};

// One Worker with one executor, at literal times in microseconds.
class HistoryTest : public ::testing::Test {
 protected:
  static Config SmallConfig() {
    Config config;
    config.task_slots = 2;
    config.executor_count = 1;
    config.executor_max_concurrent_calls = 4;
    config.ramp_up_initial_window = 4;
    return config;
  }

  // The number of the step.
  template <class E>
  std::uint64_t At(std::int64_t us, const E& event) {
    driver_.Apply(Event(event), AtMicroseconds(us));
    return driver_.sequence();
  }
  void Begin() {
    At(1, Start());
    At(2, ExecutorConnected{ExecutorId(0), Generation(1), 4711});
  }
  // Up to a task's two calls, which are dispatched at 50.
  void BeginCalls() {
    Begin();
    At(10, SubmitTask{.task_id = "t",
                      .function = {"fn", Payload::FromBytes("in")},
                      .result_handler = {"log", {}}});
    At(20, ActivationPrepared{"t", kRun1, "slot-0", CodeEpoch(7)});
    At(50, BuilderFinished{"t", kRun1, CallList{kCalls}});
  }
  [[nodiscard]] const TaskHistory& Task(std::string_view id = "t") const {
    const TaskHistory* const task = history_.Find(id);
    if (task == nullptr) std::abort();
    return *task;
  }
  [[nodiscard]] const RunHistory& OnlyRun(std::string_view id = "t") const {
    EXPECT_EQ(Task(id).runs.size(), 1U);
    return Task(id).runs.at(0);
  }
  [[nodiscard]] const WorkHistory& Work(WorkHistory::Kind kind) const {
    for (const WorkHistory& work : OnlyRun().work) {
      if (work.kind == kind) return work;
    }
    std::abort();
  }

  SilentWorld world_;
  Driver driver_{Engine(SmallConfig()), world_};
  History history_{driver_.engine()};

  HistoryTest() { driver_.SetObserver(&history_); }
};

std::int64_t Us(const Moment& moment) { return ToMicroseconds(moment.at); }

TEST_F(HistoryTest, AMomentIsATimeAndARecord) {
  const std::uint64_t step = At(5, Start());
  EXPECT_EQ(Us(history_.started()), 5);
  EXPECT_EQ(history_.started().sequence, step);
}

TEST_F(HistoryTest, WhatDidNotHappenSaysSo) {
  Begin();
  EXPECT_FALSE(history_.drain_begun().happened());
  EXPECT_FALSE(history_.force_stopped().happened());
  EXPECT_EQ(history_.Find("nobody"), nullptr);
}

TEST_F(HistoryTest, ItSpansTheStepsThatItSaw) {
  At(3, Tick());
  At(9, Tick());
  EXPECT_EQ(Us(history_.first()), 3);
  EXPECT_EQ(Us(history_.last()), 9);
  EXPECT_EQ(history_.ticks().size(), 2U);
}

TEST_F(HistoryTest, OrdersAreKept) {
  Begin();
  At(30, BeginDrain());
  At(40, ForceStop());
  EXPECT_EQ(Us(history_.drain_begun()), 30);
  EXPECT_EQ(Us(history_.force_stopped()), 40);
}

// ---- Requests ----

TEST_F(HistoryTest, ARequestSaysWhatWasAskedAndAnswered) {
  Begin();
  At(10, RequestTaskSlot{"t", Milliseconds(500)});
  const RequestHistory& request = Task().requests.at(0);
  EXPECT_EQ(request.kind, RequestHistory::Kind::kReserve);
  EXPECT_EQ(Us(request.at), 10);
  EXPECT_EQ(request.ttl, Milliseconds(500));
  EXPECT_EQ(request.slot, SlotIndex(0));
  EXPECT_FALSE(request.refused);
}

TEST_F(HistoryTest, ARefusalSaysWhy) {
  At(10, RequestTaskSlot{"t", {}});  // Not ready yet.
  EXPECT_EQ(Task().requests.at(0).refused, ErrorCode::kUnavailable);
  EXPECT_NE(Task().requests.at(0).refusal, "");
  EXPECT_TRUE(Task().runs.empty());
}

TEST_F(HistoryTest, ASubmissionKeepsWhatItBrought) {
  BeginCalls();
  const RequestHistory& request = Task().requests.at(0);
  EXPECT_EQ(request.kind, RequestHistory::Kind::kSubmit);
  EXPECT_EQ(request.function, "fn");
  EXPECT_EQ(*request.function_payload.bytes(), "in");
  EXPECT_EQ(request.result_handler, "log");
}

TEST_F(HistoryTest, TasksStandInTheOrderOfTheirFirstMention) {
  Begin();
  for (const char* id : {"b", "a", "b", "c"}) At(10, RequestTaskSlot{id, {}});
  std::vector<std::string> ids;
  for (const TaskHistory& task : history_.tasks()) ids.push_back(task.id);
  EXPECT_THAT(ids, ElementsAre("b", "a", "c"));
  EXPECT_EQ(Task("b").requests.size(), 2U);
}

// ---- Runs and their work ----

TEST_F(HistoryTest, ARunHasItsSlotAndItsPiecesOfWork) {
  BeginCalls();
  EXPECT_EQ(OnlyRun().run, kRun1);
  EXPECT_EQ(OnlyRun().slot, SlotIndex(0));
  EXPECT_EQ(Us(OnlyRun().accepted), 10);
  const WorkHistory& activation = Work(WorkHistory::Kind::kActivation);
  EXPECT_EQ(Us(activation.started), 10);
  EXPECT_EQ(Us(activation.finished), 20);
  EXPECT_EQ(activation.epoch, CodeEpoch(7));
  EXPECT_EQ(activation.slot_id, "slot-0");
  const WorkHistory& builder = Work(WorkHistory::Kind::kBuilder);
  EXPECT_EQ(Us(builder.started), 20);
  EXPECT_EQ(Us(builder.finished), 50);
  ASSERT_EQ(builder.batches.size(), 1U);
  EXPECT_THAT(builder.batches[0].calls, ElementsAre(0, 1));
}

TEST_F(HistoryTest, ARunEndsWithItsResult) {
  BeginCalls();
  for (const std::int64_t call : {1, 2}) {
    At(60, CallSucceeded{ExecutorId(0), CallId(call), Attempt(1), Payload::FromBytes("out")});
  }
  At(70, WriterFinished{"t", kRun1, Payload::FromBytes("written")});
  EXPECT_EQ(Us(OnlyRun().ended), 70);
  EXPECT_EQ(OnlyRun().result.state, TaskState::kSucceeded);
  const WorkHistory& writer = Work(WorkHistory::Kind::kWriter);
  EXPECT_EQ(Us(writer.started), 60);
  EXPECT_EQ(Us(writer.finished), 70);
  EXPECT_EQ(*writer.plugin_results.bytes(), "written");
}

TEST_F(HistoryTest, AFailureOfWorkIsKept) {
  Begin();
  At(10, SubmitTask{.task_id = "t", .function = {"fn", {}}});
  At(20, ActivationFailed{"t", kRun1, {.code = "NO_CODE", .message = "gone"}});
  ASSERT_TRUE(Work(WorkHistory::Kind::kActivation).failure);
  EXPECT_EQ(Work(WorkHistory::Kind::kActivation).failure->code, "NO_CODE");
  EXPECT_EQ(OnlyRun().result.state, TaskState::kFailed);
}

TEST_F(HistoryTest, AStreamHasItsBatchesAndItsEnd) {
  Begin();
  At(10, SubmitTask{.task_id = "t", .function = {"fn", {}}});
  At(20, ActivationPrepared{"t", kRun1, "", CodeEpoch(1)});
  At(30, BuilderFinished{"t", kRun1, StreamMarker()});
  At(40, CallsAppended{"t", kRun1, std::span(kCalls).first(1)});
  At(41, CallsAppended{"t", kRun1, std::span(kCalls).last(1)});
  At(50, CallStreamEnded{"t", kRun1, kBusy});
  EXPECT_TRUE(Work(WorkHistory::Kind::kBuilder).streams);
  const WorkHistory& stream = Work(WorkHistory::Kind::kStream);
  EXPECT_EQ(Us(stream.started), 30);
  EXPECT_EQ(Us(stream.finished), 50);
  ASSERT_EQ(stream.batches.size(), 2U);
  EXPECT_EQ(Us(stream.batches[1].at), 41);
  EXPECT_THAT(stream.batches[1].calls, ElementsAre(1));
  EXPECT_EQ(stream.failure->message, "not now");
}

TEST_F(HistoryTest, ATaskThatIsSubmittedAnewHasTwoRuns) {
  BeginCalls();
  for (const std::int64_t call : {1, 2}) {
    At(60, CallSucceeded{ExecutorId(0), CallId(call), Attempt(1), {}});
  }
  At(70, WriterFinished{"t", kRun1, Payload()});
  const std::int64_t forgotten = 70 + SmallConfig().result_retention.count() + 1'000'000;
  At(forgotten, ExecutorHeartbeat{ExecutorId(0), Generation(1), {}, 0});
  At(forgotten, Tick());
  At(forgotten, ExecutorConnected{ExecutorId(0), Generation(2), 1});
  At(forgotten, SubmitTask{.task_id = "t", .function = {"fn", {}}});
  ASSERT_EQ(Task().runs.size(), 2U);
  EXPECT_EQ(Task().runs[1].run, kRun2);
}

// ---- Calls and attempts ----

TEST_F(HistoryTest, ACallHasWhatItIsAndWhereItRan) {
  BeginCalls();
  ASSERT_EQ(OnlyRun().calls.size(), 2U);
  const CallHistory& call = OnlyRun().calls[0];
  EXPECT_EQ(call.id, CallId(1));
  EXPECT_EQ(call.function, "f");
  EXPECT_EQ(*call.args.bytes(), "of f");
  EXPECT_EQ(Us(call.requested), 50);
  EXPECT_TRUE(call.is_root());
  ASSERT_EQ(call.attempts.size(), 1U);
  EXPECT_EQ(call.attempts[0].executor, ExecutorId(0));
  EXPECT_EQ(call.attempts[0].generation, Generation(1));
  EXPECT_EQ(Us(call.attempts[0].dispatched), 50);
  EXPECT_EQ(call.attempts[0].end, AttemptHistory::End::kNone);
}

TEST_F(HistoryTest, AnAttemptEndsByItsReport) {
  BeginCalls();
  At(60, CallSucceeded{ExecutorId(0), CallId(1), Attempt(1), Payload::FromBytes("out")});
  const AttemptHistory& attempt = OnlyRun().calls[0].attempts.at(0);
  EXPECT_EQ(attempt.end, AttemptHistory::End::kSucceeded);
  EXPECT_EQ(Us(attempt.ended), 60);
  EXPECT_EQ(*attempt.output.bytes(), "out");
}

TEST_F(HistoryTest, ARetryIsAnotherAttempt) {
  BeginCalls();
  At(60, CallFailed{ExecutorId(0), CallId(1), Attempt(1), kBusy});
  const auto retry = driver_.engine().NextDeadline();
  ASSERT_TRUE(retry);
  At(ToMicroseconds(*retry), Tick());
  const std::vector<AttemptHistory>& attempts = OnlyRun().calls[0].attempts;
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].end, AttemptHistory::End::kFailed);
  EXPECT_EQ(attempts[0].failure.code, "BUSY");
  EXPECT_EQ(attempts[1].number, Attempt(2));
}

TEST_F(HistoryTest, AnAttemptEndsWithItsExecutor) {
  BeginCalls();
  At(60, ExecutorExited{ExecutorId(0), Generation(1), "signal 9"});
  for (const CallHistory& call : OnlyRun().calls) {
    EXPECT_EQ(call.attempts.at(0).end, AttemptHistory::End::kExecutorExited);
    EXPECT_EQ(Us(call.attempts[0].ended), 60);
    EXPECT_EQ(call.attempts[0].failure.message, "signal 9");
  }
}

TEST_F(HistoryTest, AReportThatComesLateChangesNothing) {
  BeginCalls();
  At(60, CallSucceeded{ExecutorId(0), CallId(1), Attempt(1), {}});
  At(61, CallFailed{ExecutorId(0), CallId(1), Attempt(1), kBusy});
  EXPECT_EQ(OnlyRun().calls[0].attempts.at(0).end, AttemptHistory::End::kSucceeded);
  EXPECT_EQ(Us(OnlyRun().calls[0].attempts[0].ended), 60);
}

TEST_F(HistoryTest, ASubcallKnowsWhoAskedForIt) {
  BeginCalls();
  At(55, SubcallRequested{ExecutorId(0), CallId(2), Attempt(1), SubcallRef(9), {"inner", {}}});
  ASSERT_EQ(OnlyRun().calls.size(), 3U);
  const CallHistory& call = OnlyRun().calls[2];
  EXPECT_FALSE(call.is_root());
  EXPECT_EQ(call.parent, 1);
  EXPECT_EQ(call.parent_attempt, Attempt(1));
  EXPECT_EQ(call.ref, SubcallRef(9));
  EXPECT_EQ(call.function, "inner");
  EXPECT_EQ(call.id, CallId(3));
}

TEST_F(HistoryTest, ASubcallKnowsWhenItsAnswerWasGiven) {
  BeginCalls();
  At(55, SubcallRequested{ExecutorId(0), CallId(2), Attempt(1), SubcallRef(9), {"inner", {}}});
  At(60, CallSucceeded{ExecutorId(0), CallId(1), Attempt(1), {}});
  EXPECT_FALSE(OnlyRun().calls.at(2).delivered.happened());
  At(70, CallSucceeded{ExecutorId(0), CallId(3), Attempt(1), {}});
  EXPECT_EQ(Us(OnlyRun().calls.at(2).delivered), 70);
}

TEST_F(HistoryTest, ASubcallThatWasRefusedHasNoId) {
  Begin();
  At(10, SubmitTask{.task_id = "t", .function = {"fn", {}}});
  At(20, ActivationPrepared{"t", kRun1, "", CodeEpoch(1)});
  At(50, BuilderFinished{"t", kRun1, CallList{std::span(kCalls).first(1)}});
  // One below the other, until the engine does not go deeper.
  for (std::int64_t parent = 1; parent <= SmallConfig().max_subcall_depth + 1; ++parent) {
    At(50 + parent,
       SubcallRequested{ExecutorId(0), CallId(parent), Attempt(1), SubcallRef(1), {"inner", {}}});
  }
  EXPECT_EQ(OnlyRun().calls.back().id, CallId(0));
  EXPECT_TRUE(OnlyRun().calls.back().attempts.empty());
}

// ---- Executors and watches ----

TEST_F(HistoryTest, EachProcessOfAnExecutorHasItsOwnHistory) {
  Begin();
  At(30, ExecutorHeartbeat{ExecutorId(0), Generation(1), CallId(0), 29});
  At(60, ExecutorExited{ExecutorId(0), Generation(1), "signal 9"});
  const auto restart = driver_.engine().NextDeadline();
  ASSERT_TRUE(restart);
  At(ToMicroseconds(*restart), Tick());
  ASSERT_EQ(history_.executors().size(), 2U);
  const ExecutorHistory& first = history_.executors()[0];
  EXPECT_EQ(Us(first.spawned), 1);
  EXPECT_EQ(Us(first.connected), 2);
  EXPECT_EQ(first.pid, 4711);
  ASSERT_EQ(first.heartbeats.size(), 1U);
  EXPECT_EQ(first.heartbeats[0].last_scheduler_active, 29);
  EXPECT_EQ(Us(first.exited), 60);
  EXPECT_EQ(first.exit_reason, "signal 9");
  const ExecutorHistory& second = history_.executors()[1];
  EXPECT_EQ(second.generation, Generation(2));
  EXPECT_EQ(second.spawned.at, *restart);
  EXPECT_FALSE(second.connected.happened());
}

TEST_F(HistoryTest, AKillHasItsReason) {
  At(1, Start());
  At(1 + SmallConfig().executor_start_timeout.count() + 1'000'000, Tick());
  EXPECT_EQ(history_.executors().at(0).kill_reason, KillReason::kStartTimeout);
  EXPECT_TRUE(history_.executors()[0].killed.happened());
}

TEST_F(HistoryTest, AWatchHasItsTasksAndItsEnds) {
  Begin();
  const std::array<std::string_view, 2> tasks = {"t", "u"};
  At(10, OpenWatch{WatchId(4), tasks});
  At(11, SubmitTask{.task_id = "t", .function = {"fn", {}}});
  At(20, CloseWatch{WatchId(4)});
  ASSERT_EQ(history_.watches().size(), 1U);
  const WatchHistory& watch = history_.watches()[0];
  EXPECT_THAT(watch.task_ids, ElementsAre("t", "u"));
  EXPECT_EQ(Us(watch.opened), 10);
  EXPECT_EQ(Us(watch.closed), 20);
}

TEST_F(HistoryTest, AWatchEndsWhenAllItsTasksDid) {
  Begin();
  const std::array<std::string_view, 1> tasks = {"t"};
  At(10, OpenWatch{WatchId(4), tasks});
  At(11, SubmitTask{.task_id = "t", .function = {"fn", {}}});
  At(20, ActivationFailed{"t", kRun1, {}});
  EXPECT_EQ(Us(history_.watches().at(0).ended), 20);
  EXPECT_TRUE(history_.watches()[0].complete);
}

// ---- From the middle on ----

TEST_F(HistoryTest, WhatBeganBeforeHasNoBeginning) {
  BeginCalls();
  History later(driver_.engine());
  driver_.SetObserver(&later);
  At(60, CallSucceeded{ExecutorId(0), CallId(1), Attempt(1), {}});
  At(61, CallSucceeded{ExecutorId(0), CallId(2), Attempt(1), {}});
  At(70, WriterFinished{"t", kRun1, Payload()});
  const TaskHistory* const task = later.Find("t");
  ASSERT_NE(task, nullptr);
  EXPECT_FALSE(task->runs.at(0).accepted.happened());
  EXPECT_EQ(Us(task->runs[0].ended), 70);
  EXPECT_EQ(Us(later.first()), 60);
}

// Over every kind of step, the gathering itself must come to no harm.
TEST(RichHistoryTest, EachRunIsOfTheSubmissionThatWasAccepted) {
  TemporaryFolder folder;
  MakeLog(In(folder.path()));
  auto replayer = Replayer::Open(folder.path());
  ASSERT_TRUE(replayer.ok());
  History history((*replayer)->engine());
  while (*(*replayer)->Next(&history)) {
  }
  std::size_t runs = 0;
  for (const TaskHistory& task : history.tasks()) {
    runs += task.runs.size();
    for (const RunHistory& run : task.runs) {
      EXPECT_TRUE(run.accepted.happened()) << task.id;
      for (const CallHistory& call : run.calls) {
        for (std::size_t i = 0; i < call.attempts.size(); ++i) {
          EXPECT_EQ(call.attempts[i].number, Attempt(static_cast<std::int64_t>(i) + 1));
        }
      }
    }
  }
  EXPECT_GT(runs, 5U);
}

}  // namespace
}  // namespace blockx::replay
