#ifndef BLOCKX_REPLAY_SRC_SEGMENT_WRITER_H_
#define BLOCKX_REPLAY_SRC_SEGMENT_WRITER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "block.h"
#include "blockx/replay/log_writer.h"
#include "chunk.h"

namespace blockx::replay {

// Blocks to files: rotation, retention, and a clean end when the disk is full.
class LogWriter::Impl {
 public:
  Impl(std::string folder, log::v1::Header header, const LogLimits& limits);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  absl::Status MakeFolder();
  // Writes a snapshot or chunk. The first block is a snapshot.
  absl::Status Add(const BlockHeader& header, std::string_view content);
  absl::Status Close();

  // What LogWriter's callers must not get wrong; a recorder's blocks are in order.
  [[nodiscard]] absl::Status CheckRecord(std::uint64_t sequence) const;
  [[nodiscard]] absl::Status CheckSnapshot(std::uint64_t sequence) const;

  [[nodiscard]] const LogStats& stats() const { return stats_; }
  [[nodiscard]] PayloadMode payloads() const {
    return header_.payloads() == log::v1::Payloads::FULL ? PayloadMode::kFull
                                                         : PayloadMode::kDigest;
  }
  ChunkBuilder& chunk() { return chunk_; }
  absl::Status FlushChunk();

 private:
  struct OldSegment {
    std::string file;
    std::int64_t bytes = 0;
  };

  // Of the record that would follow, those in the chunk counted.
  [[nodiscard]] std::uint64_t next_sequence() const;
  [[nodiscard]] absl::Status OutOfOrder(const std::string& found, std::uint64_t sequence) const;
  absl::Status BeginSegment(const BlockHeader& snapshot);
  absl::Status EndSegment();
  [[nodiscard]] bool SegmentIsFull(const BlockHeader& next) const;
  void DeleteOldest();
  absl::Status Append(const BlockHeader& header, std::string_view content);
  absl::Status Write(std::string_view bytes);

  std::string folder_;
  log::v1::Header header_;
  LogLimits limits_;
  LogStats stats_;
  absl::Status failed_;
  BlockWriter blocks_;
  ChunkBuilder chunk_;
  std::string bytes_;  // Of the block that is being written; reused.

  int descriptor_ = -1;  // -1: no segment is open.
  std::string file_;
  std::int64_t size_ = 0;  // Of whole blocks.
  engine::Instant began_{};
  std::int64_t next_sequence_ = 0;  // Of the record that would come next without a gap.
  log::v1::Index index_;
  std::deque<OldSegment> old_;
  std::int64_t old_bytes_ = 0;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_SEGMENT_WRITER_H_
