#ifndef BLOCKX_REPLAY_LOG_READER_H_
#define BLOCKX_REPLAY_LOG_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "blockx/engine/config.h"
#include "blockx/engine/events.h"
#include "blockx/engine/time.h"
#include "blockx/proto/segment.pb.h"

namespace blockx::replay {

// One step as a log has it. Its event borrows from the reader, until the next record is read.
struct Record {
  std::uint64_t sequence = 0;
  engine::Instant now{};
  engine::Event event{};
  std::uint64_t digest = 0;
  // The fields `reply` and `commands` of log.v1.Record, as bytes, where outputs were recorded.
  std::string_view outputs{};
  std::size_t size = 0;  // Bytes of the event in the log, before compression.
};

// An engine's state after a record.
struct LogSnapshot {
  std::uint64_t sequence = 0;
  engine::Instant now{};  // Of that record.
  std::uint64_t digest = 0;
  std::uint64_t state_digest = 0;
  std::string state;
};

// Part of a log that cannot be read.
struct Damage {
  std::string file;
  std::uint64_t offset = 0;  // In the file.
  std::string what;          // What was found there.
};

// Where a block of a kind of interest lies.
struct BlockPlace {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t sequence = 0;  // Of a chunk's first record, or of the record before a snapshot.
  engine::Instant now{};
  std::uint32_t records = 0;
  bool is_snapshot = false;
  friend bool operator==(const BlockPlace&, const BlockPlace&) = default;
};

// What is known of a segment without reading its records.
struct SegmentInfo {
  std::string file;
  std::uint64_t size = 0;
  log::v1::Header header;
  bool ended = false;  // With an index: not torn, and no longer being written.
  std::vector<BlockPlace> blocks;
  std::vector<Damage> damage;
};

// The configuration of a header. Error: a field or value that this version does not know.
absl::StatusOr<engine::Config> ConfigOf(const log::v1::Header& header);
void SetConfig(const engine::Config& config, log::v1::Header& header);

// Reads a log: a folder of segments, or one segment. Files are taken as hostile: nothing in them is
// believed before its checksum holds, and memory is bounded. One thread at a time.
class LogReader {
 public:
  // NotFound: no such path, or no segment in it. PermissionDenied. DataLoss: not one segment has a
  // header that can be read. FailedPrecondition: a format that this version does not know.
  static absl::StatusOr<std::unique_ptr<LogReader>> Open(const std::string& path);
  ~LogReader();

  [[nodiscard]] const std::vector<SegmentInfo>& segments() const;
  // Of the first segment. The configuration is the same in all of them.
  [[nodiscard]] const log::v1::Header& header() const;
  // Before the first record, and of the last one that can be read.
  [[nodiscard]] std::uint64_t first_sequence() const;
  [[nodiscard]] std::uint64_t last_sequence() const;
  [[nodiscard]] std::size_t snapshot_count() const;

  enum class Found {
    kRecord,
    kSnapshot,  // One stands here: ReadSnapshot() gives it.
    kDamage,
    kGap,  // Records that the log itself says were lost: it was recovered. A snapshot follows.
    kEnd,
  };
  // Reads on. After kDamage it goes on with what can be read behind; what was lost is in damage().
  Found Next(Record& record);
  // After kSnapshot, once. Nothing: it is damaged.
  std::optional<LogSnapshot> ReadSnapshot();
  // Of everything that was read so far, and of what opening found. After kDamage the last one is
  // what was met.
  [[nodiscard]] const std::vector<Damage>& damage() const;
  // No damage so far, and every segment was ended: nothing can be missing at an end.
  [[nodiscard]] bool whole() const;

  // Continues after that record: the next record is the one after it, or the next that there is.
  void SeekAfter(std::uint64_t sequence);
  // The sequence number of the first record at or after an instant, past the end last_sequence()
  // + 1. Looked for from the last block on that begins before it: where time ran backwards, an
  // earlier block may have had such a record too.
  std::uint64_t FindTime(engine::Instant at);

  // The last snapshot at or before that record whose bytes are sound; nothing if there is none.
  std::optional<LogSnapshot> SnapshotBefore(std::uint64_t sequence);
  // The first one at or after it.
  std::optional<LogSnapshot> SnapshotAfter(std::uint64_t sequence);

  // Looks again at the last segment and for new ones, for a log that is being written. True: there
  // is more to read.
  bool Refresh();

 private:
  class Impl;
  explicit LogReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_LOG_READER_H_
