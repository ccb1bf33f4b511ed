#ifndef BLOCKX_SIM_METRICS_H_
#define BLOCKX_SIM_METRICS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "blockx/engine/engine.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/task_result.h"
#include "blockx/engine/time.h"
#include "blockx/sim/histogram.h"
#include "blockx/sim/scenario.h"
#include "blockx/sim/slo.h"
#include "blockx/sim/task_table.h"
#include "blockx/sim/time_weighted.h"

namespace blockx::sim {

inline constexpr std::size_t kLatencySteps = static_cast<std::size_t>(LatencyStep::kWriting) + 1;

// How long a succeeded task was in each step, by LatencyStep. kTotal runs from the client's first
// request to the end, and is the sum of the others:
//   slot           until the task was accepted, refusals and back-offs included
//   activation     until its code was prepared
//   builderPermit  until it was granted
//   building       until the call list, or the start of the stream
//   executors      until the first call was dispatched: scan permit, executor-task permit, and a
//                  place on an executor (no calls: until the phase was over)
//   calls          until the last call was done
//   pluginPermit   until it was granted; without writer 0
//   writing        until the end; without writer 0
using StepDurations = std::array<engine::Duration, kLatencySteps>;

[[nodiscard]] StepDurations StepsOf(const Task& task, const engine::StepTimes& times);

// A level of the whole fleet over time. First what is in use, then who waits for it.
enum class Gauge : std::uint8_t {
  kSlots,      // Allocated or running.
  kExecutors,  // Places that calls occupy.
  kBuilder,    // Permits granted, as are the next three.
  kScan,
  kExecutorTasks,
  kPlugin,
  kSlotQueue,     // Clients that were refused and will come back.
  kBuilderQueue,  // Tasks that wait for a permit, as are the next two.
  kScanQueue,
  kExecutorTaskQueue,
  kCallQueue,  // Calls that could start and find no place or no room in their window.
  kPluginQueue
};
inline constexpr std::size_t kGauges = static_cast<std::size_t>(Gauge::kPluginQueue) + 1;

using Levels = std::array<std::int64_t, kGauges>;

// Of one Worker; kSlotQueue, which is the clients', is 0.
[[nodiscard]] Levels LevelsOf(const engine::Load& load);

// Counts of tasks that arrived after the warm-up.
struct TaskCounts {
  std::int64_t arrived = 0;
  std::int64_t admitted = 0;
  std::int64_t refused = 0;  // For good.
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t retried_requests = 0;  // Attempts to get a task accepted beyond its first.
  std::int64_t warmup = 0;            // Arrived before, and counted nowhere else.
  std::map<std::string, std::int64_t, std::less<>> refused_by;  // By error code.
  std::map<std::string, std::int64_t, std::less<>> failed_by;   // By failure code.
};

class CsvWriter;

// What a run measures: counts, latencies of tasks that succeeded, levels over time. Nothing is kept
// for a task that has ended, so memory does not grow with their number. The levels are those that
// hold between two instants; what changes back within one microsecond is not seen.
class Metrics {
 public:
  // With `tables`, which must outlive it, each task and the levels are written out as well.
  explicit Metrics(const Scenario& scenario, CsvWriter* tables = nullptr);

  // The sources' clocks start. Levels count from the end of the warm-up.
  void Start(engine::Instant now);

  void OnArrived(const Task& task);
  void OnAdmitted(const Task& task, engine::Instant now);
  // Refused, and the client will come back.
  void OnBackoff(const Task& task, engine::Instant now);
  void OnRefused(const Task& task, engine::ErrorCode code, engine::Instant now);
  void OnEnded(const Task& task, const engine::TaskResult& result);

  // Virtual time goes on from `now`, at which the given worker's load has become `load`.
  void SetLoad(std::uint32_t worker, const engine::Load& load, engine::Instant now);
  // The next instant at which anything happens; no load changes in between.
  void AdvanceTo(engine::Instant next);

  [[nodiscard]] const TaskCounts& counts() const { return counts_; }
  // All tasks, those of the warm-up too.
  [[nodiscard]] std::int64_t arrived() const { return counts_.arrived + counts_.warmup; }
  [[nodiscard]] const Histogram& latency(LatencyStep step) const {
    return latencies_[static_cast<std::size_t>(step)];
  }
  [[nodiscard]] const TimeWeighted& level(Gauge gauge) const {
    return levels_[static_cast<std::size_t>(gauge)];
  }

 private:
  void Change(Gauge gauge, std::int64_t change, engine::Instant now);

  engine::Duration warmup_;
  CsvWriter* tables_;
  TaskCounts counts_;
  std::array<Histogram, kLatencySteps> latencies_;
  std::array<TimeWeighted, kGauges> levels_;
  std::vector<Levels> loads_;  // By worker; kSlotQueue is the fleet's and stays 0 here.
  engine::Instant warm_at_ = engine::Instant::max();  // Until then levels are not yet measured.
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_METRICS_H_
