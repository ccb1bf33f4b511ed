#include "block.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace blockx::replay {
namespace {

// Recording must keep up with an engine: the level that gives most for little time.
constexpr int kCompressionLevel = 1;
constexpr std::uint32_t kGoesOn = 'a' - 'A';
constexpr std::size_t kChecksumAt = BlockHeader::kSize - sizeof(std::uint64_t);

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

template <class T>
void Put(T value, char*& at) {
  std::memcpy(at, &value, sizeof value);
  at += sizeof value;
}

template <class T>
T Take(const char*& at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

std::uint64_t ChecksumOf(std::string_view header_bytes, std::string_view frame) {
  // Two hashes in a row, as the two pieces need not lie side by side.
  const std::uint64_t of_header = XXH3_64bits(header_bytes.data(), kChecksumAt);
  return XXH3_64bits_withSeed(frame.data(), frame.size(), of_header);
}

bool IsKind(std::uint32_t kind) {
  for (const BlockKind known : {BlockKind::kHeader, BlockKind::kSnapshot, BlockKind::kChunk,
                                BlockKind::kIndex, BlockKind::kPart}) {
    if (kind == static_cast<std::uint32_t>(known)) return true;
  }
  return false;
}

}  // namespace

BlockWriter::BlockWriter() : zstd_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_compressionLevel, kCompressionLevel);
  ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_checksumFlag, 1);
}
BlockWriter::~BlockWriter() = default;

void BlockWriter::Append(BlockHeader header, std::string_view content, std::string& out) {
  const BlockKind kind = header.kind;
  header.kind = BlockKind::kPart;
  while (content.size() > kMaxContent) {
    AppendOne(header, content.substr(0, kMaxContent), out);
    content.remove_prefix(kMaxContent);
    header.goes_on = true;
  }
  header.kind = kind;
  AppendOne(header, content, out);
}

void BlockWriter::AppendOne(BlockHeader header, std::string_view content, std::string& out) {
  const std::size_t begin = out.size();
  const std::size_t frame_begin = begin + BlockHeader::kSize;
  out.resize(frame_begin + ZSTD_compressBound(content.size()));
  // It cannot fail: the room is enough, and the parameters are sound.
  const std::size_t frame_size =
      ZSTD_compress2(zstd_.get(), out.data() + frame_begin, out.size() - frame_begin,
                     content.data(), content.size());
  out.resize(frame_begin + frame_size);

  char* at = out.data() + begin;
  std::memcpy(at, BlockHeader::kMarker.data(), BlockHeader::kMarker.size());
  at += BlockHeader::kMarker.size();
  Put(static_cast<std::uint32_t>(header.kind) | (header.goes_on ? kGoesOn : 0), at);
  Put(static_cast<std::uint32_t>(frame_size), at);
  Put(static_cast<std::uint32_t>(content.size()), at);
  Put(header.records, at);
  Put(header.sequence, at);
  Put(header.now_us, at);
  const std::string_view block = std::string_view(out).substr(begin);
  Put(ChecksumOf(block, block.substr(BlockHeader::kSize)), at);
}

std::optional<BlockHeader> ParseBlockHeader(std::string_view bytes) {
  if (bytes.size() < BlockHeader::kSize || !bytes.starts_with(BlockHeader::kMarker)) {
    return std::nullopt;
  }
  const char* at = bytes.data() + BlockHeader::kMarker.size();
  BlockHeader header;
  const auto letter = Take<std::uint32_t>(at);
  const std::uint32_t kind = letter & ~kGoesOn;
  header.goes_on = letter != kind;
  header.frame_size = Take<std::uint32_t>(at);
  header.content_size = Take<std::uint32_t>(at);
  header.records = Take<std::uint32_t>(at);
  header.sequence = Take<std::int64_t>(at);
  header.now_us = Take<std::int64_t>(at);
  header.checksum = Take<std::uint64_t>(at);
  if (!IsKind(kind) || header.content_size > kMaxContent ||
      header.frame_size > ZSTD_compressBound(header.content_size)) {
    return std::nullopt;
  }
  header.kind = static_cast<BlockKind>(kind);
  return header;
}

bool ChecksumHolds(std::string_view header_bytes, std::string_view frame) {
  std::uint64_t written = 0;
  std::memcpy(&written, header_bytes.data() + kChecksumAt, sizeof written);
  return written == ChecksumOf(header_bytes, frame);
}

BlockReader::BlockReader() : zstd_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}
BlockReader::~BlockReader() = default;

bool BlockReader::Read(std::string_view header_bytes, std::string_view frame,
                       std::string& content) {
  const std::optional<BlockHeader> header = ParseBlockHeader(header_bytes);
  if (!header || header->frame_size != frame.size() || !ChecksumHolds(header_bytes, frame)) {
    return false;
  }
  const std::size_t before = content.size();
  content.resize(before + header->content_size);
  const std::size_t size = ZSTD_decompressDCtx(zstd_.get(), content.data() + before,
                                               header->content_size, frame.data(), frame.size());
  return ZSTD_isError(size) == 0 && size == header->content_size;
}

}  // namespace blockx::replay
