#include "blockx/engine/step_digest.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <set>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;

constexpr Instant kNow = kStart;
constexpr Run kRun1{1};
const Payload kPayload = Payload::FromBytes("bytes");
const Payload kOther = Payload::LeftOut(5, 1);
constexpr Failure kFailure{.code = "E", .message = "m", .retryable = true};

template <class E>
std::uint64_t DigestOf(const E& event) {
  return ChainDigest(0, kNow, event, std::monostate(), {});
}
std::uint64_t DigestOf(const Result<TaskView>& reply) {
  return ChainDigest(0, kNow, GetTaskResult(), reply, {});
}
std::uint64_t DigestOf(const Result<WatchView>& reply) {
  return ChainDigest(0, kNow, OpenWatch(), reply, {});
}
std::uint64_t DigestOf(const Command& command) {
  return ChainDigest(0, kNow, Tick(), std::monostate(), std::array<Command, 1>{command});
}

// The digests of a thing and of its variants, each with one field changed, are all different.
template <class T>
void ExpectEachFieldCounts(const T& base, std::initializer_list<void (*)(T&)> changes) {
  std::set<std::uint64_t> digests = {DigestOf(base)};
  std::size_t number = 0;
  for (const auto change : changes) {
    T changed = base;
    change(changed);
    EXPECT_TRUE(digests.insert(DigestOf(changed)).second) << "change " << number;
    ++number;
  }
}

template <class T>
void ExpectEachFieldOfCommandCounts(const T& base, std::initializer_list<void (*)(T&)> changes) {
  std::set<std::uint64_t> digests = {DigestOf(Command(base))};
  std::size_t number = 0;
  for (const auto change : changes) {
    T changed = base;
    change(changed);
    EXPECT_TRUE(digests.insert(DigestOf(Command(changed))).second) << "change " << number;
    ++number;
  }
}

TEST(StepDigestTest, ThePastAndTheTimeCount) {
  const std::uint64_t base = ChainDigest(0, kNow, Tick(), std::monostate(), {});
  EXPECT_NE(ChainDigest(1, kNow, Tick(), std::monostate(), {}), base);
  EXPECT_NE(ChainDigest(0, kNow + 1us, Tick(), std::monostate(), {}), base);
}

TEST(StepDigestTest, TheKindOfEventCounts) {
  const std::set<std::uint64_t> digests = {DigestOf(Start()), DigestOf(Tick()),
                                           DigestOf(BeginDrain()), DigestOf(ForceStop())};
  EXPECT_EQ(digests.size(), 4U);
}

TEST(StepDigestTest, EachFieldOfARequestCounts) {
  ExpectEachFieldCounts<RequestTaskSlot>({.task_id = "t"}, {
                                                               [](auto& e) { e.task_id = "u"; },
                                                               [](auto& e) { e.ttl = 1us; },
                                                           });
  ExpectEachFieldCounts<GetTaskResult>({.task_id = "t"}, {[](auto& e) { e.task_id = "u"; }});
  ExpectEachFieldCounts<CloseWatch>({}, {[](auto& e) { e.watch_id = WatchId(1); }});
  static constexpr std::string_view kIds[] = {"t", "u"};
  ExpectEachFieldCounts<OpenWatch>({}, {
                                           [](auto& e) { e.watch_id = WatchId(1); },
                                           [](auto& e) { e.task_ids = kIds; },
                                           [](auto& e) { e.task_ids = std::span(kIds).first(1); },
                                       });
}

TEST(StepDigestTest, EachFieldOfASubmissionCounts) {
  ExpectEachFieldCounts<SubmitTask>(
      TaskWithWriter("t"), {
                               [](auto& e) { e.task_id = "u"; },
                               [](auto& e) { e.slot_id = "slot-0"; },
                               [](auto& e) { e.function.type = "other"; },
                               [](auto& e) { e.function.payload = kPayload; },
                               [](auto& e) { e.function.payload = kOther; },
                               [](auto& e) { e.result_handler.type = "other"; },
                               [](auto& e) { e.result_handler.payload = kPayload; },
                               [](auto& e) { e.timeout = 1us; },
                               [](auto& e) { e.failure_policy = CallFailurePolicy::kContinue; },
                               [](auto& e) { e.retry_policy = RetryPolicy(); },
                               [](auto& e) { e.retry_policy = RetryPolicy{.max_attempts = 1}; },
                               [](auto& e) { e.retry_policy = RetryPolicy{.base_backoff = 1us}; },
                               [](auto& e) { e.retry_policy = RetryPolicy{.jitter_percent = 1}; },
                           });
}

