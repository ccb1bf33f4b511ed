// Logs that were cut, bent and forged: what was lost is told, and nothing false is taken for true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "replay/recording.h"
#include "replay/segment_bytes.h"

namespace blockx::replay {
namespace {

using ::testing::HasSubstr;

// One small segment with a few snapshots and chunks.
class DamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RecorderOptions options = In(folder_.path("sound"));
    options.snapshot_records = 25;
    played_ = MakeLog(options, 110);
    text_ = FileText(OnlySegment(folder_.path("sound")));
    sound_ = OpenLog(folder_.path("sound"));
    segment_ = TakeApart(text_);
  }

  // The log with this file as its only segment; null: it cannot be opened.
  std::unique_ptr<LogReader> With(const std::string& text) {
    WriteFile(path_, text);
    auto log = LogReader::Open(path_);
    if (!log.ok()) {
      EXPECT_TRUE(absl::IsDataLoss(log.status())) << log.status();
      return nullptr;
    }
    return *std::move(log);
  }

  // Each record that was read is one that was played, and in order.
  void ExpectNothingFalse(const ReadLog& read) {
    std::uint64_t last = 0;
    for (const PlayedStep& record : read.records) {
      ASSERT_GT(record.sequence, last);
      ASSERT_LE(record.sequence, played_.size());
      last = record.sequence;
      EXPECT_EQ(SameFromStart({record}, {played_[last - 1]}), 1U) << "record " << last;
    }
  }

  // Found, or without any effect.
  void ExpectNotSilent(const std::string& text, const std::string& what) {
    SCOPED_TRACE(what);
    const auto log = With(text);
    if (log == nullptr) return;
    const ReadLog read = ReadAll(*log);
    ExpectNothingFalse(read);
    if (!log->whole()) return;
    EXPECT_EQ(read.records.size(), played_.size());
    EXPECT_EQ(read.snapshots.size(), sound_->snapshot_count());
  }

  // Read, and told to be damaged; `words` say what was found.
  void ExpectDamage(const std::vector<RawBlock>& blocks, const std::string& words) {
    const auto log = With(PutTogether(blocks));
    ASSERT_NE(log, nullptr);
    ExpectNothingFalse(ReadAll(*log));
    ASSERT_FALSE(log->damage().empty());
    EXPECT_THAT(log->damage().front().what, HasSubstr(words));
  }

