// A record that is not what happened is found at its place, though every checksum holds.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "blockx/replay/convert.h"
#include "blockx/replay/log_text.h"
#include "replay/recording.h"

namespace blockx::replay {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::size_t kRecords = 250;

// A record as a message, so that it can be kept, changed, and written again.
struct Kept {
  log::v1::Event event;
  engine::Instant now{};
  std::uint64_t digest = 0;
};

class AlterationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RecorderOptions options = In(folder_.path());
    options.snapshot_records = 1'000;  // Only the first: records have no other hold.
    MakeLog(options, kRecords);
    log_ = OpenLog(folder_.path());
    Record record;
    for (auto found = log_->Next(record); found != LogReader::Found::kEnd;
         found = log_->Next(record)) {
      if (found == LogReader::Found::kSnapshot) {
        snapshot_ = *log_->ReadSnapshot();
      } else {
        Kept& kept = records_.emplace_back();
        ToProto(record.event, kept.event);
        kept.now = record.now;
        kept.digest = record.digest;
      }
    }
    ASSERT_EQ(records_.size(), kRecords);
  }

  // Written anew, numbered in a row.
  std::string Written(const std::vector<Kept>& records) {
    const std::string folder = folder_.path("altered-" + std::to_string(++written_));
    auto writer = LogWriter::Create(folder, log_->header());
    EXPECT_TRUE(writer.ok() && (*writer)->AddSnapshot(snapshot_).ok());
    EventReader reader;
    Record record;
    for (const Kept& kept : records) {
      ++record.sequence;
      record.now = kept.now;
      record.event = *reader.Read(kept.event);
      record.digest = kept.digest;
      EXPECT_TRUE((*writer)->AddRecord(record).ok());
    }
    EXPECT_TRUE((*writer)->Close().ok());
    return folder;
  }

  // The record at which the log is found to be false; 0: nowhere.
  std::uint64_t FoundAt(const std::vector<Kept>& records) {
    auto replayer = Replayer::Open(Written(records));
    if (!replayer.ok()) return 0;
    for (;;) {
      const absl::StatusOr<bool> more = (*replayer)->Next();
      if (absl::IsFailedPrecondition(more.status())) return (*replayer)->sequence();
      if (!more.ok() || !*more) return 0;
    }
  }

  TemporaryFolder folder_;
  std::unique_ptr<LogReader> log_;
  LogSnapshot snapshot_;
  std::vector<Kept> records_;
  int written_ = 0;
};

// Calls `alter` for each scalar of the message that is not one of several alternatives, those with
// their default included.
void ForEachScalar(Message& message,
                   const std::function<void(Message&, const FieldDescriptor&)>& alter) {
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      if (field.containing_oneof() == nullptr && !field.is_repeated()) alter(message, field);
    } else if (field.is_repeated()) {
      for (int k = 0; k < reflection.FieldSize(message, &field); ++k) {
        ForEachScalar(*reflection.MutableRepeatedMessage(&message, &field, k), alter);
      }
    } else if (reflection.HasField(message, &field)) {
      ForEachScalar(*reflection.MutableMessage(&message, &field), alter);
    }
  }
}

