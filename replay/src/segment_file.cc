#include "segment_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace blockx::replay {
namespace {

absl::Status FileError(const std::string& path, int error) {
  const std::string text = path + ": " + std::strerror(error);
  if (error == ENOENT) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(text);
  return absl::UnavailableError(text);
}

std::uint64_t SizeOf(int descriptor) {
  struct stat status = {};
  return fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Whether an index names blocks that follow each other without a gap from the file's beginning to
// `end`, and none but those that there can be: each of them proves itself when it is read.
bool FillsSegment(const log::v1::Index& index, std::uint64_t end) {
  std::uint64_t at = kFileMagic.size();
  for (const log::v1::Index::Block& block : index.blocks()) {
    const bool is_header = block.kind() == static_cast<std::int64_t>(BlockKind::kHeader);
    if (is_header != (at == kFileMagic.size()) ||
        (!is_header && block.kind() != static_cast<std::int64_t>(BlockKind::kSnapshot) &&
         block.kind() != static_cast<std::int64_t>(BlockKind::kChunk))) {
      return false;
    }
    if (static_cast<std::uint64_t>(block.offset()) != at || block.size() <= 0 ||
        static_cast<std::uint64_t>(block.size()) > end - at) {
      return false;
    }
    at += static_cast<std::uint64_t>(block.size());
  }
  return at == end;
}

BlockPlace PlaceOf(const log::v1::Index::Block& block) {
  return {.offset = static_cast<std::uint64_t>(block.offset()),
          .size = static_cast<std::uint64_t>(block.size()),
          .sequence = static_cast<std::uint64_t>(block.sequence()),
          .now = engine::AtMicroseconds(block.now_us()),
          .records = static_cast<std::uint32_t>(block.records()),
          .is_snapshot = block.kind() == static_cast<std::int64_t>(BlockKind::kSnapshot)};
}

}  // namespace

absl::StatusOr<SegmentFile> SegmentFile::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return FileError(path, errno);
  return SegmentFile(descriptor, path);
}

SegmentFile::SegmentFile(int descriptor, const std::string& path) : descriptor_(descriptor) {
  info_.file = path;
  Scan();
}

