// Snapshots as a block's content: the bytes of a log.v1.Snapshot, which may be many.
#ifndef BLOCKX_REPLAY_SRC_SNAPSHOT_BLOCK_H_
#define BLOCKX_REPLAY_SRC_SNAPSHOT_BLOCK_H_

#include <optional>
#include <string>
#include <string_view>

#include "block.h"
#include "blockx/replay/log_reader.h"

namespace blockx::replay {

BlockHeader SnapshotHeader(const LogSnapshot& snapshot);
std::string SnapshotContent(const LogSnapshot& snapshot);
std::optional<LogSnapshot> ParseSnapshot(const BlockHeader& header, std::string_view content);

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_SNAPSHOT_BLOCK_H_
