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

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Each request that names a task, with this task id.
std::vector<std::string> RepliesTo(std::string_view task_id) {
  Worker worker;
  worker.Ready();
  return {worker.Reserve(task_id), worker.Submit(task_id), worker.Get(task_id),
          worker.Watch(1, {"t1", task_id})};
}

std::string ReplyTo(const SubmitTask& task) {
  Worker worker;
  return worker.Ready().Submit(task);
}

std::string ReplyTo(const RetryPolicy& policy) {
  SubmitTask task = Task("t1");
  task.retry_policy = policy;
  return ReplyTo(task);
}

const auto kAllRefused =
    ElementsAre("InvalidArgument", "InvalidArgument", "InvalidArgument", "InvalidArgument");

TEST(ArgumentsTest, R_ARG_AnEmptyTaskIdIsInvalid) { EXPECT_THAT(RepliesTo(""), kAllRefused); }

TEST(ArgumentsTest, R_ARG_ATaskIdOver256BytesIsInvalid) {
  EXPECT_THAT(RepliesTo(std::string(257, 'x')), kAllRefused);
}

TEST(ArgumentsTest, R_ARG_ATaskIdOf256BytesIsValid) {
  Worker worker;
  EXPECT_THAT(worker.Ready().Submit(std::string(256, 'x')), StartsWith("RUNNING"));
}

TEST(ArgumentsTest, R_ARG_ATaskIdThatIsNotUtf8IsInvalid) {
  constexpr std::string_view kBroken[] = {
      "\x80",              // a continuation alone
      "t\xc3",             // a character cut off
      "\xc3(",             // a character broken off
      "\xc0\xaf",          // two bytes where one is enough
      "\xe0\x80\xaf",      // three where one is enough
      "\xed\xa0\x80",      // half of a surrogate pair
      "\xf4\x90\x80\x80",  // beyond the last code point
      "\xff",
  };
  for (const std::string_view id : kBroken)
    EXPECT_THAT(RepliesTo(id), kAllRefused) << ::testing::PrintToString(id);
}

TEST(ArgumentsTest, R_ARG_AnyUtf8IsAValidTaskId) {
  constexpr std::string_view kSound[] = {"\u00e9",     "\u20ac", "\U0001f600",
                                         "\U0010ffff", " ",      "a\nb"};
  for (const std::string_view id : kSound) {
    Worker worker;
    EXPECT_THAT(worker.Ready().Submit(id), StartsWith("RUNNING")) << ::testing::PrintToString(id);
  }
}

TEST(ArgumentsTest, R_ARG_ANegativeTtlIsInvalid) {
  Worker worker;
  EXPECT_EQ(worker.Ready().Reserve("t1", -1us), "InvalidArgument");
}

TEST(ArgumentsTest, R_ARG_ATtlAboveTheMaximumIsInvalid) {
  Worker worker;
  EXPECT_EQ(worker.Ready().Reserve("t1", 300s + 1us), "InvalidArgument");
}

TEST(ArgumentsTest, R_ARG_TheMaximumTtlIsValid) {
  Worker worker;
  EXPECT_EQ(worker.Ready().Reserve("t1", 300s), "ALLOCATED slot-0 until 300000ms");
}

TEST(ArgumentsTest, R_ARG_ANegativeTaskTimeoutIsInvalid) {
  SubmitTask task = Task("t1");
  task.timeout = -1us;
  EXPECT_EQ(ReplyTo(task), "InvalidArgument");
}

TEST(ArgumentsTest, R_ARG_ATaskTimeoutAboveTheMaximumIsInvalid) {
  SubmitTask task = Task("t1");
  task.timeout = 28'800s + 1us;
  EXPECT_EQ(ReplyTo(task), "InvalidArgument");
}

TEST(ArgumentsTest, R_ARG_TheMaximumTaskTimeoutIsValid) {
  SubmitTask task = Task("t1");
  task.timeout = 28'800s;
  EXPECT_THAT(ReplyTo(task), StartsWith("RUNNING"));
}

TEST(ArgumentsTest, R_ARG_ARetryPolicyWithoutAttemptsIsInvalid) {
  EXPECT_EQ(ReplyTo(RetryPolicy{.max_attempts = 0}), "InvalidArgument");
}

