// Logs that are read while they are written, and what a writer of logs holds its callers to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "replay/recording.h"

namespace blockx::replay {
namespace {

using ::testing::HasSubstr;

void AppendTo(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary | std::ios::app) << text << std::flush;
}

// Reads on to the present end.
void ReadOn(LogReader& log, std::vector<PlayedStep>& records) {
  ReadLog more = ReadAll(log);
  records.insert(records.end(), more.records.begin(), more.records.end());
}

TEST(FollowTest, ALogThatGrowsByteByByteIsReadAsItGrows) {
  TemporaryFolder folder;
  RecorderOptions options = In(folder.path("whole"));
  options.snapshot_records = 20;
  const PlayedSteps played = MakeLog(options, 70);
  const std::string text = FileText(OnlySegment(folder.path("whole")));
  const std::string path = folder.path("log/segment-00000000000000000000.blxlog");
  WriteFile(path, "");
  std::unique_ptr<LogReader> log;
  std::vector<PlayedStep> records;
  for (std::size_t size = 0; size < text.size(); ++size) {
    AppendTo(path, text.substr(size, 1));
    if (log == nullptr) {
      auto opened = LogReader::Open(path);
      if (!opened.ok()) continue;
      log = *std::move(opened);
    } else {
      log->Refresh();
    }
    ReadOn(*log, records);
    ASSERT_EQ(SameFromStart(records, played), records.size()) << size;
  }
  EXPECT_EQ(records.size(), played.size());
  EXPECT_TRUE(log->whole());
}

TEST(FollowTest, RefreshTellsWhetherThereIsMore) {
  TemporaryFolder folder;
  MakeLog(In(folder.path("whole")), 150);
  const auto whole = OpenLog(folder.path("whole"));
  const std::string text = FileText(OnlySegment(folder.path("whole")));
  const std::size_t second = whole->segments().front().blocks[1].offset;  // After a snapshot.
  const std::string path = folder.path("log/segment-00000000000000000000.blxlog");
  WriteFile(path, text.substr(0, second));
  const auto log = OpenLog(folder.path());
  EXPECT_FALSE(log->Refresh());
  AppendTo(path, text.substr(second));
  EXPECT_TRUE(log->Refresh());
  EXPECT_EQ(log->last_sequence(), 150U);
  EXPECT_FALSE(log->Refresh());
}

TEST(FollowTest, ASegmentThatBeginsIsFollowedToo) {
  TemporaryFolder folder;
  RecorderOptions options = In(folder.path("whole"));
  options.limits.segment_bytes = 1;
  const PlayedSteps played = MakeLog(options, 350);
  const std::vector<std::string> files = FilesIn(folder.path("whole"));
  ASSERT_EQ(files.size(), 4U);
  WriteFile(folder.path("log/" + files[0]), FileText(folder.path("whole/" + files[0])));
  const auto log = OpenLog(folder.path());
  std::vector<PlayedStep> records;
  ReadOn(*log, records);
  for (std::size_t i = 1; i < files.size(); ++i) {
    const std::string text = FileText(folder.path("whole/" + files[i]));
    const std::string path = folder.path("log/" + files[i]);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{3}, std::size_t{8}, text.size() / 2, text.size()}) {
      WriteFile(path, text.substr(0, size));
      log->Refresh();
      ReadOn(*log, records);
    }
  }
  EXPECT_EQ(records.size(), played.size());
  EXPECT_EQ(SameFromStart(records, played), played.size());
  EXPECT_TRUE(log->whole());
}

TEST(FollowTest, ARecordingIsReadUpToItsLastFlush) {
  TemporaryFolder folder;
  SilentWorld world;
  engine::Driver driver(engine::Engine(HistoryConfig()), world);
  auto recorder = Recorder::Begin(In(folder.path()), driver);
  ASSERT_TRUE(recorder.ok());
  driver.SetObserver(recorder->get());
  driver.Apply(engine::Tick(), engine::AtMicroseconds(1));
  (*recorder)->Flush();
  // The writer has a thread of its own.
  while ((*recorder)->stats().records < 1) std::this_thread::yield();
  EXPECT_EQ(OpenLog(folder.path())->last_sequence(), 1U);
}

TEST(FollowTest, AReplayGoesOnWhenItsLogGrows) {
  TemporaryFolder folder;
  MakeLog(In(folder.path("whole")), 250);
  const std::string text = FileText(OnlySegment(folder.path("whole")));
  const std::string path = folder.path("log/segment-00000000000000000000.blxlog");
  WriteFile(path, text.substr(0, text.size() / 2));
  auto replayer = Replayer::Open(path);
  ASSERT_TRUE(replayer.ok());
  auto verified = Verify(**replayer);
  ASSERT_TRUE(verified.ok()) << verified.status();
  const std::uint64_t before = *verified;
  WriteFile(path, text);
  ASSERT_TRUE((*replayer)->log().Refresh());
  verified = Verify(**replayer);
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(before + *verified, 250U);
}