void Alter(Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(&message, &field, !reflection.GetBool(message, &field));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.SetString(&message, &field, reflection.GetString(message, &field) + "x");
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(&message, &field,
                                     1 - reflection.GetEnumValue(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection.SetUInt64(&message, &field, reflection.GetUInt64(message, &field) ^ 1);
    default:
      return reflection.SetInt64(&message, &field, reflection.GetInt64(message, &field) + 1);
  }
}

// Every event that differs from this one in one field.
std::vector<log::v1::Event> Altered(const log::v1::Event& event) {
  std::vector<log::v1::Event> altered;
  EventReader reader;
  int count = 0;
  log::v1::Event copy = event;
  ForEachScalar(copy, [&](Message&, const FieldDescriptor&) { ++count; });
  for (int wanted = 0; wanted < count; ++wanted) {
    copy = event;
    int at = 0;
    ForEachScalar(copy, [&](Message& message, const FieldDescriptor& field) {
      if (at++ == wanted) Alter(message, field);
    });
    // Bytes beside what stands for them are no event.
    if (reader.Read(copy).ok()) altered.push_back(copy);
  }
  return altered;
}

TEST_F(AlterationTest, TheLogAsItIsDoesNotDiverge) { EXPECT_EQ(FoundAt(records_), 0U); }

TEST_F(AlterationTest, AFieldOfAnEventIsFoundAtItsRecord) {
  for (std::size_t i = 0; i < kRecords; ++i) {
    const std::vector<log::v1::Event> altered = Altered(records_[i].event);
    if (altered.empty()) continue;
    std::vector<Kept> records = records_;
    records[i].event = altered[NumberAt(1, i) % altered.size()];
    ASSERT_EQ(FoundAt(records), i + 1) << records[i].event.ShortDebugString();
  }
}

// The digest of a step covers all of it; so the one record is enough to tell.
TEST_F(AlterationTest, NoFieldOfAnyEventMayDiffer) {
  EventReader reader;
  for (const Kept& kept : records_) {
    const std::uint64_t digest = DigestOf(*reader.Read(kept.event));
    for (const log::v1::Event& altered : Altered(kept.event)) {
      ASSERT_NE(DigestOf(*reader.Read(altered)), digest)
          << kept.event.ShortDebugString() << " / " << altered.ShortDebugString();
    }
  }
}

TEST_F(AlterationTest, AnotherKindOfEventIsFoundAtItsRecord) {
  for (std::size_t i = 0; i < kRecords; ++i) {
    std::vector<Kept> records = records_;
    const bool is_tick = records[i].event.has_tick();
    records[i].event.Clear();
    if (is_tick) {
      records[i].event.mutable_begin_drain();
    } else {
      records[i].event.mutable_tick();
    }
    ASSERT_EQ(FoundAt(records), i + 1);
  }
}

TEST_F(AlterationTest, ATimeIsFoundAtItsRecord) {
  for (std::size_t i = 0; i < kRecords; ++i) {
    std::vector<Kept> records = records_;
    records[i].now = engine::AddSaturating(records[i].now, engine::Microseconds(1));
    ASSERT_EQ(FoundAt(records), i + 1);
  }
}

TEST_F(AlterationTest, ADigestIsFoundAtItsRecord) {
  for (std::size_t i = 0; i < kRecords; ++i) {
    std::vector<Kept> records = records_;
    records[i].digest ^= 1ULL << (i % 64);
    ASSERT_EQ(FoundAt(records), i + 1);
  }
}

TEST_F(AlterationTest, AnExchangeIsFoundAtTheFirstOfThem) {
  for (std::size_t i = 0; i + 1 < kRecords; ++i) {
    std::vector<Kept> records = records_;
    std::swap(records[i], records[i + 1]);
    ASSERT_EQ(FoundAt(records), i + 1);
  }
}

TEST_F(AlterationTest, AMissingRecordIsFoundAtTheNext) {
  for (std::size_t i = 0; i + 1 < kRecords; ++i) {
    std::vector<Kept> records = records_;
    records.erase(records.begin() + static_cast<std::ptrdiff_t>(i));
    ASSERT_EQ(FoundAt(records), i + 1);
  }
}

TEST_F(AlterationTest, ADoubledRecordIsFound) {
  for (std::size_t i = 0; i < kRecords; ++i) {
    std::vector<Kept> records = records_;
    records.insert(records.begin() + static_cast<std::ptrdiff_t>(i), records[i]);
    ASSERT_EQ(FoundAt(records), i + 2);
  }
}

TEST_F(AlterationTest, ADivergenceIsToldOnceAndItGoesOn) {
  std::vector<Kept> records = records_;
  records[9].digest ^= 1;
  auto replayer = Replayer::Open(Written(records));
  ASSERT_TRUE(replayer.ok());
  std::vector<std::uint64_t> told;
  for (;;) {
    const absl::StatusOr<bool> more = (*replayer)->Next();
    if (more.ok() && !*more) break;
    if (!more.ok()) told.push_back((*replayer)->sequence());
  }
  EXPECT_EQ(told, std::vector<std::uint64_t>{10});
  EXPECT_EQ((*replayer)->sequence(), kRecords);
}

TEST_F(AlterationTest, GoneBackToItIsToldAgain) {
  std::vector<Kept> records = records_;
  records[9].digest ^= 1;
  auto replayer = Replayer::Open(Written(records));
  ASSERT_TRUE(replayer.ok());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE((*replayer)->Goto(9).ok());
    EXPECT_TRUE(absl::IsFailedPrecondition((*replayer)->Next().status()));
    ASSERT_TRUE((*replayer)->Goto(100).ok());
  }
}

// Two places that are false, with a sound snapshot between them.
TEST(DivergenceTest, BehindARestoredSnapshotTheNextOneIsToldToo) {
  TemporaryFolder folder;
  MakeLog(In(folder.path("sound")), 250);
  const auto log = OpenLog(folder.path("sound"));
  auto writer = LogWriter::Create(folder.path(), log->header());
  ASSERT_TRUE(writer.ok());
  Record record;
  for (auto found = log->Next(record); found != LogReader::Found::kEnd; found = log->Next(record)) {
    if (found == LogReader::Found::kSnapshot) {
      ASSERT_TRUE((*writer)->AddSnapshot(*log->ReadSnapshot()).ok());
      continue;
    }
    if (record.sequence == 50 || record.sequence == 150) record.digest ^= 1;
    ASSERT_TRUE((*writer)->AddRecord(record).ok());
  }
  ASSERT_TRUE((*writer)->Close().ok());
  auto replayer = Replayer::Open(folder.path());
  ASSERT_TRUE(replayer.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Verify(**replayer).status()));
  EXPECT_EQ((*replayer)->sequence(), 50U);
  ASSERT_TRUE((*replayer)->Restore(*(*replayer)->log().SnapshotBefore(100)).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Verify(**replayer).status()));
  EXPECT_EQ((*replayer)->sequence(), 150U);
}

}  // namespace
}  // namespace blockx::replay
