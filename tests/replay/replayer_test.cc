// Any moment of a log, reached by any way.
#include "blockx/replay/replayer.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "blockx/replay/log_text.h"
#include "replay/recording.h"
#include "replay/segment_bytes.h"

namespace blockx::replay {
namespace {

using ::testing::HasSubstr;

class ReplayerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RecorderOptions options = In(folder_.path());
    options.snapshot_records = 50;
    played_ = MakeLog(options, 400);
    auto replayer = Replayer::Open(folder_.path());
    ASSERT_TRUE(replayer.ok()) << replayer.status();
    replayer_ = *std::move(replayer);
  }

  void ExpectMoment(std::uint64_t sequence) {
    ASSERT_EQ(replayer_->sequence(), sequence);
    if (sequence == 0) {
      EXPECT_EQ(replayer_->digest(), 0U);
      return;
    }
    const PlayedStep& step = played_[sequence - 1];
    EXPECT_EQ(replayer_->now(), step.now) << sequence;
    EXPECT_EQ(replayer_->digest(), step.digest) << sequence;
    EXPECT_EQ(replayer_->engine().StateDigest(), step.state) << sequence;
  }

  // Puts a file in the place of the log's only segment.
  void Reopen(const std::string& text) {
    WriteFile(OnlySegment(folder_.path()), text);
    auto replayer = Replayer::Open(folder_.path());
    ASSERT_TRUE(replayer.ok()) << replayer.status();
    replayer_ = *std::move(replayer);
  }

  TemporaryFolder folder_;
  PlayedSteps played_;
  std::unique_ptr<Replayer> replayer_;
};

TEST_F(ReplayerTest, ItBeginsAtTheLogsFirstMoment) {
  EXPECT_EQ(replayer_->first(), 0U);
  EXPECT_EQ(replayer_->last(), 400U);
  ExpectMoment(0);
}

TEST_F(ReplayerTest, PlayedFromTheStartEachMomentIsAsItWas) {
  for (std::uint64_t sequence = 1; sequence <= 400; ++sequence) {
    const auto more = replayer_->Next();
    ASSERT_TRUE(more.ok() && *more);
    ExpectMoment(sequence);
  }
}

TEST_F(ReplayerTest, AtTheEndThereIsNoMore) {
  ASSERT_TRUE(replayer_->Goto(400).ok());
  for (int i = 0; i < 2; ++i) {
    const auto more = replayer_->Next();
    ASSERT_TRUE(more.ok());
    EXPECT_FALSE(*more);
  }
  ExpectMoment(400);
}

TEST_F(ReplayerTest, GoneToForwardsEachMomentIsAsItWas) {
  for (std::uint64_t sequence = 0; sequence <= 400; ++sequence) {
    ASSERT_TRUE(replayer_->Goto(sequence).ok());
    ExpectMoment(sequence);
  }
}

TEST_F(ReplayerTest, GoneToBackwardsEachMomentIsAsItWas) {
  for (std::uint64_t sequence = 401; sequence-- > 0;) {
    ASSERT_TRUE(replayer_->Goto(sequence).ok());
    ExpectMoment(sequence);
  }
}

TEST_F(ReplayerTest, GoneToInAnyOrderEachMomentIsAsItWas) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::uint64_t sequence = NumberAt(2, i) % 401;
    ASSERT_TRUE(replayer_->Goto(sequence).ok());
    ExpectMoment(sequence);
  }
}

TEST_F(ReplayerTest, RestoredFromASnapshotTheMomentIsAsItWas) {
  for (std::uint64_t sequence = 0; sequence <= 400; sequence += 50) {
    const auto snapshot = replayer_->log().SnapshotBefore(sequence);
    ASSERT_TRUE(snapshot);
    ASSERT_TRUE(replayer_->Restore(*snapshot).ok());
    ExpectMoment(sequence);
  }
}

