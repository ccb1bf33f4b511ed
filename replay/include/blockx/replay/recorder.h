#ifndef BLOCKX_REPLAY_RECORDER_H_
#define BLOCKX_REPLAY_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "blockx/engine/driver.h"
#include "blockx/proto/segment.pb.h"
#include "blockx/replay/convert.h"
#include "blockx/replay/log_writer.h"

namespace blockx::replay {

struct RecorderOptions {
  std::string folder;
  log::v1::World::Value world = log::v1::World::PRODUCTION;
  std::string engine_version;
  std::string worker;
  std::string host;
  std::int64_t recorded_at_us = 0;  // The wall clock; 0 where there is none.
  PayloadMode payloads = PayloadMode::kDigest;
  bool outputs = false;  // Record replies and commands too, not only their digest.
  LogLimits limits{};

  // A snapshot every so many records, or when that many bytes of them lie between: they cost the
  // engine's thread a walk over its state.
  std::uint64_t snapshot_records = 65'536;
  std::size_t snapshot_bytes = std::size_t{64} << 20;

  // What may wait for the disk, before compression.
  std::size_t queue_bytes = std::size_t{64} << 20;
  // When that is not enough: end the recording (an engine in production never waits), or wait (a
  // simulation has the time).
  enum class WhenFull { kEnd, kWait };
  WhenFull when_full = WhenFull::kEnd;
};

// Records a driver's steps as a log. Steps come on the driver's thread and are only encoded there;
// a thread of its own compresses and writes. A full queue or disk ends the recording at a whole
// block, and the driver goes on: see ended_because().
class Recorder final : public engine::StepObserver {
 public:
  // Begins with a snapshot of the driver's present state. The driver must outlive the recorder, or
  // be told to stop telling it: it is not attached here (Driver::SetObserver).
  static absl::StatusOr<std::unique_ptr<Recorder>> Begin(RecorderOptions options,
                                                         const engine::Driver& driver);
  ~Recorder() override;  // Ends it.

  void OnStep(const engine::Step& step) override;

  // Hands over what was gathered so far: a crash then loses nothing that came before.
  void Flush();
  // Writes what was gathered and ends the log with its index. Again: the same answer.
  absl::Status End();

  // Any thread may ask. Empty while it records, and after an End that went well.
  [[nodiscard]] std::string ended_because() const;
  [[nodiscard]] LogStats stats() const;

 private:
  class Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_RECORDER_H_
