#ifndef BLOCKX_REPLAY_SRC_SEGMENT_FILE_H_
#define BLOCKX_REPLAY_SRC_SEGMENT_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "block.h"
#include "blockx/replay/log_reader.h"

namespace blockx::replay {

// One segment's file: finds its blocks and reads them.
class SegmentFile {
 public:
  static absl::StatusOr<SegmentFile> Open(const std::string& path);
  SegmentFile(SegmentFile&& other) noexcept;
  SegmentFile& operator=(SegmentFile&&) = delete;
  ~SegmentFile();

  [[nodiscard]] const SegmentInfo& info() const { return info_; }

  // Looks for what was written since. True: there are new blocks.
  bool Refresh();

  // Reads a block's content in all its parts. False: it is damaged.
  bool Read(const BlockPlace& place, BlockReader& reader, BlockHeader& header,
            std::string& content);

 private:
  explicit SegmentFile(int descriptor, const std::string& path);

  void Scan();
  [[nodiscard]] std::optional<log::v1::Index> IndexAtEnd();
  bool ReadIndex();
  [[nodiscard]] bool EndFits();
  void Walk();
  [[nodiscard]] std::optional<BlockPlace> BlockAt(std::uint64_t offset, BlockKind& kind);
  [[nodiscard]] std::uint64_t NextSoundBlock(std::uint64_t offset);
  void Note(BlockKind kind, const BlockPlace& place);
  void NoteDamage(std::uint64_t offset, std::string what);
  bool ReadAt(std::uint64_t offset, std::size_t size, std::string& bytes) const;

  int descriptor_ = -1;
  SegmentInfo info_;
  std::uint64_t walked_to_ = 0;
  BlockReader scan_reader_;
  std::string header_bytes_;  // Reused.
  std::string frame_;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_SEGMENT_FILE_H_
