// Logs as text and back, and steps as short lines for people.
#include "blockx/replay/log_text.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "blockx/replay/brief.h"
#include "blockx/replay/text.h"
#include "replay/examples.h"
#include "replay/recording.h"

namespace blockx::replay {
namespace {

using ::testing::HasSubstr;

void Import(const std::vector<std::string>& lines, const std::string& folder) {
  LineReader reader;
  std::unique_ptr<LogWriter> writer;
  std::string outputs;
  for (const std::string& text : lines) {
    const auto line = reader.Read(text);
    ASSERT_TRUE(line.ok()) << line.status() << "\n" << text;
    if (line->message->has_header()) {
      writer = *LogWriter::Create(folder, line->message->header());
    } else if (line->message->has_snapshot()) {
      ASSERT_TRUE(writer->AddSnapshot(*SnapshotOf(*line->message)).ok());
    } else {
      ASSERT_TRUE(writer->AddRecord(*RecordOf(*line, outputs)).ok());
    }
  }
  ASSERT_TRUE(writer->Close().ok());
}

TEST(LogTextTest, ALogComesBackFromItsTextByteForByte) {
  for (const PayloadMode payloads : {PayloadMode::kDigest, PayloadMode::kFull}) {
    for (const bool outputs : {false, true}) {
      TemporaryFolder folder;
      RecorderOptions options = In(folder.path());
      options.payloads = payloads;
      options.outputs = outputs;
      MakeLog(options);
      Import(TextLines(folder.path()), folder.path("imported"));
      EXPECT_EQ(FileText(OnlySegment(folder.path("imported"))),
                FileText(OnlySegment(folder.path())));
    }
  }
}

TEST(LogTextTest, ATextComesBackFromItsLog) {
  TemporaryFolder folder;
  RecorderOptions options = In(folder.path());
  options.payloads = PayloadMode::kFull;
  options.outputs = true;
  MakeLog(options);
  const std::vector<std::string> lines = TextLines(folder.path());
  Import(lines, folder.path("imported"));
  EXPECT_EQ(TextLines(folder.path("imported")), lines);
}

TEST(LogTextTest, TheTextBeginsWithTheHeaderAndASnapshot) {
  TemporaryFolder folder;
  MakeLog(In(folder.path()), 3);
  const std::vector<std::string> lines = TextLines(folder.path());
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[0], ::testing::StartsWith(R"({"header":{"format":"1")"));
  EXPECT_THAT(lines[1], HasSubstr(R"("snapshot":{)"));
  EXPECT_THAT(lines[2], HasSubstr(R"("sequence":"1")"));
}

TEST(LogTextTest, ADigestIsWrittenWithAllItsDigits) {
  EXPECT_EQ(DigestText(0), "0000000000000000");
  EXPECT_EQ(DigestText(0xABCD), "000000000000abcd");
  EXPECT_EQ(DigestText(~std::uint64_t{0}), "ffffffffffffffff");
}

TEST(LogTextTest, ARecordNeedsItsNumberAndDigest) {
  LineReader reader;
  std::string outputs;
  const auto problem = [&](const std::string& fields) {
    const auto line = reader.Read("{" + fields + R"("event":{"tick":{}}})");
    EXPECT_TRUE(line.ok());
    return std::string(RecordOf(*line, outputs).status().message());
  };
  EXPECT_EQ(problem(R"("sequence":1,"digest":"0123456789abcdef",)"), "");
  EXPECT_THAT(problem(R"("digest":"0123456789abcdef",)"), HasSubstr("sequence: expected"));
  EXPECT_THAT(problem(R"("sequence":-1,"digest":"0123456789abcdef",)"), HasSubstr("sequence: "));
  for (const char* digest :
       {"", "1", "0123456789abcdeg", "0123456789abcdef0", "-123456789abcdef"}) {
    EXPECT_THAT(problem(R"("sequence":1,"digest":")" + std::string(digest) + R"(",)"),
                HasSubstr("digest: expected 16 hexadecimal digits"));
  }
}

// ---- Short lines ----

TEST(BriefTest, EachKindOfEventBeginsWithItsName) {
  for (const EventExample& example : EventExamples()) {
    log::v1::Event event;
    ToProto(example.event, event);
    const std::string name(example.text.substr(2, example.text.find('"', 2) - 2));
    EXPECT_TRUE(Brief(event) == name || Brief(event).starts_with(name + " ")) << Brief(event);
  }
}

TEST(BriefTest, EachKindOfCommandBeginsWithItsName) {
  for (const CommandExample& example : CommandExamples()) {
    log::v1::Command command;
    ToProto(example.command, command);
    const std::string name(example.text.substr(2, example.text.find('"', 2) - 2));
    EXPECT_TRUE(Brief(command) == name || Brief(command).starts_with(name + " ")) << name;
  }
}

TEST(BriefTest, BytesAreTheirSize) {
  log::v1::Event event;
  event.mutable_call_succeeded()->set_call_id(12);
  event.mutable_call_succeeded()->set_output("secret");
  EXPECT_EQ(Brief(event), "callSucceeded callId=12 output=6 bytes");
  event.mutable_call_succeeded()->clear_output();
  event.mutable_call_succeeded()->mutable_output_left_out()->set_size(6);
  EXPECT_EQ(Brief(event), "callSucceeded callId=12 outputLeftOut=6 bytes (left out)");
}

std::string BriefTaskId(const std::string& id) {
  log::v1::Event event;
  event.mutable_get_task_result()->set_task_id(id);
  return Brief(event).substr(std::string("getTaskResult taskId=").size());
}

TEST(BriefTest, ControlCharactersAreNoPartOfALine) {
  EXPECT_EQ(BriefTaskId("a\x1b[2Jb\nc\x7f\td"), "a?[2Jb?c??d");
  EXPECT_EQ(BriefTaskId("a\u009bb\u0085c"), "a?b?c");  // The ones behind ASCII too.
}

TEST(BriefTest, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(BriefTaskId(std::string(70, 'a')), std::string(60, 'a') + "...");
  EXPECT_EQ(BriefTaskId(std::string(59, 'a') + "\u00e4\u00e4"), std::string(59, 'a') + "...");
}

TEST(BriefTest, RepliesSayWhatWasAnswered) {
  log::v1::Reply reply;
  EXPECT_EQ(Brief(reply), "");
  reply.mutable_task()->set_task_id("t1");
  reply.mutable_task()->set_state(log::v1::TaskState::RUNNING);
  reply.mutable_task()->set_slot_id("slot-0");
  reply.mutable_task()->set_phase(log::v1::Phase::BUILDER);
  EXPECT_EQ(Brief(reply), "task t1 RUNNING slot-0 BUILDER");
  reply.Clear();
  reply.mutable_error()->set_code(log::v1::ErrorCode::NO_SLOT);
  reply.mutable_error()->set_message("every slot is taken");
  EXPECT_EQ(Brief(reply), "NO_SLOT: every slot is taken");
}

TEST(BriefTest, InstantsAreOfTheWorldsClock) {
  const engine::Instant at = engine::AtMicroseconds(1'764'946'800'123'456);
  EXPECT_EQ(FormatInstant(at, log::v1::World::PRODUCTION), "2025-12-05T15:00:00.123456Z");
  EXPECT_EQ(FormatInstant(engine::AtMicroseconds(12'345'678), log::v1::World::SIMULATION),
            "+12.345678s");
  EXPECT_EQ(FormatInstant(engine::AtMicroseconds(-1), log::v1::World::PRODUCTION), "-0.000001s");
}

TEST(BriefTest, SpansHaveTheUnitThatFits) {
  EXPECT_EQ(FormatSpan(engine::Microseconds(17)), "17 us");
  EXPECT_EQ(FormatSpan(engine::Microseconds(830'000)), "830 ms");
  EXPECT_EQ(FormatSpan(engine::Microseconds(1'250'000)), "1.25 s");
  EXPECT_EQ(FormatSpan(engine::Microseconds(600'000'000)), "10.0 min");
}

}  // namespace
}  // namespace blockx::replay
