// A recording that cannot go on, and one that is followed while it is made.
#include "blockx/replay/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>

#include "replay/recording.h"

namespace blockx::replay {
namespace {

using ::testing::HasSubstr;

class RecorderTest : public ::testing::Test {
 protected:
  std::unique_ptr<Recorder> Begin(RecorderOptions options) {
    auto recorder = Recorder::Begin(std::move(options), driver_);
    EXPECT_TRUE(recorder.ok()) << recorder.status();
    return *std::move(recorder);
  }

  TemporaryFolder folder_;
  SilentWorld world_;
  engine::Driver driver_{engine::Engine(HistoryConfig()), world_};
};

// ---- A full disk ----

// No file of this process may grow beyond that; writing more fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

class FullDiskTest : public RecorderTest {
 protected:
  // Plays the history while files may have that many bytes, and ends the recording.
  void Play(rlim_t bytes) {
    const FileSizeLimit limit(bytes);
    recorder_ = Begin(In(folder_.path()));
    played_ = replay::Play(driver_, recorder_.get());
    ended_ = recorder_->End();
  }

  std::unique_ptr<Recorder> recorder_;
  PlayedSteps played_;
  absl::Status ended_;
};

TEST_F(FullDiskTest, ItEndsWithAReason) {
  Play(16'000);
  EXPECT_FALSE(ended_.ok());
  EXPECT_EQ(recorder_->ended_because(), ended_.message());
  EXPECT_THAT(recorder_->ended_because(), HasSubstr("cannot be written: File too large"));
}

TEST_F(FullDiskTest, TheDriverGoesOn) {
  Play(16'000);
  EXPECT_EQ(driver_.sequence(), kSteps);
}

TEST_F(FullDiskTest, TheLogEndsWithAWholeBlock) {
  Play(16'000);
  const auto log = OpenLog(folder_.path());
  const ReadLog read = ReadAll(*log);
  EXPECT_GT(read.records.size(), 0U);
  EXPECT_LT(read.records.size(), kSteps);
  EXPECT_EQ(SameFromStart(read.records, played_), read.records.size());
  EXPECT_TRUE(log->damage().empty());
  EXPECT_FALSE(log->whole());
}

TEST_F(FullDiskTest, WhatWasCountedIsWhatWasWritten) {
  Play(16'000);
  const auto log = OpenLog(folder_.path());
  EXPECT_EQ(recorder_->stats().records, ReadAll(*log).records.size());
  EXPECT_EQ(recorder_->stats().bytes, std::filesystem::file_size(OnlySegment(folder_.path())));
}

TEST_F(FullDiskTest, WithoutRoomForAHeaderNoSegmentIsLeft) {
  Play(100);
  EXPECT_FALSE(ended_.ok());
  EXPECT_THAT(FilesIn(folder_.path()), ::testing::IsEmpty());
}

TEST_F(RecorderTest, AFolderThatCannotBeMadeIsToldAtOnce) {
  const auto recorder = Recorder::Begin(In("/proc/no-folder"), driver_);
  EXPECT_FALSE(recorder.ok());
  EXPECT_THAT(std::string(recorder.status().message()), HasSubstr("/proc/no-folder"));
}

// ---- A full queue ----

// Hands over one record after the other, until the disk is behind.
class FullQueueTest : public RecorderTest {
 protected:
  void SetUp() override {
    RecorderOptions options = In(folder_.path());
    options.queue_bytes = 1;  // One block at a time.
    options.when_full = RecorderOptions::WhenFull::kEnd;
    recorder_ = Begin(options);
    driver_.SetObserver(recorder_.get());
    while (recorder_->ended_because().empty()) {
      driver_.Apply(engine::Tick(), engine::AtMicroseconds(1));
      recorder_->Flush();
    }
    at_end_ = driver_.sequence();
    driver_.Apply(engine::Tick(), engine::AtMicroseconds(1));  // It goes on.
  }

  std::unique_ptr<Recorder> recorder_;
  std::uint64_t at_end_ = 0;
};

TEST_F(FullQueueTest, ItEndsWithAReason) {
  EXPECT_THAT(recorder_->ended_because(), HasSubstr("the disk did not keep up: more than 1 bytes"));
  EXPECT_TRUE(absl::IsResourceExhausted(recorder_->End()));
}

TEST_F(FullQueueTest, TheLogHasAllUpToTheRecordThatIsNamed) {
  static_cast<void>(recorder_->End());
  const auto log = OpenLog(folder_.path());
  const std::uint64_t last = log->last_sequence();
  EXPECT_LT(last, at_end_);
  EXPECT_EQ(ReadAll(*log).records.size(), last);
  EXPECT_TRUE(recorder_->ended_because().ends_with(" ends after record " + std::to_string(last)))
      << recorder_->ended_because();
}

TEST_F(FullQueueTest, WhatWasTakenIsEndedProperly) {
  static_cast<void>(recorder_->End());
  EXPECT_TRUE(OpenLog(folder_.path())->whole());
}

TEST_F(RecorderTest, ARecorderThatWaitsLosesNothing) {
  RecorderOptions options = In(folder_.path());
  options.queue_bytes = 1;
  auto recorder = Begin(options);
  driver_.SetObserver(recorder.get());
  for (int i = 0; i < 2'000; ++i) {
    driver_.Apply(engine::Tick(), engine::AtMicroseconds(1));
    recorder->Flush();
  }
  ASSERT_TRUE(recorder->End().ok());
  const auto log = OpenLog(folder_.path());
  EXPECT_EQ(ReadAll(*log).records.size(), 2'000U);
}

TEST_F(RecorderTest, EndingWaitsForTheDiskEvenIfRecordingMustNot) {
  RecorderOptions options = In(folder_.path());
  options.queue_bytes = 1;
  options.when_full = RecorderOptions::WhenFull::kEnd;
  auto recorder = Begin(options);  // Its snapshot is in the queue.
  driver_.SetObserver(recorder.get());
  driver_.Apply(engine::Tick(), engine::AtMicroseconds(1));
  EXPECT_TRUE(recorder->End().ok());
  EXPECT_EQ(OpenLog(folder_.path())->last_sequence(), 1U);
}

// ---- Its end ----

TEST_F(RecorderTest, EndedTwiceItGivesTheSameAnswer) {
  const auto recorder = Begin(In(folder_.path()));
  EXPECT_TRUE(recorder->End().ok());
  EXPECT_TRUE(recorder->End().ok());
  EXPECT_EQ(recorder->ended_because(), "");
}

TEST_F(RecorderTest, WhatComesAfterItsEndIsNotRecorded) {
  const auto recorder = Begin(In(folder_.path()));
  driver_.SetObserver(recorder.get());
  driver_.Apply(engine::Tick(), engine::AtMicroseconds(1));
  ASSERT_TRUE(recorder->End().ok());
  driver_.Apply(engine::Tick(), engine::AtMicroseconds(2));
  EXPECT_EQ(OpenLog(folder_.path())->last_sequence(), 1U);
}

TEST_F(RecorderTest, ItEndsTheLogWhenItIsDestroyed) {
  Begin(In(folder_.path())).reset();
  EXPECT_TRUE(OpenLog(folder_.path())->whole());
}

}  // namespace
}  // namespace blockx::replay
