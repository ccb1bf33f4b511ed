#ifndef BLOCKX_SIM_FAKE_PHASES_H_
#define BLOCKX_SIM_FAKE_PHASES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "blockx/engine/driver.h"
#include "blockx/engine/events.h"
#include "blockx/engine/time.h"
#include "blockx/sim/event_queue.h"
#include "blockx/sim/random.h"
#include "blockx/sim/scenario.h"
#include "blockx/sim/task_table.h"

namespace blockx::sim {

// The functions that simulated calls and subcalls name.
inline constexpr std::string_view kCallFunction = "call";
inline constexpr std::string_view kSubcallFunction = "subcall";

// Activations, builders (of lists and of streams) and writers of one Worker. At most one of them
// works for a task at a time. Every method takes the number of the task.
class FakePhases {
 public:
  FakePhases(const Scenario& scenario, std::uint32_t worker, EventQueue& queue, TaskTable& tasks);

  void PrepareActivation(std::uint32_t task, engine::Instant now);
  void StartBuilder(std::uint32_t task, engine::Instant now);
  void StartStream(std::uint32_t task, engine::Instant now);
  void PauseStream(std::uint32_t task);
  void ResumeStream(std::uint32_t task, engine::Instant now);
  void StartWriter(std::uint32_t task, engine::Instant now);
  // Its task has ended: what still works for it stops after its cancel latency, at the latest after
  // phaseIoTimeoutMs, unless it is done before.
  void Cancel(std::uint32_t task, engine::Instant now);

  // Makes the report of a kWork due (index: task, stamp: the task's), unless it was called off.
  void Report(const Due& due, engine::Driver& driver);

 private:
  [[nodiscard]] Key KeyOf(const Task& task, Choice choice, std::uint64_t n = 0) const {
    return {seed_, task.entity, choice, n};
  }
  void Begin(std::uint32_t task, Work work, engine::Instant reports_at);
  void NextBatch(std::uint32_t task, engine::Instant now);
  std::span<const engine::CallSpec> MakeCalls(const Task& task, std::int64_t first,
                                              std::int64_t count);
  [[nodiscard]] std::int64_t CallCountOf(const Task& task) const;

  void ReportActivation(const Task& task, engine::Driver& driver, engine::Instant now);
  void ReportBuilder(const Task& task, engine::Driver& driver, engine::Instant now);
  void ReportStream(std::uint32_t index, engine::Driver& driver, engine::Instant now);
  void ReportWriter(const Task& task, engine::Driver& driver, engine::Instant now);

  std::uint64_t seed_;
  std::uint32_t worker_;
  engine::Duration io_timeout_;
  std::int64_t most_calls_;  // Of one task.
  EventQueue& queue_;
  TaskTable& tasks_;
  std::vector<engine::CallSpec> calls_;  // Reused for each report.
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_FAKE_PHASES_H_