  RawBlock& FirstChunk() {
    for (RawBlock& block : segment_.blocks) {
      if (block.kind == 'C') return block;
    }
    std::abort();
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("log/segment-00000000000000000000.blxlog");
  PlayedSteps played_;
  std::string text_;
  std::unique_ptr<LogReader> sound_;
  RawSegment segment_;
};

// What the forgeries below rest on: a block that is no forgery is the writer's.
TEST_F(DamageTest, ASegmentPutTogetherAgainIsTheSame) {
  EXPECT_EQ(PutTogether(segment_.blocks), text_);
  EXPECT_EQ(PutTogether(segment_.blocks, segment_.index), text_);
}

TEST_F(DamageTest, ALogCutAnywhereKeepsItsWholeBlocks) {
  const std::vector<BlockPlace>& blocks = sound_->segments().front().blocks;
  WriteFile(path_, text_);
  for (std::size_t size = text_.size(); size-- > 0;) {
    SCOPED_TRACE("cut to " + std::to_string(size) + " bytes");
    std::filesystem::resize_file(path_, size);
    std::uint64_t expected = 0;
    for (const BlockPlace& block : blocks) {
      if (block.offset + block.size <= size) expected += block.records;
    }
    const auto log = LogReader::Open(path_);
    if (size < blocks.front().offset) {
      ASSERT_TRUE(absl::IsDataLoss(log.status()));
      continue;
    }
    ASSERT_TRUE(log.ok()) << log.status();
    const ReadLog read = ReadAll(**log);
    ASSERT_EQ(read.records.size(), expected);
    ASSERT_EQ(SameFromStart(read.records, played_), expected);
    ASSERT_FALSE((*log)->whole());
  }
}

TEST_F(DamageTest, ABitThatFlippedIsFound) {
  constexpr int kFlips = 5'000;
  for (int i = 0; i < kFlips; ++i) {
    const std::uint64_t bit = NumberAt(1, static_cast<std::uint64_t>(i)) % (text_.size() * 8);
    std::string text = text_;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    const auto log = With(text);
    if (log == nullptr) continue;
    ExpectNothingFalse(ReadAll(*log));
    ASSERT_FALSE(log->whole()) << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

TEST_F(DamageTest, ABlockThatWasOverwrittenCostsItsOwnRecordsOnly) {
  for (const BlockPlace& block : sound_->segments().front().blocks) {
    std::string text = text_;
    text.replace(block.offset, block.size, block.size, '\x55');
    const auto log = With(text);
    ASSERT_NE(log, nullptr);
    const ReadLog read = ReadAll(*log);
    ExpectNothingFalse(read);
    EXPECT_EQ(read.records.size(), played_.size() - block.records);
    EXPECT_EQ(read.snapshots.size(), sound_->snapshot_count() - (block.is_snapshot ? 1 : 0));
    EXPECT_FALSE(log->whole());
  }
}

TEST_F(DamageTest, BytesThatWerePutInAreSkipped) {
  for (const BlockPlace& block : sound_->segments().front().blocks) {
    std::string text = text_;
    text.insert(block.offset, "some bytes that are no block");
    const auto log = With(text);
    ASSERT_NE(log, nullptr);
    EXPECT_EQ(SameFromStart(ReadAll(*log).records, played_), played_.size());
    EXPECT_FALSE(log->whole());
  }
}

TEST_F(DamageTest, BytesBehindTheEndAreTold) {
  const auto log = With(text_ + "more");
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(SameFromStart(ReadAll(*log).records, played_), played_.size());
  EXPECT_FALSE(log->whole());
}

TEST_F(DamageTest, ABlockTwiceIsTold) {
  segment_.blocks.push_back(segment_.blocks.back());
  ExpectDamage(segment_.blocks, "stands where record 111 was expected");
}

TEST_F(DamageTest, AMissingBlockIsTold) {
  for (std::size_t i = 2; i + 1 < segment_.blocks.size(); ++i) {
    if (segment_.blocks[i].kind != 'C') continue;
    std::vector<RawBlock> blocks = segment_.blocks;
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
    ExpectDamage(blocks, "are missing");
  }
}

TEST_F(DamageTest, AMissingSegmentIsTold) {
  RecorderOptions options = In(folder_.path("many"));
  options.limits.segment_bytes = 1;
  MakeLog(options);
  std::filesystem::remove(folder_.path("many/segment-00000000000000000200.blxlog"));
  const auto log = OpenLog(folder_.path("many"));
  ReadAll(*log);
  ASSERT_EQ(log->damage().size(), 1U);
  EXPECT_EQ(log->damage().front().what, "records 201 to 300 are missing");
}

// ---- Blocks whose checksums hold, and which are false all the same ----

TEST_F(DamageTest, AChunkWithMoreRecordsThanItSaysIsTold) {
  --FirstChunk().records;
  ExpectDamage(segment_.blocks, "more than it says");
}

TEST_F(DamageTest, AChunkWithFewerRecordsThanItSaysIsTold) {
  ++FirstChunk().records;
  ExpectDamage(segment_.blocks, "a record is missing");
}

TEST_F(DamageTest, AChunkThatIsNoChunkIsTold) {
  FirstChunk().content = "no records";
  ExpectDamage(segment_.blocks, "record 1: ");
}

TEST_F(DamageTest, AChunkThatEndsWithinARecordIsTold) {
  FirstChunk().content.pop_back();
  ExpectDamage(segment_.blocks, "record 25: ");
}

TEST_F(DamageTest, AContentThatIsLargerThanClaimedIsTold) {
  FirstChunk().content_size = 10;
  ExpectDamage(segment_.blocks, "records 1 to 25 are damaged");
}

TEST_F(DamageTest, AContentThatIsSmallerThanClaimedIsTold) {
  FirstChunk().content_size = 16 << 20;
  ExpectDamage(segment_.blocks, "records 1 to 25 are damaged");
}

TEST_F(DamageTest, AContentAboveTheBoundIsRefused) {
  for (const std::uint32_t size : {(16U << 20) + 1, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    FirstChunk().content_size = size;
    ExpectDamage(segment_.blocks, "are damaged");
  }
}

TEST_F(DamageTest, AFrameAboveTheBoundIsRefused) {
  for (const std::uint32_t size : {1U << 20, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    FirstChunk().frame_size = size;
    ExpectDamage(segment_.blocks, "are damaged");
  }
}

TEST_F(DamageTest, ABlockOfAnUnknownKindIsTold) {
  FirstChunk().kind = 'X';
  ExpectDamage(segment_.blocks, "are damaged");
}

TEST_F(DamageTest, ASnapshotThatIsNoneIsTold) {
  segment_.blocks[1].content = "no snapshot";
  ExpectDamage(segment_.blocks, "the snapshot after record 0 is damaged");
}

TEST_F(DamageTest, AHeaderThatIsNoneIsTold) {
  segment_.blocks[0].content = "no header";
  EXPECT_EQ(With(PutTogether(segment_.blocks)), nullptr);
}

TEST_F(DamageTest, ANewerFormatIsRefused) {
  log::v1::Header header;
  header.ParseFromString(segment_.blocks[0].content);
  header.set_format(2);
  header.set_engine_version("9.9");
  segment_.blocks[0].content = header.SerializeAsString();
  WriteFile(path_, PutTogether(segment_.blocks));
  const absl::Status status = LogReader::Open(path_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 9.9 or later"));
}

// ---- What the index says ----

TEST_F(DamageTest, WithoutItsIndexALogReadsTheSame) {
  const auto log = With(text_.substr(0, segment_.index_offset));
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(SameFromStart(ReadAll(*log).records, played_), played_.size());
  EXPECT_TRUE(log->damage().empty());
  EXPECT_FALSE(log->whole());  // The end may be missing.
}

TEST_F(DamageTest, AnIndexThatLeavesABlockOutIsNotBelieved) {
  for (int i = 0; i < segment_.index.blocks_size(); ++i) {
    log::v1::Index index = segment_.index;
    index.mutable_blocks()->DeleteSubrange(i, 1);
    const auto log = With(PutTogether(segment_.blocks, index));
    ASSERT_NE(log, nullptr) << i;
    EXPECT_EQ(SameFromStart(ReadAll(*log).records, played_), played_.size()) << i;
  }
}

TEST_F(DamageTest, AnIndexThatTakesTwoBlocksForOneHidesNothing) {
  for (int i = 0; i + 1 < segment_.index.blocks_size(); ++i) {
    for (const int kept : {i, i + 1}) {
      log::v1::Index index = segment_.index;
      log::v1::Index::Block both = index.blocks(kept);
      both.set_offset(index.blocks(i).offset());
      both.set_size(index.blocks(i).size() + index.blocks(i + 1).size());
      *index.mutable_blocks(i) = both;
      index.mutable_blocks()->DeleteSubrange(i + 1, 1);
      ExpectNotSilent(PutTogether(segment_.blocks, index), "blocks " + std::to_string(i));
    }
  }
}

TEST_F(DamageTest, AnIndexThatLiesAboutAKindHidesNothing) {
  for (int i = 0; i < segment_.index.blocks_size(); ++i) {
    for (const char kind : std::string_view("HSCIPXhsc\0", 10)) {
      log::v1::Index index = segment_.index;
      if (index.blocks(i).kind() == kind) continue;
      index.mutable_blocks(i)->set_kind(kind);
      ExpectNotSilent(PutTogether(segment_.blocks, index),
                      "block " + std::to_string(i) + " as " + kind);
    }
  }
}

TEST_F(DamageTest, AnIndexThatLiesAboutANumberHidesNothing) {
  const google::protobuf::Descriptor& fields = *log::v1::Index::Block::descriptor();
  for (int i = 0; i < segment_.index.blocks_size(); ++i) {
    for (int f = 0; f < fields.field_count(); ++f) {
      for (const std::int64_t by :
           {std::int64_t{-1}, std::int64_t{1}, std::int64_t{1} << 40, -(std::int64_t{1} << 40)}) {
        log::v1::Index index = segment_.index;
        log::v1::Index::Block& block = *index.mutable_blocks(i);
        const auto& reflection = *block.GetReflection();
        reflection.SetInt64(&block, fields.field(f),
                            reflection.GetInt64(block, fields.field(f)) + by);
        ExpectNotSilent(PutTogether(segment_.blocks, index),
                        "block " + std::to_string(i) + ": " + index.ShortDebugString());
      }
    }
  }
}

TEST_F(DamageTest, ATrailerThatPointsElsewhereIsNotBelieved) {
  const std::uint64_t true_offset = segment_.index_offset;
  for (const std::uint64_t offset :
       {std::uint64_t{0}, std::uint64_t{8}, true_offset - 1, true_offset + 1, text_.size() - 16,
        text_.size(), ~std::uint64_t{0}}) {
    const auto log = With(PutTogether(segment_.blocks, segment_.index, offset));
    ASSERT_NE(log, nullptr);
    EXPECT_EQ(SameFromStart(ReadAll(*log).records, played_), played_.size()) << offset;
    EXPECT_FALSE(log->damage().empty()) << offset;
  }
}

// ---- Contents of more than one block ----

class PartsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log::v1::Header header;
    auto writer = LogWriter::Create(folder_.path(), header);
    ASSERT_TRUE(writer.ok());
    snapshot_.state.assign((std::size_t{40} << 20) + 5, 'x');  // Three blocks.
    ASSERT_TRUE((*writer)->AddSnapshot(snapshot_).ok());
    ASSERT_TRUE((*writer)->Close().ok());
    path_ = OnlySegment(folder_.path());
  }

  TemporaryFolder folder_;
  std::string path_;
  LogSnapshot snapshot_;
};

TEST_F(PartsTest, AContentOfSeveralBlocksIsReadAsOne) {
  const auto log = OpenLog(folder_.path());
  const auto snapshot = log->SnapshotAfter(0);
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->state, snapshot_.state);
}

TEST_F(PartsTest, WithoutItsIndexItIsFoundToo) {
  const std::string text = FileText(path_);
  WriteFile(path_, text.substr(0, TakeApart(text).index_offset));
  const auto log = OpenLog(folder_.path());
  const auto snapshot = log->SnapshotAfter(0);
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->state, snapshot_.state);
}

TEST_F(PartsTest, WithoutOneOfItsPartsItIsDamaged) {
  const std::vector<RawBlock> blocks = TakeApart(FileText(path_)).blocks;
  ASSERT_EQ(blocks.size(), 4U);  // With the header.
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    std::vector<RawBlock> fewer = blocks;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    WriteFile(path_, PutTogether(fewer));
    const auto log = OpenLog(folder_.path());
    EXPECT_FALSE(log->SnapshotAfter(0)) << i;
    EXPECT_FALSE(log->damage().empty()) << i;
  }
}

}  // namespace
}  // namespace blockx::replay
