// Blocks: what a segment's file is made of (docs/event-log.md, "Blocks").
#ifndef BLOCKX_REPLAY_SRC_BLOCK_H_
#define BLOCKX_REPLAY_SRC_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace blockx::replay {

// A file begins with these 8 bytes, and one that was ended properly ends with the trailer: the
// offset of its index block as 8 bytes, little-endian, and 8 bytes of magic.
inline constexpr std::string_view kFileMagic = "BLXLOG1\n";
inline constexpr std::string_view kTrailerMagic = "BLXEND1\n";
inline constexpr std::size_t kTrailerSize = 16;

inline constexpr std::int64_t kFormatVersion = 1;

// The letters stand in the file.
enum class BlockKind : std::uint8_t {
  kHeader = 'H',
  kSnapshot = 'S',
  kChunk = 'C',
  kIndex = 'I',
  kPart = 'P',  // A piece of a content that is too long for one block; the next block goes on.
};

// Stands before a block's zstd frame: 48 bytes, little-endian, in this order.
struct BlockHeader {
  static constexpr std::size_t kSize = 48;
  static constexpr std::string_view kMarker =
      "\xB1\x0C"
      "BLX\x1A\r\n";  // 8 bytes

  BlockKind kind = BlockKind::kChunk;  // 4 bytes, as a number; small letters say that it goes on
  bool goes_on = false;                // with the content of the block before
  std::uint32_t frame_size = 0;        // bytes of the frame
  std::uint32_t content_size = 0;      // bytes in the frame
  std::uint32_t records = 0;           // kChunk: how many
  std::int64_t sequence =
      0;                    // kChunk: of its first record; kSnapshot: of the last record before it
  std::int64_t now_us = 0;  // of that record, as it was given
  std::uint64_t checksum = 0;  // XXH3 (64 bits) of the 40 bytes before this and of the frame
};

// No block's content is larger, so a reader's memory is bounded whatever a file claims.
inline constexpr std::size_t kMaxContent = std::size_t{16} << 20;
// Of one chunk or snapshot in all its parts.
inline constexpr std::size_t kMaxJoinedContent = std::size_t{3} << 30;

class BlockWriter {
 public:
  BlockWriter();
  ~BlockWriter();
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  // Appends the block with this content, in as many parts as it takes. Sizes and checksum of
  // `header` need not be set.
  void Append(BlockHeader header, std::string_view content, std::string& out);

 private:
  void AppendOne(BlockHeader header, std::string_view content, std::string& out);

  std::unique_ptr<ZSTD_CCtx_s, std::size_t (*)(ZSTD_CCtx_s*)> zstd_;
};

// Nothing: these bytes are no block's header.
std::optional<BlockHeader> ParseBlockHeader(std::string_view bytes);

class BlockReader {
 public:
  BlockReader();
  ~BlockReader();
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  // Appends the content of a block, given its 48 bytes and its frame. False: it is damaged.
  bool Read(std::string_view header_bytes, std::string_view frame, std::string& content);

 private:
  std::unique_ptr<ZSTD_DCtx_s, std::size_t (*)(ZSTD_DCtx_s*)> zstd_;
};

// Whether the frame is the one that was written after these 48 bytes.
bool ChecksumHolds(std::string_view header_bytes, std::string_view frame);

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_BLOCK_H_
