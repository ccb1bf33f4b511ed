// Chunks: records in a row, as one block's content.
#ifndef BLOCKX_REPLAY_SRC_CHUNK_H_
#define BLOCKX_REPLAY_SRC_CHUNK_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "block.h"
#include "blockx/replay/log_reader.h"
#include "event_codec.h"

namespace blockx::replay {

// Gathers records until a block is worth it.
class ChunkBuilder {
 public:
  // A block of about that many bytes: a reader that seeks reads one whole.
  static constexpr std::size_t kFull = std::size_t{64} << 10;

  explicit ChunkBuilder(PayloadMode payloads) : payloads_(payloads) {}

  // `outputs`: the fields `reply` and `commands` of log.v1.Record as bytes, or nothing.
  void Add(std::uint64_t sequence, engine::Instant now, const engine::Event& event,
           std::uint64_t digest, std::string_view outputs);

  [[nodiscard]] bool empty() const { return header_.records == 0; }
  [[nodiscard]] bool full() const { return content_.size() >= kFull; }
  [[nodiscard]] const BlockHeader& header() const { return header_; }
  [[nodiscard]] const std::string& content() const { return content_; }
  // Begins anew; what was gathered is exchanged for `memory`, whose capacity is used again.
  void Take(std::string& memory);

 private:
  PayloadMode payloads_;
  BlockHeader header_;
  std::string content_;
  std::int64_t last_now_us_ = 0;
};

// Reads a chunk's records one after the other.
class ChunkReader {
 public:
  // Takes the content, and gives the memory of the last one for it.
  void Start(const BlockHeader& header, std::string& content);
  [[nodiscard]] bool at_end() const { return records_left_ == 0; }
  [[nodiscard]] std::uint64_t next_sequence() const { return sequence_; }
  // False: what comes is no record, or the content ends before or after the records that were said.
  bool Next(Record& record, std::string& problem);

 private:
  std::string content_;
  WireReader wire_{std::string_view()};
  std::uint32_t records_left_ = 0;
  std::uint64_t sequence_ = 0;
  std::int64_t now_us_ = 0;
  EventLists lists_;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_CHUNK_H_