// ---- Writing ----

class LogWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto writer = LogWriter::Create(folder_.path(), log::v1::Header());
    ASSERT_TRUE(writer.ok());
    writer_ = *std::move(writer);
  }
  absl::Status AddRecord(std::uint64_t sequence) {
    Record record;
    record.sequence = sequence;
    record.event = engine::Tick();
    return writer_->AddRecord(record);
  }
  absl::Status AddSnapshot(std::uint64_t sequence) {
    LogSnapshot snapshot;
    snapshot.sequence = sequence;
    snapshot.state = "state";
    return writer_->AddSnapshot(snapshot);
  }

  TemporaryFolder folder_;
  std::unique_ptr<LogWriter> writer_;
};

TEST_F(LogWriterTest, ALogBeginsWithASnapshot) {
  EXPECT_TRUE(absl::IsFailedPrecondition(AddRecord(1)));
}

TEST_F(LogWriterTest, ARecordMustFollowTheLastOne) {
  ASSERT_TRUE(AddSnapshot(5).ok());
  ASSERT_TRUE(AddRecord(6).ok());
  for (const std::uint64_t sequence : {0, 5, 6, 8}) {
    const absl::Status status = AddRecord(sequence);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << sequence;
    EXPECT_THAT(std::string(status.message()), HasSubstr("expected record 7"));
  }
  EXPECT_TRUE(AddRecord(7).ok());
}

TEST_F(LogWriterTest, ASnapshotMustNotLieBeforeTheLastRecord) {
  ASSERT_TRUE(AddSnapshot(5).ok());
  ASSERT_TRUE(AddRecord(6).ok());
  ASSERT_TRUE(AddRecord(7).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(AddSnapshot(6)));
  EXPECT_TRUE(AddSnapshot(7).ok());
}

TEST_F(LogWriterTest, ASnapshotBehindLostRecordsBeginsASegmentThatSaysSo) {
  ASSERT_TRUE(AddSnapshot(0).ok());
  ASSERT_TRUE(AddRecord(1).ok());
  ASSERT_TRUE(AddSnapshot(10).ok());
  ASSERT_TRUE(AddRecord(11).ok());
  ASSERT_TRUE(writer_->Close().ok());
  const auto log = OpenLog(folder_.path());
  ASSERT_EQ(log->segments().size(), 2U);
  EXPECT_EQ(log->segments()[0].header.lost_before(), 0);
  EXPECT_EQ(log->segments()[1].header.lost_before(), 9);
}

TEST_F(LogWriterTest, AfterAMistakeOfItsCallerItGoesOn) {
  ASSERT_TRUE(AddSnapshot(0).ok());
  ASSERT_FALSE(AddRecord(7).ok());
  ASSERT_TRUE(AddRecord(1).ok());
  ASSERT_TRUE(writer_->Close().ok());
  EXPECT_TRUE(OpenLog(folder_.path())->whole());
}

// ---- Reading from a time on ----

TEST(FindTimeTest, ItIsTheFirstRecordAtOrAfterIt) {
  TemporaryFolder folder;
  SilentWorld world;
  engine::Driver driver(engine::Engine(HistoryConfig()), world);
  RecorderOptions options = In(folder.path());
  options.snapshot_records = 10;
  auto recorder = Recorder::Begin(options, driver);
  ASSERT_TRUE(recorder.ok());
  driver.SetObserver(recorder->get());
  // Records 1 to 100 at 10, 10, 20, 20, and so on.
  for (int i = 0; i < 100; ++i) {
    driver.Apply(engine::Tick(), engine::AtMicroseconds(10 * (i / 2 + 1)));
  }
  ASSERT_TRUE((*recorder)->End().ok());
  const auto log = OpenLog(folder.path());
  const auto find = [&](std::int64_t us) { return log->FindTime(engine::AtMicroseconds(us)); };
  EXPECT_EQ(find(-5), 1U);
  EXPECT_EQ(find(10), 1U);
  for (int i = 1; i < 50; ++i) {
    EXPECT_EQ(find(10 * i + 1), static_cast<std::uint64_t>(2 * i + 1));
    EXPECT_EQ(find(10 * i + 10), static_cast<std::uint64_t>(2 * i + 1));
  }
  EXPECT_EQ(find(501), 101U);
}

}  // namespace
}  // namespace blockx::replay