SegmentFile::SegmentFile(SegmentFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      info_(std::move(other.info_)),
      walked_to_(other.walked_to_) {}

SegmentFile::~SegmentFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void SegmentFile::Scan() {
  info_.size = SizeOf(descriptor_);
  if (!ReadIndex()) Walk();
}

bool SegmentFile::Refresh() {
  if (info_.ended) return false;
  const std::size_t before = info_.blocks.size();
  info_.size = SizeOf(descriptor_);
  // What looked torn may have been under way.
  std::erase_if(info_.damage, [&](const Damage& d) { return d.offset >= walked_to_; });
  Walk();
  return info_.blocks.size() > before;
}

bool SegmentFile::ReadAt(std::uint64_t offset, std::size_t size, std::string& bytes) const {
  if (offset > info_.size || size > info_.size - offset) return false;
  bytes.resize(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(descriptor_, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

void SegmentFile::Note(BlockKind kind, const BlockPlace& place) {
  if (kind == BlockKind::kSnapshot || kind == BlockKind::kChunk) {
    info_.blocks.push_back(place);
    info_.blocks.back().is_snapshot = kind == BlockKind::kSnapshot;
    return;
  }
  if (kind != BlockKind::kHeader) return;
  BlockHeader block;
  std::string content;
  log::v1::Header header;
  if (!Read(place, scan_reader_, block, content) || block.kind != BlockKind::kHeader ||
      !header.ParseFromString(content) || header.format() < 1) {
    return NoteDamage(place.offset, "the header cannot be read");
  }
  if (info_.header.format() != 0) return NoteDamage(place.offset, "a second header");
  info_.header = std::move(header);
}

void SegmentFile::NoteDamage(std::uint64_t offset, std::string what) {
  info_.damage.push_back({.file = info_.file, .offset = offset, .what = std::move(what)});
}

std::optional<log::v1::Index> SegmentFile::IndexAtEnd() {
  std::string magic;
  std::string trailer;
  if (info_.size < kFileMagic.size() + kTrailerSize || !ReadAt(0, kFileMagic.size(), magic) ||
      magic != kFileMagic || !ReadAt(info_.size - kTrailerSize, kTrailerSize, trailer) ||
      !std::string_view(trailer).ends_with(kTrailerMagic)) {
    return std::nullopt;
  }
  std::uint64_t index_offset = 0;
  std::memcpy(&index_offset, trailer.data(), sizeof index_offset);
  if (index_offset >= info_.size) return std::nullopt;
  BlockKind kind{};
  const std::optional<BlockPlace> place = BlockAt(index_offset, kind);
  if (!place || kind != BlockKind::kIndex ||
      place->offset + place->size != info_.size - kTrailerSize) {
    return std::nullopt;
  }
  BlockHeader header;
  std::string content;
  log::v1::Index index;
  if (!Read(*place, scan_reader_, header, content) || !index.ParseFromString(content) ||
      !FillsSegment(index, index_offset)) {
    return std::nullopt;
  }
  return index;
}

bool SegmentFile::ReadIndex() {
  const std::optional<log::v1::Index> index = IndexAtEnd();
  if (!index) return false;
  for (const log::v1::Index::Block& block : index->blocks()) {
    Note(static_cast<BlockKind>(block.kind()), PlaceOf(block));
  }
  info_.ended = true;
  walked_to_ = info_.size;
  return true;
}

// Whether the end names the blocks that were walked past.
bool SegmentFile::EndFits() {
  const std::optional<log::v1::Index> index = IndexAtEnd();
  if (!index || static_cast<std::size_t>(index->blocks_size()) != info_.blocks.size() + 1) {
    return false;
  }
  return std::equal(info_.blocks.begin(), info_.blocks.end(), index->blocks().begin() + 1,
                    [](const BlockPlace& walked, const log::v1::Index::Block& block) {
                      return walked == PlaceOf(block);
                    });
}

// From block to block, without an index.
void SegmentFile::Walk() {
  if (walked_to_ == 0) {
    std::string magic;
    if (!ReadAt(0, kFileMagic.size(), magic) || magic != kFileMagic) {
      NoteDamage(0, "the file does not begin as a segment does");
      if (info_.size < kFileMagic.size()) return;  // More may yet be written.
    }
    walked_to_ = kFileMagic.size();
  }
  while (walked_to_ < info_.size) {
    BlockKind kind{};
    const std::optional<BlockPlace> place = BlockAt(walked_to_, kind);
    if (place) {
      Note(kind, *place);
      walked_to_ = place->offset + place->size;
      continue;
    }
    if (info_.size - walked_to_ == kTrailerSize) {
      std::string trailer;
      ReadAt(walked_to_, kTrailerSize, trailer);
      if (std::string_view(trailer).ends_with(kTrailerMagic)) {
        if (!EndFits()) {
          NoteDamage(walked_to_, "the end of the segment does not fit what stands before it");
        }
        info_.ended = true;
        walked_to_ = info_.size;
        return;
      }
    }
    const std::uint64_t next = NextSoundBlock(walked_to_ + 1);
    if (next == info_.size) {
      NoteDamage(walked_to_, "the last " + std::to_string(info_.size - walked_to_) +
                                 " bytes are torn or damaged");
      return;  // More may yet be written.
    }
    NoteDamage(walked_to_, std::to_string(next - walked_to_) + " bytes are damaged");
    walked_to_ = next;
  }
}

// The whole block that begins there, in all its parts; nothing: there is none that is sound.
std::optional<BlockPlace> SegmentFile::BlockAt(std::uint64_t offset, BlockKind& kind) {
  std::uint64_t at = offset;
  for (bool first = true;; first = false) {
    if (!ReadAt(at, BlockHeader::kSize, header_bytes_)) return std::nullopt;
    const std::optional<BlockHeader> header = ParseBlockHeader(header_bytes_);
    if (!header || header->goes_on == first) return std::nullopt;
    if (!ReadAt(at + BlockHeader::kSize, header->frame_size, frame_) ||
        !ChecksumHolds(header_bytes_, frame_)) {
      return std::nullopt;
    }
    at += BlockHeader::kSize + header->frame_size;
    if (header->kind == BlockKind::kPart) continue;
    kind = header->kind;
    return BlockPlace{.offset = offset,
                      .size = at - offset,
                      .sequence = static_cast<std::uint64_t>(header->sequence),
                      .now = engine::AtMicroseconds(header->now_us),
                      .records = header->records};
  }
}

// The offset of the next sound block at or after that one; without one, the file's size.
std::uint64_t SegmentFile::NextSoundBlock(std::uint64_t offset) {
  constexpr std::size_t kWindow = std::size_t{1} << 20;
  std::string window;
  while (offset < info_.size) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, info_.size - offset));
    if (!ReadAt(offset, size, window)) return info_.size;
    for (std::size_t at = window.find(BlockHeader::kMarker); at != std::string::npos;
         at = window.find(BlockHeader::kMarker, at + 1)) {
      BlockKind kind{};
      if (BlockAt(offset + at, kind)) return offset + at;
    }
    if (size < kWindow) break;
    offset += size - (BlockHeader::kMarker.size() - 1);
  }
  return info_.size;
}

bool SegmentFile::Read(const BlockPlace& place, BlockReader& reader, BlockHeader& header,
                       std::string& content) {
  content.clear();
  const std::uint64_t end = place.offset + place.size;
  for (std::uint64_t at = place.offset; at < end;) {
    if (!ReadAt(at, BlockHeader::kSize, header_bytes_)) return false;
    const std::optional<BlockHeader> parsed = ParseBlockHeader(header_bytes_);
    if (!parsed || parsed->goes_on != (at != place.offset) ||
        content.size() + parsed->content_size > kMaxJoinedContent ||
        !ReadAt(at + BlockHeader::kSize, parsed->frame_size, frame_) ||
        !reader.Read(header_bytes_, frame_, content)) {
      return false;
    }
    at += BlockHeader::kSize + parsed->frame_size;
    if (parsed->kind == BlockKind::kPart) continue;
    header = *parsed;
    return at == end && static_cast<std::uint64_t>(header.sequence) == place.sequence &&
           engine::AtMicroseconds(header.now_us) == place.now;
  }
  return false;
}

}  // namespace blockx::replay
