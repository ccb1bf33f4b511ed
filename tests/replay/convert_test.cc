#include "blockx/replay/convert.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <variant>

#include "blockx/engine/step_digest.h"
#include "replay/examples.h"

namespace blockx::replay {
namespace {

using google::protobuf::util::MessageDifferencer;

// Covers every field of the event.
std::uint64_t DigestOf(const engine::Event& event) {
  return std::visit(
      [](const auto& e) {
        return engine::ChainDigest(1, engine::Instant(), e, std::monostate(), {});
      },
      event);
}

TEST(ConvertTest, TheExamplesHaveEachKindOfEvent) {
  std::set<std::size_t> kinds;
  for (const EventExample& example : EventExamples()) kinds.insert(example.event.index());
  EXPECT_EQ(kinds.size(), std::variant_size_v<engine::Event>);
}

TEST(ConvertTest, TheExamplesHaveEachKindOfCommand) {
  std::set<std::size_t> kinds;
  for (const CommandExample& example : CommandExamples()) kinds.insert(example.command.index());
  EXPECT_EQ(kinds.size(), std::variant_size_v<engine::Command>);
}

TEST(ConvertTest, AnEventComesBackFromItsMessageAsItWas) {
  log::v1::Event message;
  EventReader reader;
  for (const EventExample& example : EventExamples()) {
    ToProto(example.event, message);
    const auto event = reader.Read(message);
    ASSERT_TRUE(event.ok()) << example.text << event.status();
    EXPECT_EQ(event->index(), example.event.index()) << example.text;
    EXPECT_EQ(DigestOf(*event), DigestOf(example.event)) << example.text;
  }
}

// No protocol brings it in, but an engine that is embedded may be given it, and refuses it.
TEST(ConvertTest, InTextThatIsNotUtf8EachStrangeByteIsReplaced) {
  const auto converted = [](std::string_view id) {
    log::v1::Event message;
    ToProto(engine::GetTaskResult{id}, message);
    EXPECT_TRUE(message.has_get_task_result());
    return message.get_task_result().task_id();
  };
  EXPECT_EQ(converted("a\xFF\xC3\u00e4"), "a\uFFFD\uFFFD\u00e4");
  EXPECT_EQ(converted("\xC0\x80"), "\uFFFD\uFFFD");            // Overlong.
  EXPECT_EQ(converted("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // A surrogate.
  EXPECT_EQ(converted("\xF4\x8F\xBF\xBF\xFF"), "\U0010FFFF\uFFFD");
  const std::array<std::string_view, 2> ids = {"ok", "\xFF"};
  log::v1::Event message;
  ToProto(engine::OpenWatch{engine::WatchId(1), ids}, message);
  EXPECT_EQ(message.open_watch().task_ids(1), "\uFFFD");
}

// The digest of a history covers it, so a record without it would not replay.
TEST(ConvertTest, AResultHandlersPayloadIsKeptWithoutAType) {
  const engine::Event event = engine::SubmitTask{
      .task_id = "t1", .result_handler = {.payload = engine::Payload::FromBytes("x")}};
  log::v1::Event message;
  ToProto(event, message);
  EventReader reader;
  const auto read = reader.Read(message);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(DigestOf(*read), DigestOf(event));
}

TEST(ConvertTest, AnEventComesBackFromBytes) {
  EventReader reader;
  for (const EventExample& example : EventExamples()) {
    log::v1::Event message;
    ToProto(example.event, message);
    log::v1::Event parsed;
    ASSERT_TRUE(parsed.ParseFromString(message.SerializeAsString()));
    const auto event = reader.Read(parsed);
    ASSERT_TRUE(event.ok()) << example.text << event.status();
    EXPECT_EQ(DigestOf(*event), DigestOf(example.event)) << example.text;
  }
}

TEST(ConvertTest, AMessageIsFilledAfresh) {
  log::v1::Event used;
  for (const EventExample& example : EventExamples()) {
    log::v1::Event fresh;
    ToProto(example.event, used);
    ToProto(example.event, fresh);
    EXPECT_TRUE(MessageDifferencer::Equals(used, fresh)) << example.text;
  }
}

TEST(ConvertTest, R_TIME_3_MillisecondsBeyondTheEnginesRangeSaturate) {
  log::v1::Event message;
  message.mutable_request_task_slot()->set_ttl_ms(INT64_MAX);
  EventReader reader;
  const auto event = reader.Read(message);
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(std::get<engine::RequestTaskSlot>(*event).ttl, engine::Duration::max());
}

TEST(ConvertTest, R_TIME_3_ASaturatedTimeComesBackSaturated) {
  for (const engine::Duration ttl : {engine::Duration::max(), engine::Duration::min()}) {
    log::v1::Event message;
    ToProto(engine::RequestTaskSlot{"t1", ttl}, message);
    EventReader reader;
    const auto event = reader.Read(message);
    ASSERT_TRUE(event.ok());
    EXPECT_EQ(std::get<engine::RequestTaskSlot>(*event).ttl, ttl);
  }
}

TEST(ConvertTest, AnEmptyRetryPolicyIsTakenAsItIs) {
  log::v1::Event message;
  message.mutable_submit_task()->mutable_call_retry_policy();
  EventReader reader;
  const auto event = reader.Read(message);
  ASSERT_TRUE(event.ok());
  const auto& submit = std::get<engine::SubmitTask>(*event);
  ASSERT_TRUE(submit.retry_policy.has_value());
  EXPECT_EQ(submit.retry_policy->max_attempts, 0);
}

TEST(ConvertTest, AnAbsentRetryPolicyStaysAbsent) {
  log::v1::Event message;
  message.mutable_submit_task();
  EventReader reader;
  const auto event = reader.Read(message);
  ASSERT_TRUE(event.ok());
  EXPECT_FALSE(std::get<engine::SubmitTask>(*event).retry_policy.has_value());
}

TEST(ConvertTest, AWriterWithoutAnOutcomeSucceededWithEmptyResults) {
  log::v1::Event message;
  message.mutable_writer_finished()->set_task_id("t1");
  EventReader reader;
  const auto event = reader.Read(message);
  ASSERT_TRUE(event.ok());
  const auto& outcome = std::get<engine::WriterFinished>(*event).outcome;
  ASSERT_TRUE(std::holds_alternative<engine::Payload>(outcome));
  EXPECT_EQ(std::get<engine::Payload>(outcome).size(), 0U);
}

TEST(ConvertTest, AnEventWithoutAnAlternativeIsRefused) {
  EventReader reader;
  const auto event = reader.Read(log::v1::Event());
  ASSERT_FALSE(event.ok());
  EXPECT_EQ(event.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ConvertTest, ABuilderWithoutAnOutcomeIsRefused) {
  log::v1::Event message;
  message.mutable_builder_finished()->set_task_id("t1");
  EventReader reader;
  const auto event = reader.Read(message);
  ASSERT_FALSE(event.ok());
  EXPECT_EQ(event.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ConvertTest, APayloadThatWasLeftOutHasNoBytesInItsMessage) {
  log::v1::Event message;
  ToProto(engine::CallSucceeded{.output = engine::Payload::LeftOut(5, 6)}, message);
  EXPECT_EQ(message.call_succeeded().output(), "");
}

}  // namespace
}  // namespace blockx::replay
