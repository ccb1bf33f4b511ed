#include "replay/segment_bytes.h"

#include <gtest/gtest.h>
#include <xxhash.h>
#include <zstd.h>

#include <cstring>

namespace blockx::replay {
namespace {

constexpr std::string_view kMagic = "BLXLOG1\n";
constexpr std::string_view kEndMagic = "BLXEND1\n";
constexpr std::string_view kMarker =
    "\xB1\x0C"
    "BLX\x1A\r\n";

template <class T>
T At(const std::string& file, std::size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, file.size());
  if (offset + sizeof value <= file.size()) std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

template <class T>
void Append(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string Decompressed(const std::string& frame, std::size_t size) {
  std::string content(size, '\0');
  EXPECT_EQ(ZSTD_decompress(content.data(), size, frame.data(), frame.size()), size);
  return content;
}

std::string Compressed(const std::string& content) {
  ZSTD_CCtx* const zstd = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  frame.resize(ZSTD_compress2(zstd, frame.data(), frame.size(), content.data(), content.size()));
  ZSTD_freeCCtx(zstd);
  return frame;
}

}  // namespace

RawSegment TakeApart(const std::string& file) {
  RawSegment segment;
  EXPECT_TRUE(file.starts_with(kMagic) && file.ends_with(kEndMagic));
  segment.index_offset = At<std::uint64_t>(file, file.size() - 16);
  for (std::size_t at = kMagic.size(); at < file.size() - 16;) {
    RawBlock block;
    block.kind = static_cast<char>(At<std::uint32_t>(file, at + 8));
    const auto frame_size = At<std::uint32_t>(file, at + 12);
    block.content =
        Decompressed(file.substr(at + 48, frame_size), At<std::uint32_t>(file, at + 16));
    block.records = At<std::uint32_t>(file, at + 20);
    block.sequence = At<std::int64_t>(file, at + 24);
    block.now_us = At<std::int64_t>(file, at + 32);
    if (block.kind == 'I') {
      EXPECT_EQ(at, segment.index_offset);
      EXPECT_TRUE(segment.index.ParseFromString(block.content));
    } else {
      segment.blocks.push_back(block);
    }
    at += 48 + frame_size;
  }
  return segment;
}

std::string BytesOf(const RawBlock& block) {
  const std::string frame = Compressed(block.content);
  std::string bytes(kMarker);
  Append(static_cast<std::uint32_t>(block.kind), bytes);
  Append(block.frame_size.value_or(static_cast<std::uint32_t>(frame.size())), bytes);
  Append(block.content_size.value_or(static_cast<std::uint32_t>(block.content.size())), bytes);
  Append(block.records, bytes);
  Append(block.sequence, bytes);
  Append(block.now_us, bytes);
  Append(XXH3_64bits_withSeed(frame.data(), frame.size(), XXH3_64bits(bytes.data(), bytes.size())),
         bytes);
  return bytes + frame;
}

std::string PutTogether(const std::vector<RawBlock>& blocks, const log::v1::Index& index,
                        std::optional<std::uint64_t> index_offset) {
  std::string file(kMagic);
  for (const RawBlock& block : blocks) file += BytesOf(block);
  const std::uint64_t offset = file.size();
  file += BytesOf({.kind = 'I', .content = index.SerializeAsString()});
  Append(index_offset.value_or(offset), file);
  return file += kEndMagic;
}

std::string PutTogether(const std::vector<RawBlock>& blocks) {
  log::v1::Index index;
  std::int64_t offset = kMagic.size();
  for (const RawBlock& block : blocks) {
    log::v1::Index::Block& entry = *index.add_blocks();
    entry.set_offset(offset);
    entry.set_size(static_cast<std::int64_t>(BytesOf(block).size()));
    entry.set_kind(block.kind);
    entry.set_sequence(block.sequence);
    entry.set_now_us(block.now_us);
    entry.set_records(block.records);
    offset += entry.size();
  }
  return PutTogether(blocks, index);
}

}  // namespace blockx::replay
