// What a recorded log holds, and how it lies on the disk.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "blockx/replay/log_text.h"
#include "replay/recording.h"

namespace blockx::replay {
namespace {

using google::protobuf::util::MessageDifferencer;
using ::testing::Each;
using ::testing::ElementsAre;

struct Mode {
  PayloadMode payloads = PayloadMode::kDigest;
  bool outputs = false;
};
constexpr Mode kModes[] = {{PayloadMode::kDigest, false},
                           {PayloadMode::kDigest, true},
                           {PayloadMode::kFull, false},
                           {PayloadMode::kFull, true}};

std::string NameOf(const Mode& mode) {
  return std::string(mode.payloads == PayloadMode::kFull ? "Full" : "Digest") +
         (mode.outputs ? "WithOutputs" : "");
}

void PrintTo(const Mode& mode, std::ostream* out) { *out << NameOf(mode); }

class LogModesTest : public ::testing::TestWithParam<Mode> {
 protected:
  [[nodiscard]] RecorderOptions Options() const {
    RecorderOptions options = In(folder_.path());
    options.payloads = GetParam().payloads;
    options.outputs = GetParam().outputs;
    return options;
  }
  TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(All, LogModesTest, ::testing::ValuesIn(kModes),
                         [](const auto& info) { return NameOf(info.param); });

TEST_P(LogModesTest, AWrittenLogReadsBackRecordForRecord) {
  const PlayedSteps played = MakeLog(Options());
  const auto log = OpenLog(folder_.path());
  const ReadLog read = ReadAll(*log);
  EXPECT_EQ(read.records.size(), played.size());
  EXPECT_EQ(SameFromStart(read.records, played), played.size());
}

TEST_P(LogModesTest, AWrittenLogIsWhole) {
  MakeLog(Options());
  const auto log = OpenLog(folder_.path());
  ReadAll(*log);
  EXPECT_TRUE(log->whole());
}

TEST_P(LogModesTest, AWrittenLogVerifies) {
  const PlayedSteps played = MakeLog(Options());
  const auto verified = Verify(folder_.path());
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(*verified, played.size());
}

TEST_P(LogModesTest, AnEmptyRecordingIsALogToo) {
  MakeLog(Options(), 0);
  const auto log = OpenLog(folder_.path());
  EXPECT_THAT(ReadAll(*log).found,
              ElementsAre(LogReader::Found::kSnapshot, LogReader::Found::kEnd));
  EXPECT_TRUE(log->whole());
}

TEST_P(LogModesTest, TheHeaderSaysHowItWasRecorded) {
  RecorderOptions options = Options();
  options.world = log::v1::World::SIMULATION;
  options.host = "host-1";
  options.recorded_at_us = 1'700'000'000'000'000;
  MakeLog(options, 1);
  log::v1::Header header = OpenLog(folder_.path())->header();
  const auto config = ConfigOf(header);
  header.clear_config();
  log::v1::Header expected;
  expected.set_format(1);
  expected.set_engine_version("1.2.3");
  expected.set_world(log::v1::World::SIMULATION);
  expected.set_worker("worker-7");
  expected.set_host("host-1");
  expected.set_recorded_at_us(1'700'000'000'000'000);
  expected.set_payloads(GetParam().payloads == PayloadMode::kFull ? log::v1::Payloads::FULL
                                                                  : log::v1::Payloads::DIGEST);
  expected.set_outputs(GetParam().outputs);
  expected.set_segment(1);
  EXPECT_TRUE(MessageDifferencer::Equals(header, expected)) << header.DebugString();
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(*config, HistoryConfig());
}

TEST(LogTest, TheHistoryHasEachKindOfEventReplyAndCommand) {
  TemporaryFolder folder;
  std::set<int> events;
  std::set<int> replies;
  std::set<int> refusals;
  std::set<int> commands;
  for (const PlayedStep& step : MakeLog(In(folder.path()))) {
    events.insert(step.line.event().event_case());
    if (step.line.has_reply()) {
      replies.insert(step.line.reply().has_error() ? 1 : step.line.reply().has_task() ? 2 : 3);
      if (step.line.reply().has_error()) refusals.insert(step.line.reply().error().code());
    }
    for (const log::v1::Command& command : step.line.commands()) {
      commands.insert(command.command_case());
    }
  }
  EXPECT_EQ(events.size(), log::v1::Event::descriptor()->field_count());
  EXPECT_EQ(commands.size(), log::v1::Command::descriptor()->field_count());
  EXPECT_EQ(replies.size(), 3U);
  EXPECT_EQ(refusals.size(), log::v1::ErrorCode::Value_descriptor()->value_count() - 1);
}

// ---- Payloads and outputs ----

// The lines of a log's records, as its text form has them.
std::vector<log::v1::Line> LinesOf(const std::string& path) {
  const auto log = OpenLog(path);
  std::vector<log::v1::Line> lines;
  Record record;
  for (auto found = log->Next(record); found != LogReader::Found::kEnd; found = log->Next(record)) {
    if (found == LogReader::Found::kRecord) ToLine(record, lines.emplace_back());
  }
  return lines;
}

TEST(LogTest, AFullLogWithOutputsHasAllOfEachStep) {
  TemporaryFolder folder;
  RecorderOptions options = In(folder.path());
  options.payloads = PayloadMode::kFull;
  options.outputs = true;
  const PlayedSteps played = MakeLog(options);
  const std::vector<log::v1::Line> lines = LinesOf(folder.path());
  ASSERT_EQ(lines.size(), played.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(MessageDifferencer::Equals(lines[i], played[i].line)) << JsonOf(lines[i]) << "\n"
                                                                      << JsonOf(played[i].line);
  }
}

TEST(LogTest, ADigestLogHasNoPayloadsBytes) {
  TemporaryFolder folder;
  RecorderOptions options = In(folder.path());
  options.outputs = true;
  MakeLog(options);
  std::string text;
  for (const log::v1::Line& line : LinesOf(folder.path())) text += JsonOf(line);
  const auto log = OpenLog(folder.path());
  for (const LogSnapshot& snapshot : ReadAll(*log).snapshots) text += snapshot.state;
  EXPECT_EQ(text.find("d3JpdHRlbg"), std::string::npos);  // "written" in base64
  EXPECT_EQ(text.find("written"), std::string::npos);
  EXPECT_NE(text.find("LeftOut"), std::string::npos);
}

TEST(LogTest, AFullLogCopiedInDigestModeLosesPayloadsAndVerifies) {
  TemporaryFolder folder;
  RecorderOptions options = In(folder.path("full"));
  options.payloads = PayloadMode::kFull;
  const PlayedSteps played = MakeLog(options);
  const auto log = OpenLog(folder.path("full"));
  log::v1::Header header = log->header();
  header.set_payloads(log::v1::Payloads::DIGEST);
  auto writer = LogWriter::Create(folder.path("digest"), header);
  ASSERT_TRUE(writer.ok());
  Record record;
  for (auto found = log->Next(record); found != LogReader::Found::kEnd; found = log->Next(record)) {
    const absl::Status status = found == LogReader::Found::kRecord
                                    ? (*writer)->AddRecord(record)
                                    : (*writer)->AddSnapshot(*log->ReadSnapshot());
    ASSERT_TRUE(status.ok()) << status;
  }
  ASSERT_TRUE((*writer)->Close().ok());
  for (const log::v1::Line& line : LinesOf(folder.path("digest"))) {
    EXPECT_EQ(JsonOf(line).find("\"output\":\""), std::string::npos);
  }
  const auto verified = Verify(folder.path("digest"));
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(*verified, played.size());
}

// ---- Snapshots and segments ----

TEST(LogTest, SnapshotsComeAfterSoManyRecords) {
  TemporaryFolder folder;
  MakeLog(In(folder.path()), 250);
  std::vector<std::uint64_t> sequences;
  const auto log = OpenLog(folder.path());
  for (const LogSnapshot& snapshot : ReadAll(*log).snapshots) {
    sequences.push_back(snapshot.sequence);
  }
  EXPECT_THAT(sequences, ElementsAre(0, 100, 200));
}

TEST(LogTest, SnapshotsComeAfterSoManyBytes) {
  TemporaryFolder folder;
  RecorderOptions options = In(folder.path());
  options.snapshot_bytes = 1;
  MakeLog(options, 5);
  EXPECT_EQ(OpenLog(folder.path())->snapshot_count(), 6U);
}

TEST(LogTest, FromEachSnapshotTheLogVerifies) {
  TemporaryFolder folder;
  const PlayedSteps played = MakeLog(In(folder.path()));
  auto replayer = Replayer::Open(folder.path());
  ASSERT_TRUE(replayer.ok());
  for (const LogSnapshot& snapshot : ReadAll((*replayer)->log()).snapshots) {
    ASSERT_TRUE((*replayer)->Restore(snapshot).ok());
    const auto verified = Verify(**replayer);
    ASSERT_TRUE(verified.ok()) << verified.status();
    EXPECT_EQ(*verified, played.size() - snapshot.sequence);
  }
}

RecorderOptions ManySegments(const std::string& folder) {
  RecorderOptions options = In(folder);
  options.limits.segment_bytes = 1;  // Each snapshot but the first begins one.
  return options;
}

TEST(LogTest, ASegmentThatIsLargeEnoughEndsAtASnapshot) {
  TemporaryFolder folder;
  MakeLog(ManySegments(folder.path()), 250);
  EXPECT_THAT(FilesIn(folder.path()), ElementsAre("segment-00000000000000000000.blxlog",
                                                  "segment-00000000000000000100.blxlog",
                                                  "segment-00000000000000000200.blxlog"));
}

TEST(LogTest, ASegmentThatIsOldEnoughEnds) {
  TemporaryFolder folder;
  RecorderOptions options = In(folder.path());
  options.recorded_at_us = 1'000'000'000;  // Where the history begins.
  options.limits.segment_age = engine::Microseconds(2'000'000);
  const PlayedSteps played = MakeLog(options);
  const auto log = OpenLog(folder.path());
  ASSERT_GT(log->segments().size(), 2U);
  for (std::size_t i = 1; i < log->segments().size(); ++i) {
    const engine::Instant before = log->segments()[i - 1].blocks.front().now;
    const engine::Instant begin = log->segments()[i].blocks.front().now;
    EXPECT_GE(engine::Elapsed(before, begin), options.limits.segment_age);
  }
  EXPECT_EQ(SameFromStart(ReadAll(*log).records, played), played.size());
}

TEST(LogTest, SegmentsAreNumbered) {
  TemporaryFolder folder;
  MakeLog(ManySegments(folder.path()), 250);
  std::vector<std::int64_t> numbers;
  const auto log = OpenLog(folder.path());
  for (const SegmentInfo& segment : log->segments()) {
    numbers.push_back(segment.header.segment());
  }
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
}

TEST(LogTest, ALogOfManySegmentsReadsAsOne) {
  TemporaryFolder folder;
  const PlayedSteps played = MakeLog(ManySegments(folder.path()));
  const auto log = OpenLog(folder.path());
  EXPECT_EQ(SameFromStart(ReadAll(*log).records, played), played.size());
  EXPECT_TRUE(log->whole());
}

TEST(LogTest, EachSegmentAloneVerifies) {
  TemporaryFolder folder;
  const PlayedSteps played = MakeLog(ManySegments(folder.path()));
  std::uint64_t sum = 0;
  for (const std::string& file : FilesIn(folder.path())) {
    const auto verified = Verify(folder.path("log/" + file));
    ASSERT_TRUE(verified.ok()) << file << ": " << verified.status();
    sum += *verified;
  }
  EXPECT_EQ(sum, played.size());
}

TEST(LogTest, RetentionDeletesTheOldestSegments) {
  TemporaryFolder folder;
  RecorderOptions options = ManySegments(folder.path());
  MakeLog(options, 700);
  const std::vector<std::string> all = FilesIn(folder.path());
  const auto size = [&](const std::string& file) {
    return static_cast<std::int64_t>(std::filesystem::file_size(folder.path("log/" + file)));
  };
  // Room for the two ended ones that come last: the newest is still being written.
  options.folder = folder.path("short");
  options.limits.retained_bytes = size(all[all.size() - 2]) + size(all[all.size() - 3]);
  MakeLog(options, 700);
  EXPECT_EQ(FilesIn(folder.path("short")), std::vector<std::string>(all.end() - 3, all.end()));
}

TEST(LogTest, WhatRetentionLeavesVerifies) {
  TemporaryFolder folder;
  RecorderOptions options = ManySegments(folder.path());
  options.limits.retained_bytes = 1;
  MakeLog(options, 250);
  const auto verified = Verify(folder.path());
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(*verified, 50U);
  EXPECT_TRUE(OpenLog(folder.path())->whole());
}

// ---- On the disk ----

mode_t ModeOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST(LogTest, TheFolderAndItsFilesAreTheOwnersAlone) {
  TemporaryFolder folder;
  const mode_t before = umask(0);
  MakeLog(ManySegments(folder.path()), 250);
  umask(before);
  EXPECT_EQ(ModeOf(folder.path()), 0700);
  for (const std::string& file : FilesIn(folder.path())) {
    EXPECT_EQ(ModeOf(folder.path("log/" + file)), 0600) << file;
  }
}

TEST(LogTest, TwoRecordingsOfOneHistoryAreTheSameBytes) {
  TemporaryFolder folder;
  MakeLog(ManySegments(folder.path("one")));
  MakeLog(ManySegments(folder.path("two")));
  const std::vector<std::string> files = FilesIn(folder.path("one"));
  ASSERT_EQ(files, FilesIn(folder.path("two")));
  for (const std::string& file : files) {
    EXPECT_EQ(FileText(folder.path("one/" + file)), FileText(folder.path("two/" + file))) << file;
  }
}

TEST(LogTest, AFolderThatHasALogIsNotWrittenInto) {
  TemporaryFolder folder;
  MakeLog(In(folder.path()), 10);
  const std::string before = FileText(OnlySegment(folder.path()));
  SilentWorld world;
  const engine::Driver driver(engine::Engine(HistoryConfig()), world);
  EXPECT_TRUE(absl::IsAlreadyExists(Recorder::Begin(In(folder.path()), driver).status()));
  EXPECT_EQ(FileText(OnlySegment(folder.path())), before);
}

TEST(LogTest, ARecordingMayBeginInTheMiddleOfAHistory) {
  TemporaryFolder folder;
  SilentWorld world;
  engine::Driver whole(engine::Engine(HistoryConfig()), world);
  Play(whole, nullptr, 300);
  auto recorder = Recorder::Begin(In(folder.path()), whole);
  ASSERT_TRUE(recorder.ok());
  whole.SetObserver(recorder->get());
  whole.Apply(engine::Event(engine::Tick()), engine::AtMicroseconds(2'000'000'000));
  ASSERT_TRUE((*recorder)->End().ok());
  EXPECT_EQ(OpenLog(folder.path())->first_sequence(), 300U);
  const auto verified = Verify(folder.path());
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(*verified, 1U);
}

}  // namespace
}  // namespace blockx::replay
