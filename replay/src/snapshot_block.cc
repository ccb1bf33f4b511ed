#include "snapshot_block.h"

#include "wire.h"

namespace blockx::replay {

BlockHeader SnapshotHeader(const LogSnapshot& snapshot) {
  return {.kind = BlockKind::kSnapshot,
          .sequence = static_cast<std::int64_t>(snapshot.sequence),
          .now_us = engine::ToMicroseconds(snapshot.now)};
}

std::string SnapshotContent(const LogSnapshot& snapshot) {
  std::string content;
  content.reserve(snapshot.state.size() + 64);
  WireWriter wire(content);
  wire.Number(1, static_cast<std::int64_t>(snapshot.sequence));
  wire.Fixed64(2, snapshot.digest);
  wire.Fixed64(3, snapshot.state_digest);
  wire.Text(4, snapshot.state);
  return content;
}

std::optional<LogSnapshot> ParseSnapshot(const BlockHeader& header, std::string_view content) {
  LogSnapshot snapshot;
  snapshot.now = engine::AtMicroseconds(header.now_us);
  WireReader wire(content);
  std::int64_t sequence = 0;
  std::string_view state;
  wire.Number(1, sequence);
  wire.Fixed64(2, snapshot.digest);
  wire.Fixed64(3, snapshot.state_digest);
  wire.Text(4, state);
  if (!wire.ok() || !wire.at_end() || sequence != header.sequence) return std::nullopt;
  snapshot.sequence = static_cast<std::uint64_t>(sequence);
  snapshot.state = state;
  return snapshot;
}

}  // namespace blockx::replay