TEST_F(ReplayerTest, FromAMomentItPlaysOn) {
  for (const std::uint64_t sequence : {0, 1, 49, 50, 51, 399}) {
    ASSERT_TRUE(replayer_->Goto(sequence).ok());
    const auto more = replayer_->Next();
    ASSERT_TRUE(more.ok() && *more);
    ExpectMoment(sequence + 1);
    EXPECT_EQ(replayer_->record().sequence, sequence + 1);
  }
}

// Payloads that were left out are told by size and fingerprint.
class LineKeeper final : public engine::StepObserver {
 public:
  void OnStep(const engine::Step& step) override { ToLine(step, line); }
  log::v1::Line line;
};

TEST(FullReplayTest, AnObserverSeesEachStepAsItWas) {
  TemporaryFolder folder;
  RecorderOptions options = In(folder.path());
  options.payloads = PayloadMode::kFull;
  const PlayedSteps played = MakeLog(options);
  auto replayer = Replayer::Open(folder.path());
  ASSERT_TRUE(replayer.ok());
  LineKeeper keeper;
  for (const PlayedStep& step : played) {
    const auto more = (*replayer)->Next(&keeper);
    ASSERT_TRUE(more.ok() && *more);
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(keeper.line, step.line))
        << JsonOf(keeper.line);
  }
}

// ---- Damage ----

TEST_F(ReplayerTest, BehindDamageItGoesOnAtTheNextSnapshot) {
  std::string text = FileText(OnlySegment(folder_.path()));
  for (const BlockPlace& block : replayer_->log().segments().front().blocks) {
    if (!block.is_snapshot && block.sequence == 101) text[block.offset + block.size - 1] ^= 1;
  }
  Reopen(text);
  ASSERT_TRUE(replayer_->Goto(100).ok());
  const auto damaged = replayer_->Next();
  ASSERT_TRUE(absl::IsDataLoss(damaged.status()));
  EXPECT_THAT(std::string(damaged.status().message()), HasSubstr("records 101 to 150"));
  ASSERT_TRUE(replayer_->SkipDamage());
  ExpectMoment(150);
  const auto verified = Verify(*replayer_);
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(*verified, 250U);
}

TEST_F(ReplayerTest, TheSameDamageIsToldAgain) {
  std::string text = FileText(OnlySegment(folder_.path()));
  for (const BlockPlace& block : replayer_->log().segments().front().blocks) {
    if (!block.is_snapshot && block.sequence % 100 == 1) text[block.offset + block.size - 1] ^= 1;
  }
  Reopen(text);
  ASSERT_EQ(replayer_->sequence(), 0U);
  for (int i = 0; i < 2; ++i) {
    for (const std::uint64_t first : {101, 201, 301}) {
      ASSERT_TRUE(replayer_->Goto(first - 1).ok()) << first;
      EXPECT_THAT(std::string(replayer_->Next().status().message()),
                  HasSubstr("records " + std::to_string(first)));
    }
  }
}

TEST_F(ReplayerTest, WhereNoSnapshotFollowsDamageCannotBeSkipped) {
  std::string text = FileText(OnlySegment(folder_.path()));
  for (const BlockPlace& block : replayer_->log().segments().front().blocks) {
    if (block.sequence > 100) text[block.offset + block.size - 1] ^= 1;
  }
  Reopen(text);
  ASSERT_TRUE(replayer_->Goto(100).ok());
  ASSERT_TRUE(absl::IsDataLoss(replayer_->Next().status()));
  EXPECT_FALSE(replayer_->SkipDamage());
}

TEST_F(ReplayerTest, ADamagedSnapshotIsPassedOver) {
  std::string text = FileText(OnlySegment(folder_.path()));
  for (const BlockPlace& block : replayer_->log().segments().front().blocks) {
    if (block.is_snapshot && block.sequence == 150) text[block.offset + block.size - 1] ^= 1;
  }
  Reopen(text);
  ASSERT_TRUE(replayer_->Goto(399).ok());
  for (const std::uint64_t sequence : {160, 150, 149}) {
    ASSERT_TRUE(replayer_->Goto(sequence).ok()) << sequence;
    ExpectMoment(sequence);
  }
}

