#include "blockx/engine/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Run kRun1{1};
constexpr Run kRun2{2};
constexpr Run kRun99{99};
constexpr ExecutorId kExecutor0{0};
constexpr ExecutorId kExecutor1{1};
constexpr Generation kGeneration1{1};
constexpr Generation kGeneration2{2};
constexpr CallId kCall1{1};
constexpr CallId kCall9{9};
constexpr Attempt kAttempt1{1};
constexpr Attempt kAttempt2{2};

// t1 is in Calls with call 1 on executor 0, t2 in Builder, t3 has ended, t4 is reserved.
Worker Busy() {
  Worker worker({.executor_count = 2});
  worker.Ready().ToCalls("t1", {"a"});
  worker.ToBuilder("t2");
  worker.ToCalls("t3", {});
  worker.Reserve("t4");
  return worker;
}

template <class E>
void ExpectDropped(Worker& worker, const E& report, const char* why) {
  const std::uint64_t digest = worker.digest();
  const std::uint64_t dropped = worker.dropped();
  EXPECT_THAT(worker.Apply(report), IsEmpty()) << why;
  EXPECT_EQ(worker.digest(), digest) << why;
  EXPECT_EQ(worker.dropped(), dropped + 1) << why;
}

TEST(EventsTest, R_EV_1_AReportAboutATaskThatIsNotThereIsDropped) {
  Worker worker = Busy();
  for (const std::string_view task : {"unknown", "t3", "t4", ""}) {
    const std::string why = "task '" + std::string(task) + "'";
    ExpectDropped(worker, ActivationPrepared{.task_id = task, .run = kRun1}, why.c_str());
    ExpectDropped(worker, ActivationFailed{.task_id = task, .run = kRun1}, why.c_str());
    ExpectDropped(worker, BuilderFinished{.task_id = task, .run = kRun1}, why.c_str());
    ExpectDropped(worker, CallsAppended{.task_id = task, .run = kRun1}, why.c_str());
    ExpectDropped(worker, CallStreamEnded{.task_id = task, .run = kRun1}, why.c_str());
    ExpectDropped(worker, WriterFinished{.task_id = task, .run = kRun1}, why.c_str());
  }
}

TEST(EventsTest, R_EV_1_AReportAboutAnotherPhaseIsDropped) {
  Worker worker = Busy();
  ExpectDropped(worker, ActivationPrepared{.task_id = "t2", .run = kRun2}, "prepared in Builder");
  ExpectDropped(worker, ActivationFailed{.task_id = "t1", .run = kRun1}, "not prepared in Calls");
  ExpectDropped(worker, BuilderFinished{.task_id = "t1", .run = kRun1}, "built in Calls");
  ExpectDropped(worker, CallsAppended{.task_id = "t1", .run = kRun1}, "appended to a list");
  ExpectDropped(worker, CallStreamEnded{.task_id = "t2", .run = kRun2}, "stream ended in Builder");
  ExpectDropped(worker, WriterFinished{.task_id = "t1", .run = kRun1}, "written in Calls");
}

TEST(EventsTest, R_EV_1_AReportOfAnotherRunIsDropped) {
  Worker worker = Busy();
  ExpectDropped(worker, BuilderFinished{.task_id = "t2", .run = kRun1}, "earlier run");
  ExpectDropped(worker, BuilderFinished{.task_id = "t2", .run = kRun99}, "later run");
}

TEST(EventsTest, R_EV_1_AReportOfACallThatIsNotThereIsDropped) {
  Worker worker = Busy();
  ExpectDropped(worker, CallSucceeded{.executor = kExecutor0, .call = kCall9, .attempt = kAttempt1},
                "call");
  ExpectDropped(worker, CallSucceeded{.executor = kExecutor0, .call = kCall1, .attempt = kAttempt2},
                "attempt");
  ExpectDropped(worker, CallSucceeded{.executor = kExecutor1, .call = kCall1, .attempt = kAttempt1},
                "executor");
  ExpectDropped(worker, CallFailed{.executor = kExecutor0, .call = kCall9, .attempt = kAttempt1},
                "call");
  ExpectDropped(
      worker,
      SubcallRequested{.executor = kExecutor0, .parent = kCall9, .parent_attempt = kAttempt1},
      "call");
  ExpectDropped(
      worker,
      SubcallRequested{.executor = kExecutor1, .parent = kCall1, .parent_attempt = kAttempt1},
      "executor");
}

TEST(EventsTest, R_EV_1_AReportOfAnotherGenerationIsDropped) {
  Worker worker = Busy();
  ExpectDropped(worker, ExecutorConnected{.executor = kExecutor0, .generation = kGeneration2},
                "connected");
  ExpectDropped(worker, ExecutorHeartbeat{.executor = kExecutor0, .generation = kGeneration2},
                "heartbeat");
  ExpectDropped(worker, ExecutorExited{.executor = kExecutor0, .generation = kGeneration2},
                "exited");
  ExpectDropped(worker, ExecutorConnected{.executor = kExecutor0, .generation = kGeneration1},
                "connected twice");
}

TEST(EventsTest, R_EV_1_ReportsBeforeTheStartAreDropped) {
  Worker worker;
  ExpectDropped(worker, ExecutorConnected{.executor = kExecutor0, .generation = kGeneration1},
                "connected");
  ExpectDropped(worker, ExecutorExited{.executor = kExecutor0, .generation = Generation()},
                "exited");
}

