// Histories of real engines, recorded as logs and kept beside them to compare with.
#ifndef BLOCKX_TESTS_REPLAY_RECORDING_H_
#define BLOCKX_TESTS_REPLAY_RECORDING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "blockx/engine/config.h"
#include "blockx/engine/driver.h"
#include "blockx/engine/events.h"
#include "blockx/engine/time.h"
#include "blockx/proto/segment.pb.h"
#include "blockx/replay/log_reader.h"
#include "blockx/replay/log_writer.h"
#include "blockx/replay/recorder.h"
#include "blockx/replay/replayer.h"

namespace blockx::replay {

// Removed at the end, with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path(const std::string& name = "log") const;

 private:
  std::string path_;
};

// The i-th number of a fixed sequence.
std::uint64_t NumberAt(std::uint64_t seed, std::uint64_t i);

// Covers every field of the event, payloads by size and fingerprint.
std::uint64_t DigestOf(const engine::Event& event);

// A step as it was when it happened.
struct PlayedStep {
  std::uint64_t sequence = 0;
  engine::Instant now{};
  std::uint64_t event = 0;  // DigestOf.
  std::uint64_t digest = 0;
  std::uint64_t state = 0;  // The engine's state digest after it.
  log::v1::Line line;       // All of it, with every payload's bytes.
};
using PlayedSteps = std::vector<PlayedStep>;

// A random history that is the same each time, with each kind of event, reply and command in it.
inline constexpr std::size_t kSteps = 800;
engine::Config HistoryConfig();

class SilentWorld final : public engine::World {
 public:
  void Carry(const engine::Command& /*command*/, engine::Instant /*now*/) override {}
};

// Plays the first `steps` steps of it into an engine; `observer`, which may be null, sees them too.
PlayedSteps Play(engine::Driver& driver, engine::StepObserver* observer,
                 std::size_t steps = kSteps);

// A recording for tests: small spans between snapshots, and no record may be lost.
RecorderOptions In(std::string folder);
// The history, recorded.
PlayedSteps MakeLog(RecorderOptions options, std::size_t steps = kSteps);

// All that a log says, in order: what Next found, with the records and the sound snapshots.
struct ReadLog {
  std::vector<PlayedStep> records;  // Without state and line.
  std::vector<LogSnapshot> snapshots;
  std::vector<LogReader::Found> found;
};
ReadLog ReadAll(LogReader& log);
// Opens it, which must succeed.
std::unique_ptr<LogReader> OpenLog(const std::string& path);

// How many of the steps the records repeat, from the first on, before one differs.
std::size_t SameFromStart(const std::vector<PlayedStep>& records, const PlayedSteps& steps);

// Replays a log from where it stands to its end and compares each snapshot's state: how many
// records were verified.
absl::StatusOr<std::uint64_t> Verify(Replayer& replayer);
absl::StatusOr<std::uint64_t> Verify(const std::string& path);

// A log as the lines of its text form, without their ends.
std::vector<std::string> TextLines(const std::string& path);

std::string FileText(const std::string& path);
void WriteFile(const std::string& path, const std::string& text);
// The names of the files in a folder, sorted.
std::vector<std::string> FilesIn(const std::string& folder);
// The only segment of a log.
std::string OnlySegment(const std::string& folder);

}  // namespace blockx::replay

#endif  // BLOCKX_TESTS_REPLAY_RECORDING_H_