TEST(StepDigestTest, EachFieldOfAPhaseReportCounts) {
  ExpectEachFieldCounts<ActivationPrepared>({.task_id = "t"},
                                            {
                                                [](auto& e) { e.task_id = "u"; },
                                                [](auto& e) { e.run = kRun1; },
                                                [](auto& e) { e.slot_id = "slot-0"; },
                                                [](auto& e) { e.epoch = CodeEpoch(1); },
                                            });
  ExpectEachFieldCounts<ActivationFailed>({.task_id = "t"},
                                          {
                                              [](auto& e) { e.task_id = "u"; },
                                              [](auto& e) { e.run = kRun1; },
                                              [](auto& e) { e.failure.code = "E"; },
                                              [](auto& e) { e.failure.message = "E"; },
                                              [](auto& e) { e.failure.retryable = true; },
                                          });
  static const CallSpec kCalls[] = {{.function = "f"}, {.function = "f", .args = kPayload}};
  ExpectEachFieldCounts<BuilderFinished>(
      {.task_id = "t"}, {
                            [](auto& e) { e.task_id = "u"; },
                            [](auto& e) { e.run = kRun1; },
                            [](auto& e) { e.outcome = StreamMarker(); },
                            [](auto& e) { e.outcome = kFailure; },
                            [](auto& e) { e.outcome = CallList{std::span(kCalls).first(1)}; },
                            [](auto& e) { e.outcome = CallList{std::span(kCalls).last(1)}; },
                        });
  ExpectEachFieldCounts<CallsAppended>({.task_id = "t"}, {
                                                             [](auto& e) { e.run = kRun1; },
                                                             [](auto& e) { e.calls = kCalls; },
                                                         });
  ExpectEachFieldCounts<CallStreamEnded>({.task_id = "t"},
                                         {
                                             [](auto& e) { e.run = kRun1; },
                                             [](auto& e) { e.failure = Failure(); },
                                             [](auto& e) { e.failure = kFailure; },
                                         });
  ExpectEachFieldCounts<WriterFinished>({.task_id = "t"}, {
                                                              [](auto& e) { e.run = kRun1; },
                                                              [](auto& e) { e.outcome = kPayload; },
                                                              [](auto& e) { e.outcome = kFailure; },
                                                          });
}

TEST(StepDigestTest, EachFieldOfAnExecutorsReportCounts) {
  ExpectEachFieldCounts<ExecutorConnected>({}, {
                                                   [](auto& e) { e.executor = ExecutorId(1); },
                                                   [](auto& e) { e.generation = Generation(1); },
                                                   [](auto& e) { e.pid = 1; },
                                               });
  ExpectEachFieldCounts<ExecutorHeartbeat>({}, {
                                                   [](auto& e) { e.executor = ExecutorId(1); },
                                                   [](auto& e) { e.generation = Generation(1); },
                                                   [](auto& e) { e.running_call = CallId(1); },
                                                   [](auto& e) { e.last_scheduler_active = 1; },
                                               });
  ExpectEachFieldCounts<ExecutorExited>({}, {
                                                [](auto& e) { e.executor = ExecutorId(1); },
                                                [](auto& e) { e.generation = Generation(1); },
                                                [](auto& e) { e.reason = "r"; },
                                            });
  ExpectEachFieldCounts<CallSucceeded>({}, {
                                               [](auto& e) { e.executor = ExecutorId(1); },
                                               [](auto& e) { e.call = CallId(1); },
                                               [](auto& e) { e.attempt = Attempt(1); },
                                               [](auto& e) { e.output = kPayload; },
                                           });
  ExpectEachFieldCounts<CallFailed>({}, {
                                            [](auto& e) { e.executor = ExecutorId(1); },
                                            [](auto& e) { e.call = CallId(1); },
                                            [](auto& e) { e.attempt = Attempt(1); },
                                            [](auto& e) { e.failure.code = "E"; },
                                        });
  ExpectEachFieldCounts<SubcallRequested>({}, {
                                                  [](auto& e) { e.executor = ExecutorId(1); },
                                                  [](auto& e) { e.parent = CallId(1); },
                                                  [](auto& e) { e.parent_attempt = Attempt(1); },
                                                  [](auto& e) { e.ref = SubcallRef(1); },
                                                  [](auto& e) { e.spec.function = "f"; },
                                                  [](auto& e) { e.spec.args = kPayload; },
                                              });
}

