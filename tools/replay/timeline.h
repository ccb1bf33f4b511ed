// A log over time: what the forms that table or draw it have in common.
#ifndef BLOCKX_TOOLS_REPLAY_TIMELINE_H_
#define BLOCKX_TOOLS_REPLAY_TIMELINE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/config.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/names.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/task_result.h"
#include "blockx/engine/time.h"
#include "blockx/replay/history.h"
#include "blockx/replay/replayer.h"
#include "blockx/sim/metrics.h"
#include "common.h"

namespace blockx::tools {

// Where a task can be, in this order; named as in the simulator's report.
enum class TaskStep : std::uint8_t {
  kSlot,
  kActivation,
  kBuilderPermit,
  kBuilding,
  kExecutors,
  kCalls,
  kPluginPermit,
  kWriting,
};
inline constexpr std::array<std::string_view, 8> kStepWords = {
    "waiting for a slot",    "activation", "waiting for builder permit", "building",
    "waiting for executors", "calls",      "waiting for plugin permit",  "writing"};

struct StepSpan {
  TaskStep step{};
  engine::Instant begin{};
  engine::Instant end = engine::kNever;  // kNever: as far as the log tells, it is still there.
};

// How it stands at the end of the log. kUnknown: it ended among lost records.
enum class RunState : std::uint8_t { kRunning, kSucceeded, kFailed, kUnknown };

// As the text form names them (docs/text-form.md).
[[nodiscard]] std::string_view NameOf(RunState state);
[[nodiscard]] std::string_view NameOf(replay::RequestHistory::Kind kind);

// What overlaps on one slot or executor stands in lanes of it, counted from 0.
using Lane = std::size_t;

// `begin` and `end` are what is drawn: an unknown beginning is that of the log, or of what can be
// read after a damage; an unknown end is the next of those.
struct TimelineRun {
  const replay::TaskHistory* task = nullptr;
  const replay::RunHistory* run = nullptr;
  std::optional<engine::SlotIndex> slot;  // Nothing: it was taken before the log.
  Lane lane = 0;
  RunState state = RunState::kRunning;
  engine::TaskResult result;  // Not ended: its times and counts so far, as far as the log tells.
  engine::Instant requested = engine::kNever;  // The first of the requests that led to it.
  // Of its first call. It was built before the log: its executor-task permit stands for that.
  engine::Instant first_dispatch = engine::kNever;
  replay::Moment begin;
  replay::Moment end;
};

// A slot that is held for a task, until it is submitted or the lease is over.
struct TimelineLease {
  std::string task_id;
  engine::SlotIndex slot{};
  Lane lane = 0;
  engine::Instant expires_at{};
  bool expired = false;
  replay::Moment begin;
  replay::Moment end;
};

// Who had a slot when someone was refused one.
struct SlotHolder {
  std::string_view task_id;
  std::optional<engine::SlotIndex> slot;
  Lane lane = 0;
};
inline constexpr std::size_t kMostHolders = 8;

struct TimelineRefusal {
  const replay::TaskHistory* task = nullptr;
  const replay::RequestHistory* request = nullptr;
  // NO_SLOT: those kMostHolders that had one the longest, of so many.
  std::vector<SlotHolder> holders;
  std::size_t holder_count = 0;
};

struct TimelineAttempt {
  std::size_t run = 0;  // In Timeline::runs.
  std::size_t call = 0;
  std::size_t attempt = 0;
  Lane lane = 0;
  bool lost = false;  // Its end is among lost records.
  replay::Moment begin;
  replay::Moment end;
};

struct TimelineLife {
  const replay::ExecutorHistory* executor = nullptr;
  Lane lane = 0;
  replay::Moment begin;
  replay::Moment end;
};

// The last record before lost ones, and the first one behind them.
struct LostRecords {
  replay::Moment before;
  replay::Moment behind;
};

// A level over time: what holds from an instant on. What changes back within one microsecond is
// not seen.
struct LevelPoint {
  engine::Instant at{};
  std::int64_t level = 0;
};
struct GaugeName {
  sim::Gauge gauge{};
  std::string_view key;
  std::string_view words;
  bool waits;  // A queue, which has no capacity.
};
inline constexpr std::array<GaugeName, 11> kGaugeNames = {{
    {sim::Gauge::kSlots, "slots", "slots", false},
    {sim::Gauge::kExecutors, "executors", "executors", false},
    {sim::Gauge::kBuilder, "builder", "builder permits", false},
    {sim::Gauge::kScan, "scan", "scan permits", false},
    {sim::Gauge::kExecutorTasks, "executorTasks", "executor-task permits", false},
    {sim::Gauge::kPlugin, "plugin", "plugin permits", false},
    {sim::Gauge::kBuilderQueue, "builderQueue", "tasks for a builder permit", true},
    {sim::Gauge::kScanQueue, "scanQueue", "tasks for a scan permit", true},
    {sim::Gauge::kExecutorTaskQueue, "executorTaskQueue", "tasks for an executor-task permit",
     true},
    {sim::Gauge::kCallQueue, "callQueue", "calls for an executor", true},
    {sim::Gauge::kPluginQueue, "pluginQueue", "tasks for a plugin permit", true},
}};
struct GaugeSeries {
  std::int64_t capacity = 0;  // 0: none
  std::vector<LevelPoint> points;
};

struct Timeline {
  std::unique_ptr<replay::History> history;
  engine::Config config;
  std::string worker;
  bool simulated = false;

  engine::Instant zero{};                  // Times are told since then: the log's start.
  engine::Instant first = engine::kNever;  // What is shown.
  replay::Moment last;
  bool one_task = false;  // Other tasks were left out.

  // Each in order of its beginning.
  std::vector<TimelineRun> runs;
  std::vector<TimelineLease> leases;
  std::vector<TimelineRefusal> refusals;
  std::vector<TimelineAttempt> attempts;
  std::vector<TimelineLife> lives;
  std::vector<LostRecords> gaps;
  std::array<GaugeSeries, kGaugeNames.size()> gauges;

  [[nodiscard]] std::int64_t SinceZero(engine::Instant at) const {
    return engine::Elapsed(zero, at).count();
  }
};

[[nodiscard]] const replay::AttemptHistory& AttemptOf(const Timeline& timeline,
                                                      const TimelineAttempt& line);
// How it ended, in words.
[[nodiscard]] std::string_view OutcomeOf(const Timeline& timeline, const TimelineAttempt& line);

// The steps that a run was in, one after the other, from the first one that the log knows of.
[[nodiscard]] std::vector<StepSpan> StepsOf(const TimelineRun& run);

// Replays the log up to the end of the filter's span. Of tasks and executors that touch the span,
// or of the one task, all is told; levels within the span only. Damage and divergence are
// complained of and stepped over; `exit_code` says so. Nothing: `exit_code` says why, and Complain
// was called.
std::optional<Timeline> GatherTimeline(replay::Replayer& replayer, const RecordFilter& filter,
                                       int& exit_code);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_TIMELINE_H_