TEST_F(ReplayerTest, WhatARecoveryLeftOutIsPassedOver) {
  // Without records 101 to 150, as the log itself says.
  const auto log = OpenLog(folder_.path());
  auto writer = LogWriter::Create(folder_.path("recovered"), log->header());
  ASSERT_TRUE(writer.ok());
  Record record;
  for (auto found = log->Next(record); found != LogReader::Found::kEnd; found = log->Next(record)) {
    if (found == LogReader::Found::kSnapshot) {
      ASSERT_TRUE((*writer)->AddSnapshot(*log->ReadSnapshot()).ok());
    } else if (record.sequence <= 100 || record.sequence > 150) {
      ASSERT_TRUE((*writer)->AddRecord(record).ok());
    }
  }
  ASSERT_TRUE((*writer)->Close().ok());
  const auto verified = Verify(folder_.path("recovered"));
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(*verified, 350U);
  const auto recovered = OpenLog(folder_.path("recovered"));
  EXPECT_THAT(ReadAll(*recovered).found, ::testing::Contains(LogReader::Found::kGap));
  EXPECT_TRUE(recovered->whole());
}

TEST_F(ReplayerTest, ASnapshotThatIsNotOfItsStateIsRefused) {
  auto snapshot = replayer_->log().SnapshotBefore(100);
  ASSERT_TRUE(snapshot);
  snapshot->state_digest ^= 1;
  EXPECT_TRUE(absl::IsDataLoss(replayer_->Restore(*snapshot)));
  ExpectMoment(0);
}

TEST_F(ReplayerTest, WithoutASnapshotItDoesNotOpen) {
  RawSegment segment = TakeApart(FileText(OnlySegment(folder_.path())));
  std::erase_if(segment.blocks, [](const RawBlock& block) { return block.kind == 'S'; });
  WriteFile(OnlySegment(folder_.path()), PutTogether(segment.blocks));
  EXPECT_TRUE(absl::IsDataLoss(Replayer::Open(folder_.path()).status()));
}

TEST(OpenTest, WhatIsNotThereIsNotFound) {
  TemporaryFolder folder;
  EXPECT_TRUE(absl::IsNotFound(Replayer::Open(folder.path("no-such-log")).status()));
}

TEST(OpenTest, AFolderWithoutSegmentsIsNotFoundAndTheOneBelowIsNamed) {
  TemporaryFolder folder;
  MakeLog(In(folder.path("worker-0")), 1);
  const absl::Status status = Replayer::Open(folder.path("")).status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("is it " + folder.path("") + "worker-0?"));
}

// ---- Another configuration ----

TEST_F(ReplayerTest, UnderAnotherConfigurationNothingIsCompared) {
  engine::Config config = HistoryConfig();
  ++config.task_slots;
  ++config.executor_count;
  auto replayer = Replayer::Open(folder_.path(), config);
  ASSERT_TRUE(replayer.ok()) << replayer.status();
  const absl::Status status = (*replayer)->Goto(400);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_NE((*replayer)->digest(), played_.back().digest);
}

TEST_F(ReplayerTest, UnderAnotherConfigurationAMomentIsTheSameByEachWay) {
  engine::Config config = HistoryConfig();
  ++config.task_slots;
  auto replayer = Replayer::Open(folder_.path(), config);
  ASSERT_TRUE(replayer.ok()) << replayer.status();
  std::vector<std::uint64_t> digests = {(*replayer)->digest()};
  for (;;) {
    const auto more = (*replayer)->Next();
    ASSERT_TRUE(more.ok());
    if (!*more) break;
    digests.push_back((*replayer)->digest());
  }
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::uint64_t sequence = NumberAt(3, i) % 401;
    ASSERT_TRUE((*replayer)->Goto(sequence).ok());
    EXPECT_EQ((*replayer)->digest(), digests[sequence]) << sequence;
  }
}

}  // namespace
}  // namespace blockx::replay
