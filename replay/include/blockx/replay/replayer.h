#ifndef BLOCKX_REPLAY_REPLAYER_H_
#define BLOCKX_REPLAY_REPLAYER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "blockx/engine/config.h"
#include "blockx/engine/driver.h"
#include "blockx/engine/engine.h"
#include "blockx/engine/time.h"
#include "blockx/replay/log_reader.h"

namespace blockx::replay {

// Plays a log's records into an engine of this build, one after the other, and goes to any moment
// of it. A moment is named by the sequence number of the last record that led to it. It carries
// nothing out. One thread at a time.
class Replayer {
 public:
  // `path`: a log's folder, or one segment. `config`: in place of the recorded one; what comes out
  // is then not compared with what was recorded. NotFound, PermissionDenied, DataLoss: there is no
  // log, or not even its beginning can be read.
  static absl::StatusOr<std::unique_ptr<Replayer>> Open(
      const std::string& path, std::optional<engine::Config> config = std::nullopt);
  virtual ~Replayer() = default;

  // The log's first moment (before its first record; 0 when it was recorded from the start on) and
  // its last.
  [[nodiscard]] virtual std::uint64_t first() const = 0;
  [[nodiscard]] virtual std::uint64_t last() const = 0;

  // The present moment.
  [[nodiscard]] virtual std::uint64_t sequence() const = 0;
  [[nodiscard]] virtual std::uint64_t digest() const = 0;
  [[nodiscard]] virtual engine::Instant now() const = 0;
  // Stays where it is, whatever moment is gone to.
  [[nodiscard]] virtual const engine::Engine& engine() const = 0;

  // Plays the next record; `observer` sees the step, with the engine after it. False: at the end.
  // DataLoss: what comes next is damaged. FailedPrecondition: this engine decided otherwise than
  // the recorded one; it stands after that step, and goes on if asked to.
  virtual absl::StatusOr<bool> Next(engine::StepObserver* observer = nullptr) = 0;

  // After DataLoss: makes the next moment the present one from which the log can be played. False:
  // there is none.
  virtual bool SkipDamage() = 0;

  // What Next played last; it borrows from the log.
  [[nodiscard]] virtual const Record& record() const = 0;
  [[nodiscard]] virtual LogReader& log() = 0;

  // Makes the state of a snapshot of this log the present one.
  virtual absl::Status Restore(const LogSnapshot& snapshot) = 0;
  // Makes the moment after that record the present one, from the nearest snapshot before it or from
  // here. Precondition: first() <= sequence <= last().
  virtual absl::Status Goto(std::uint64_t sequence) = 0;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_REPLAYER_H_