TEST(ArgumentsTest, R_ARG_ANegativeBackoffIsInvalid) {
  EXPECT_EQ(ReplyTo(RetryPolicy{.max_attempts = 1, .base_backoff = -1us}), "InvalidArgument");
}

TEST(ArgumentsTest, R_ARG_JitterIsFrom0To5) {
  EXPECT_EQ(ReplyTo(RetryPolicy{.max_attempts = 1, .jitter_percent = -1}), "InvalidArgument");
  EXPECT_THAT(ReplyTo(RetryPolicy{.max_attempts = 1, .jitter_percent = 0}), StartsWith("RUNNING"));
  EXPECT_THAT(ReplyTo(RetryPolicy{.max_attempts = 1, .jitter_percent = 5}), StartsWith("RUNNING"));
  EXPECT_EQ(ReplyTo(RetryPolicy{.max_attempts = 1, .jitter_percent = 6}), "InvalidArgument");
}

TEST(ArgumentsTest, R_ARG_AFunctionWithoutATypeIsInvalid) {
  EXPECT_EQ(ReplyTo(SubmitTask{.task_id = "t1"}), "InvalidArgument");
}

TEST(ArgumentsTest, R_ARG_AWatchOverNothingIsInvalid) {
  Worker worker;
  EXPECT_EQ(worker.Ready().Watch(1, {}), "InvalidArgument");
}

TEST(ArgumentsTest, R_ARG_AWatchOverMoreThan10000IdsIsInvalid) {
  Worker worker;
  worker.Ready();
  const std::vector<std::string_view> repeated(10'001, "t1");
  EXPECT_EQ(worker.Apply(OpenWatch{.watch_id = WatchId(1), .task_ids = repeated}),
            "InvalidArgument");
}

TEST(ArgumentsTest, R_ARG_AWatchOver10000IdsIsValid) {
  Worker worker;
  worker.Ready();
  const std::vector<std::string_view> repeated(10'000, "t1");
  EXPECT_EQ(worker.Apply(OpenWatch{.watch_id = WatchId(1), .task_ids = repeated}), "");
}

TEST(ArgumentsTest, R_ARG_AResultHandlerWithoutATypeIsAbsent) {
  SubmitTask task = Task("t1");
  task.result_handler.payload = Payload::FromBytes("ignored");
  Worker worker;
  EXPECT_THAT(worker.Ready().ToCalls(task, {}), ElementsAre("converge t1#1 SUCCEEDED"));
}

TEST(ArgumentsTest, R_ARG_APresentRetryPolicyIsLiteral) {
  SubmitTask task = Task("t1");
  task.retry_policy =
      RetryPolicy{.max_attempts = 2, .base_backoff = Duration(), .jitter_percent = 0};
  Worker worker;
  worker.Ready().ToCalls(task, {"a"});
  EXPECT_THAT(worker.Failed(1, Retryable("E")), IsEmpty());
  EXPECT_THAT(worker.Tick(), ElementsAre("dispatch 1.2 on 0"));  // a base of 0, not the default
  EXPECT_THAT(worker.Failed(1, Retryable("E")), ElementsAre("converge t1#1 FAILED/E retryable"));
}

TEST(ArgumentsTest, R_ARG_AnAbsentRetryPolicyIsTheConfiguredOne) {
  Worker worker({.default_max_attempts = 2,
                 .default_base_backoff = Milliseconds(7),
                 .default_retry_jitter_percent = 0});
  worker.Ready().ToCalls("t1", {"a"});
  worker.Failed(1, Retryable("E"));
  EXPECT_EQ(worker.next_deadline(), "7ms");
  EXPECT_THAT(worker.At(7ms).Tick(), ElementsAre("dispatch 1.2 on 0"));
  EXPECT_THAT(worker.Failed(1, Retryable("E")), ElementsAre("converge t1#1 FAILED/E retryable"));
}

TEST(ArgumentsTest, R_ARG_AnInvalidRequestLeavesNoTrace) {
  Worker worker;
  worker.Ready();
  const std::uint64_t before = worker.digest();
  EXPECT_EQ(worker.Submit(SubmitTask{.task_id = "t1"}), "InvalidArgument");
  EXPECT_EQ(worker.digest(), before);
  EXPECT_EQ(worker.Get("t1"), "NotFound");
}

}  // namespace
}  // namespace blockx::engine
