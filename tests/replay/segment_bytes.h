// Segments taken apart and put together again, by docs/event-log.md and without the code under
// test: for logs that no writer would write.
#ifndef BLOCKX_TESTS_REPLAY_SEGMENT_BYTES_H_
#define BLOCKX_TESTS_REPLAY_SEGMENT_BYTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockx/proto/segment.pb.h"

namespace blockx::replay {

struct RawBlock {
  char kind = 'C';
  std::uint32_t records = 0;
  std::int64_t sequence = 0;
  std::int64_t now_us = 0;
  std::string content;
  // What the block claims in place of what is true.
  std::optional<std::uint32_t> frame_size{};
  std::optional<std::uint32_t> content_size{};
};

struct RawSegment {
  std::vector<RawBlock> blocks;  // All but the index.
  log::v1::Index index;
  std::uint64_t index_offset = 0;
};

// Of a sound and whole segment.
RawSegment TakeApart(const std::string& file);

std::string BytesOf(const RawBlock& block);
// With the blocks as they are, and this index and trailer behind them.
std::string PutTogether(const std::vector<RawBlock>& blocks, const log::v1::Index& index,
                        std::optional<std::uint64_t> index_offset = std::nullopt);
// With an index that tells the truth.
std::string PutTogether(const std::vector<RawBlock>& blocks);

}  // namespace blockx::replay

#endif  // BLOCKX_TESTS_REPLAY_SEGMENT_BYTES_H_
