#ifndef BLOCKX_SIM_SIMULATION_H_
#define BLOCKX_SIM_SIMULATION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockx/engine/driver.h"
#include "blockx/engine/time.h"
#include "blockx/sim/client.h"
#include "blockx/sim/coordinator.h"
#include "blockx/sim/csv_writer.h"
#include "blockx/sim/event_queue.h"
#include "blockx/sim/fleet.h"
#include "blockx/sim/metrics.h"
#include "blockx/sim/report.h"
#include "blockx/sim/scenario.h"
#include "blockx/sim/task_table.h"
#include "blockx/sim/worker_world.h"

namespace blockx::sim {

struct SimulationOptions {
  bool check_invariants = false;  // After each step of each engine: slow, for tests.
  std::string csv_directory{};    // Empty: no tables.
  // Gives each Worker's driver an observer before its first step; it must outlive the simulation.
  // Null, or a null observer: none. Not together with check_invariants.
  std::function<engine::StepObserver*(std::uint32_t worker, const engine::Driver& driver)> observe{};
};

// Why a run cannot go on.
struct RunError {
  // kOutput: the tables could not be written. kInternal: an invariant did not hold.
  enum class Cause { kInput, kOutput, kInternal };
  Cause cause = Cause::kInput;
  std::string message;
};

// One run of a scenario. At virtual time 0 the Workers start; the sources' clocks start when the
// first heartbeat of every Worker is in the registry, at the latest after ten minutes, and warm-up,
// `until` and all times in results count from there. The run ends when all sources have ended and
// the client of every task knows its end, or at `until`. It depends on the scenario alone, and ends
// at the same state however it is cut into pieces. One thread at a time.
class Simulation {
 public:
  // Precondition: the scenario came from the reader, or is as sound as if.
  explicit Simulation(Scenario scenario, SimulationOptions options = {});
  ~Simulation();

  // Handles up to so many dues. An error is final.
  std::optional<RunError> Advance(std::int64_t dues);
  // To the end.
  [[nodiscard]] std::optional<RunError> Run();

  [[nodiscard]] bool ended() const { return ended_; }
  // Since the sources' start.
  [[nodiscard]] engine::Duration elapsed() const;
  [[nodiscard]] std::int64_t tasks_arrived() const { return metrics_.arrived(); }

  // What was measured so far.
  [[nodiscard]] Report MakeReport() const;

  // Records that live at the moment, of tasks and calls: what memory follows.
  [[nodiscard]] std::size_t record_capacity() const { return tasks_.capacity(); }
  [[nodiscard]] const Fleet& fleet() const { return fleet_; }
  [[nodiscard]] const Metrics& metrics() const { return metrics_; }

 private:
  class Ears;

  void Step(const Due& due);
  void StartSources();
  void Publish(std::uint32_t worker);
  void Touch(std::uint32_t worker);
  void SetTicks();
  void CloseInstant(engine::Instant next);
  void End(engine::Instant at);
  void FindProblem();
  std::unique_ptr<CsvWriter> OpenTables(const std::string& directory);
  [[nodiscard]] std::uint64_t Digest(const Report& report) const;

  std::optional<RunError> error_;
  Scenario scenario_;
  std::unique_ptr<CsvWriter> csv_;  // Null: no tables.

  EventQueue queue_;
  TaskTable tasks_;
  Coordinator coordinator_;
  Metrics metrics_;
  std::unique_ptr<Ears> ears_;
  std::vector<InvariantWatch> watches_;  // By worker; empty: nothing is checked.
  Fleet fleet_;
  Clients clients_;

  std::optional<engine::Instant> start_;  // Of the sources.
  engine::Instant horizon_ = engine::Instant::max();
  bool ended_ = false;
  engine::Instant instant_ = engine::AtMicroseconds(0);  // The present one.
  std::vector<std::uint32_t> touched_;                   // Workers with steps at it.
  std::vector<std::uint32_t> without_tick_;  // Workers with steps since their Tick was set.
  // By worker, whether it is in the two; bytes, as they are asked at each step.
  std::vector<std::uint8_t> is_touched_;
  std::vector<std::uint8_t> is_without_tick_;
  std::vector<bool> is_registered_;
  std::int64_t returns_at_once_ = 0;  // Ticks and returning clients at it.
  std::int64_t watch_notifications_ = 0;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SIMULATION_H_
