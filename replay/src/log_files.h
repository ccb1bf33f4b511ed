// Where a log's segments are.
#ifndef BLOCKX_REPLAY_SRC_LOG_FILES_H_
#define BLOCKX_REPLAY_SRC_LOG_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace blockx::replay {

// The name of the segment that begins after that record; names sort as their segments do.
std::string SegmentFileName(std::uint64_t sequence);

// The segments of a folder in their order, or the one file that the path names.
absl::StatusOr<std::vector<std::string>> SegmentFilesOf(const std::string& path);

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_LOG_FILES_H_
