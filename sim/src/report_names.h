#ifndef BLOCKX_SIM_SRC_REPORT_NAMES_H_
#define BLOCKX_SIM_SRC_REPORT_NAMES_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "blockx/sim/metrics.h"

namespace blockx::sim {

// How the two forms of a report name a gauge: the key in JSON, the words in text.
struct GaugeName {
  Gauge gauge;
  std::string_view key;
  std::string_view words;
};

inline constexpr std::array<GaugeName, 6> kInUse = {{
    {Gauge::kSlots, "slots", "slots"},
    {Gauge::kExecutors, "executors", "executors"},
    {Gauge::kBuilder, "builder", "builder permits"},
    {Gauge::kScan, "scan", "scan permits"},
    {Gauge::kExecutorTasks, "executorTasks", "executor-task permits"},
    {Gauge::kPlugin, "plugin", "plugin permits"},
}};

inline constexpr std::array<GaugeName, 6> kWaiting = {{
    {Gauge::kSlotQueue, "slot", "clients for a slot"},
    {Gauge::kBuilderQueue, "builder", "tasks for a builder permit"},
    {Gauge::kScanQueue, "scan", "tasks for a scan permit"},
    {Gauge::kExecutorTaskQueue, "executorTasks", "tasks for an executor-task permit"},
    {Gauge::kCallQueue, "calls", "calls for an executor"},
    {Gauge::kPluginQueue, "plugin", "tasks for a plugin permit"},
}};

// 16 hexadecimal digits.
std::string DigestText(std::uint64_t digest);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_REPORT_NAMES_H_