TEST(EventsTest, R_EV_2_TheEndOfCancelledWorkIsStillTaken) {
  Worker worker({.executor_count = 1});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Subcall(1, 1);
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.Failed(1, Final("E")),
              ElementsAre("cancel 2.1 on 0", "converge t1#1 FAILED/E"));
  EXPECT_THAT(worker.Failed(2, Final("CANCELLED")), ElementsAre("dispatch 3.1 on 0"));
  EXPECT_EQ(worker.dropped(), 0U);
}

TEST(EventsTest, R_EV_2_ReportsHandedOverBeforeATickCountInIt) {
  Worker worker({.executor_count = 1});
  worker.Ready().At(1'000s).Beat(0);
  EXPECT_THAT(worker.Tick(), IsEmpty());
}

TEST(EventsTest, R_EV_3_BuildersAreGrantedBeforeStreams) {
  Worker worker({.builder_slots = 1});
  worker.Ready().ToBuilder("t1");
  worker.ToBuilder("t2");
  EXPECT_THAT(worker.BuiltStream("t1"), ElementsAre("start-builder t2#2", "start-stream t1#1"));
}

TEST(EventsTest, R_EV_3_ExecutorTasksAreGrantedBeforeWriters) {
  Worker worker({.executor_task_slots = 1});
  worker.Ready().ToCalls(TaskWithWriter("t1"), {"a"});
  worker.ToStream("t2");
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("start-stream t2#2", "start-writer t1#1 ['']"));
}

TEST(EventsTest, R_EV_3_CallsAreDispatchedAfterAllGrants) {
  Worker worker({.executor_task_slots = 1});
  worker.Ready().ToCalls(TaskWithWriter("t1"), {"a"});
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("start-writer t1#1 ['']", "dispatch 2.1 on 0"));
}

TEST(EventsTest, R_EV_3_StreamsAreJudgedAfterTheDispatches) {
  Worker worker({.stream_max_buffered_calls = 1, .executor_count = 1});
  worker.Ready().ToStream("t1");
  EXPECT_THAT(worker.Appended("t1", {"a", "b"}),
              ElementsAre("dispatch 1.1 on 0", "pause-stream t1#1"));
}

// Both tasks are past their deadlines: the permit that the first one leaves goes to nobody in
// between.
TEST(EventsTest, R_EV_3_NothingStartsForATaskThatEndsInTheSameStep) {
  Worker worker(
      {.task_deadline = Milliseconds(1'000), .executor_task_slots = 1, .executor_count = 2});
  worker.Ready().ToCalls("t1", {"a"});
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.At(1s).Tick(),
              ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable", "cancel 1.1 on 0",
                          "converge t2#2 FAILED/TIMED_OUT retryable"));
}

// A life whose payloads have these contents, or only their sizes and fingerprints; gives all
// commands and the digests.
Texts LifeWith(bool left_out) {
  const auto payload = [&](const std::string& bytes) {
    const Payload full = Payload::FromBytes(bytes);
    return left_out ? Payload::LeftOut(full.size(), full.fingerprint()) : full;
  };
  Texts seen;
  Worker worker(
      {.max_retained_result_bytes = 410, .max_task_output_bytes = 8, .executor_count = 2});
  const auto note = [&] {
    for (const std::string& command : worker.commands())
      seen.push_back(command.substr(0, command.find(" [")));
    seen.push_back(std::to_string(worker.digest()));
  };
  worker.Ready();
  SubmitTask task = TaskWithWriter("t1");
  task.function.payload = payload("input");
  worker.ToBuilder(task);
  const std::vector<CallSpec> calls = {{.function = "a", .args = payload("x")},
                                       {.function = "b", .args = payload("")}};
  worker.Apply(BuilderFinished{.task_id = "t1", .run = kRun1, .outcome = CallList{calls}});
  note();
  worker.Apply(CallSucceeded{
      .executor = kExecutor0, .call = kCall1, .attempt = kAttempt1, .output = payload("out")});
  note();
  worker.Apply(CallSucceeded{
      .executor = kExecutor1, .call = CallId(2), .attempt = kAttempt1, .output = payload("12345")});
  note();
  worker.Apply(WriterFinished{.task_id = "t1", .run = kRun1, .outcome = payload("12345678")});
  note();
  seen.push_back(worker.Reserve("t2"));
  return seen;
}

TEST(EventsTest, R_EV_4_PayloadsThatWereLeftOutDecideTheSame) {
  const Texts full = LifeWith(false);
  EXPECT_EQ(LifeWith(true), full);
  EXPECT_EQ(full.back(), "NoSlot");  // sizes do decide
}

TEST(EventsTest, R_EV_4_TheBytesThatWentInComeOut) {
  const Payload payload = Payload::FromBytes("precious");
  const std::vector<CallSpec> calls = {{.function = "a", .args = payload}};
  Worker worker;
  worker.Ready().ToBuilder("t1");
  worker.Apply(BuilderFinished{.task_id = "t1", .run = kRun1, .outcome = CallList{calls}});
  EXPECT_EQ(worker.Only<DispatchCall>().args->bytes(), payload.bytes());  // not even copied
}

}  // namespace
}  // namespace blockx::engine
