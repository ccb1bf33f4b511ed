// What the commands of blockx-replay share.
#ifndef BLOCKX_TOOLS_REPLAY_COMMON_H_
#define BLOCKX_TOOLS_REPLAY_COMMON_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "blockx/engine/config.h"
#include "blockx/replay/log_reader.h"
#include "blockx/replay/replayer.h"

namespace blockx::tools {

// What blockx-replay tells its caller.
enum ReplayExit : int {
  kSame = 0,
  kDiffers = 1,  // a divergence, a difference, a broken invariant
  kBadUse = 2,   // bad input or usage; no log there
  kLost = 3,     // recover: something was lost
  kDamaged = 4,  // damage, and what could be read was verified
  kFailed = 5,   // a file that could not be written
};

// On stderr, one line.
void Complain(std::string_view text);
// kBadUse, kDamaged or kFailed, by the status's code.
int ExitCodeOf(const absl::Status& status);
int ComplainOf(const absl::Status& status);

// One line for each thing that is damaged, and for each segment that was not ended.
void PrintDamage(const replay::LogReader& log, std::FILE* out);
// The same as out["damage"] and out["notEnded"].
void AddDamage(const replay::LogReader& log, nlohmann::ordered_json& out);
void PrintJson(const nlohmann::ordered_json& json);

// A moment that a user names: a record's sequence number ("1200"), a time since the log's start
// ("+1.5s"), or an instant ("2026-12-05T15:00:00.25Z", "1700000000000000us"). A time stands for the
// last record that is not later (kUpTo), or for the first that is not earlier (kFrom). Nothing:
// Complain was called.
enum class Bound { kUpTo, kFrom };
std::optional<std::uint64_t> ParseMoment(std::string_view text, replay::LogReader& log,
                                         Bound bound = Bound::kUpTo);

// The instant of the log's first snapshot, from which "+1.5s" counts; in a simulation 0.
engine::Instant StartOf(replay::LogReader& log);

// Which records a command is about. Empty members: all.
struct RecordFilter {
  std::string task;
  std::string from;
  std::string to;
  std::vector<std::string> kinds;
};
void AddFilterOptions(CLI::App& command, RecordFilter& filter);
// All but --kind.
void AddSpanOptions(CLI::App& command, RecordFilter& filter);

// The recorded configuration with fields changed ("worker.taskSlots=100"). Nothing: Complain was
// called.
std::optional<engine::Config> ChangedConfig(const replay::LogReader& log,
                                            const std::vector<std::string>& changes);

// A line on a terminal's stderr, written over and over, for what takes longer than a second.
class ReplayProgress {
 public:
  ReplayProgress(std::uint64_t first, std::uint64_t last);
  ~ReplayProgress();
  ReplayProgress(const ReplayProgress&) = delete;
  ReplayProgress& operator=(const ReplayProgress&) = delete;
  // Cheap: looks at the clock now and then only.
  void At(std::uint64_t sequence) {
    if ((sequence & 0xFFFF) == 0) Show(sequence);
  }

 private:
  void Show(std::uint64_t sequence);

  std::uint64_t first_;
  std::uint64_t last_;
  double began_;
  double shown_ = 0;
};

// The event's name in the text form, by its index in engine::Event.
std::string_view EventName(std::size_t index);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_COMMON_H_