const TaskResult kResult = {.state = TaskState::kFailed, .failure_code = "E"};

TEST(StepDigestTest, EachFieldOfAReplyCounts) {
  const auto with = [](void (*change)(TaskView&)) {
    TaskView view = {.task_id = "t"};
    change(view);
    return DigestOf(Result<TaskView>(view));
  };
  const std::set<std::uint64_t> digests = {
      with([](TaskView&) {}),
      with([](TaskView& v) { v.task_id = "u"; }),
      with([](TaskView& v) { v.state = TaskState::kRunning; }),
      with([](TaskView& v) { v.slot = SlotIndex(0); }),
      with([](TaskView& v) { v.slot = SlotIndex(1); }),
      with([](TaskView& v) { v.phase = Phase::kPreparing; }),
      with([](TaskView& v) { v.lease_expires_at = kNow; }),
      with([](TaskView& v) { v.result = &kResult; }),
      DigestOf(Result<TaskView>(Error{.code = ErrorCode::kNoSlot})),
      DigestOf(Result<TaskView>(Error{.code = ErrorCode::kNotFound})),
  };
  EXPECT_EQ(digests.size(), 10U);
}

TEST(StepDigestTest, EachTaskOfAWatchCounts) {
  const std::array<TaskView, 2> tasks = {TaskView{.task_id = "t"}, TaskView{.task_id = "u"}};
  const std::set<std::uint64_t> digests = {
      DigestOf(Result<WatchView>(WatchView())),
      DigestOf(Result<WatchView>(WatchView{std::span(tasks).first(1)})),
      DigestOf(Result<WatchView>(WatchView{std::span(tasks).last(1)})),
      DigestOf(Result<WatchView>(WatchView{tasks})),
      DigestOf(Result<WatchView>(Error{.code = ErrorCode::kNoSlot})),
  };
  EXPECT_EQ(digests.size(), 5U);
}

TEST(StepDigestTest, TheWordingOfAnErrorDoesNotCount) {
  EXPECT_EQ(
      DigestOf(Result<TaskView>(Error{.code = ErrorCode::kNoSlot, .message = "full"})),
      DigestOf(Result<TaskView>(Error{.code = ErrorCode::kNoSlot, .message = "no slot is free"})));
}

TEST(StepDigestTest, EachFieldOfAResultCounts) {
  const auto with = [](void (*change)(TaskResult&)) {
    TaskResult result;
    change(result);
    return DigestOf(Command(ConvergeTask{.task_id = "t", .result = &result}));
  };
  const std::set<std::uint64_t> digests = {
      with([](TaskResult&) {}),
      with([](TaskResult& r) { r.state = TaskState::kFailed; }),
      with([](TaskResult& r) { r.retryable = true; }),
      with([](TaskResult& r) { r.calls.total = 1; }),
      with([](TaskResult& r) { r.calls.failed = 1; }),
      with([](TaskResult& r) { r.calls.retried = 1; }),
      with([](TaskResult& r) { r.failure_code = "x"; }),
      with([](TaskResult& r) { r.message = "x"; }),
      with([](TaskResult& r) { r.plugin_results = kPayload; }),
      with([](TaskResult& r) { r.plugin_results = kOther; }),
      with([](TaskResult& r) { r.times.accepted = kNow; }),
      with([](TaskResult& r) { r.times.activated = kNow; }),
      with([](TaskResult& r) { r.times.builder_granted = kNow; }),
      with([](TaskResult& r) { r.times.built = kNow; }),
      with([](TaskResult& r) { r.times.scan_granted = kNow; }),
      with([](TaskResult& r) { r.times.executors_granted = kNow; }),
      with([](TaskResult& r) { r.times.called = kNow; }),
      with([](TaskResult& r) { r.times.plugin_granted = kNow; }),
      with([](TaskResult& r) { r.times.ended = kNow; }),
  };
  EXPECT_EQ(digests.size(), 19U);
}

TEST(StepDigestTest, TheKindNumberAndOrderOfCommandsCount) {
  const auto of = [](const std::vector<Command>& commands) {
    return ChainDigest(0, kNow, Tick(), std::monostate(), commands);
  };
  const std::set<std::uint64_t> digests = {
      of({}),
      of({StartBuilder{.task_id = "t"}}),
      of({StartCallStream{.task_id = "t"}}),
      of({PauseCallStream{.task_id = "t"}}),
      of({ResumeCallStream{.task_id = "t"}}),
      of({RegisterWorker()}),
      of({DeregisterWorker()}),
      of({RegisterWorker(), RegisterWorker()}),
      of({RegisterWorker(), DeregisterWorker()}),
      of({DeregisterWorker(), RegisterWorker()}),
  };
  EXPECT_EQ(digests.size(), 10U);
}

