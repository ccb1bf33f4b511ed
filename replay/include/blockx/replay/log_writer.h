#ifndef BLOCKX_REPLAY_LOG_WRITER_H_
#define BLOCKX_REPLAY_LOG_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "blockx/engine/time.h"
#include "blockx/proto/segment.pb.h"
#include "blockx/replay/convert.h"
#include "blockx/replay/log_reader.h"

namespace blockx::replay {

// How a log lies on the disk. Segments change at snapshots only, since each begins with one.
struct LogLimits {
  std::int64_t segment_bytes = std::int64_t{256} << 20;  // A larger segment is ended.
  // A segment that spans more time, by its records' clock, is ended.
  engine::Duration segment_age = engine::Duration::max();
  std::int64_t retained_bytes = 0;  // Above that the oldest segments are deleted; 0: never.
};

struct LogStats {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // Written, deleted segments included.
  std::uint64_t segments = 0;
};

// Writes a log's segments into a folder of their own, at once and on the caller's thread. The
// folder is made for the owner alone (0700), files too (0600). After an error of the disk nothing
// more is written; what stands there then ends with a whole block.
class LogWriter {
 public:
  // AlreadyExists: the folder has segments. `header`: what all segments begin with; format and
  // number are set here.
  static absl::StatusOr<std::unique_ptr<LogWriter>> Create(const std::string& folder,
                                                           log::v1::Header header,
                                                           const LogLimits& limits = {});
  ~LogWriter();

  // First comes a snapshot. Later ones make seeking quick, and are where segments may change. One
  // that lies after the next record begins a segment that says how many records were lost before
  // it. InvalidArgument: it lies before the last record.
  absl::Status AddSnapshot(const LogSnapshot& snapshot);
  // Gathers it; a block is written when it is worth one. FailedPrecondition: there is no snapshot
  // yet. InvalidArgument: it does not follow the last record.
  absl::Status AddRecord(const Record& record);
  // Ends the segment with its index.
  absl::Status Close();

  [[nodiscard]] const LogStats& stats() const;

  // A block made elsewhere, for Recorder.
  class Impl;
  Impl& impl() { return *impl_; }

 private:
  explicit LogWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_LOG_WRITER_H_