TEST(StepDigestTest, EachFieldOfACommandAboutATaskCounts) {
  ExpectEachFieldOfCommandCounts<PrepareActivation>({.task_id = "t"},
                                                    {
                                                        [](auto& c) { c.task_id = "u"; },
                                                        [](auto& c) { c.run = kRun1; },
                                                        [](auto& c) { c.slot = SlotIndex(1); },
                                                    });
  ExpectEachFieldOfCommandCounts<StartBuilder>({.task_id = "t"},
                                               {
                                                   [](auto& c) { c.task_id = "u"; },
                                                   [](auto& c) { c.run = kRun1; },
                                               });
  static const CallOutcome kOutcomes[] = {
      {.output = &kPayload}, {.output = &kOther}, {.failure = kFailure}};
  ExpectEachFieldOfCommandCounts<StartWriter>(
      {.task_id = "t"}, {
                            [](auto& c) { c.run = kRun1; },
                            [](auto& c) { c.outcomes = kOutcomes; },
                            [](auto& c) { c.outcomes = std::span(kOutcomes).first(1); },
                            [](auto& c) { c.outcomes = std::span(kOutcomes).subspan(1, 1); },
                            [](auto& c) { c.outcomes = std::span(kOutcomes).last(1); },
                        });
  ExpectEachFieldOfCommandCounts<NotifyWatch>({.task_id = "t"},
                                              {
                                                  [](auto& c) { c.watch_id = WatchId(1); },
                                                  [](auto& c) { c.task_id = "u"; },
                                                  [](auto& c) { c.state = TaskState::kFailed; },
                                                  [](auto& c) { c.phase = Phase::kCalls; },
                                                  [](auto& c) { c.result = &kResult; },
                                              });
  ExpectEachFieldOfCommandCounts<EndWatch>({}, {
                                                   [](auto& c) { c.watch_id = WatchId(1); },
                                                   [](auto& c) { c.complete = true; },
                                               });
}

TEST(StepDigestTest, EachFieldOfACommandAboutACallCounts) {
  ExpectEachFieldOfCommandCounts<DispatchCall>({.args = &kPayload},
                                               {
                                                   [](auto& c) { c.executor = ExecutorId(1); },
                                                   [](auto& c) { c.call = CallId(1); },
                                                   [](auto& c) { c.task_id = "u"; },
                                                   [](auto& c) { c.run = kRun1; },
                                                   [](auto& c) { c.attempt = Attempt(1); },
                                                   [](auto& c) { c.deadline = kNow; },
                                                   [](auto& c) { c.function = "f"; },
                                                   [](auto& c) { c.args = &kOther; },
                                                   [](auto& c) { c.epoch = CodeEpoch(1); },
                                               });
  ExpectEachFieldOfCommandCounts<CancelCall>({}, {
                                                     [](auto& c) { c.executor = ExecutorId(1); },
                                                     [](auto& c) { c.call = CallId(1); },
                                                     [](auto& c) { c.attempt = Attempt(1); },
                                                 });
  ExpectEachFieldOfCommandCounts<DeliverSubcall>({},
                                                 {
                                                     [](auto& c) { c.executor = ExecutorId(1); },
                                                     [](auto& c) { c.parent = CallId(1); },
                                                     [](auto& c) { c.ref = SubcallRef(1); },
                                                     [](auto& c) { c.outcome.output = &kPayload; },
                                                     [](auto& c) { c.outcome.failure.code = "E"; },
                                                 });
}

TEST(StepDigestTest, EachFieldOfACommandAboutTheWorkerCounts) {
  ExpectEachFieldOfCommandCounts<SpawnExecutor>({},
                                                {
                                                    [](auto& c) { c.executor = ExecutorId(1); },
                                                    [](auto& c) { c.generation = Generation(1); },
                                                });
  ExpectEachFieldOfCommandCounts<KillExecutor>({},
                                               {
                                                   [](auto& c) { c.executor = ExecutorId(1); },
                                                   [](auto& c) { c.generation = Generation(1); },
                                                   [](auto& c) { c.reason = KillReason::kWedged; },
                                               });
  ExpectEachFieldOfCommandCounts<DrainComplete>({}, {[](auto& c) { c.clean = true; }});
}

}  // namespace
}  // namespace blockx::engine
