#ifndef BLOCKX_SIM_FLEET_H_
#define BLOCKX_SIM_FLEET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockx/engine/driver.h"
#include "blockx/engine/engine.h"
#include "blockx/sim/event_queue.h"
#include "blockx/sim/scenario.h"
#include "blockx/sim/task_table.h"
#include "blockx/sim/worker_world.h"

namespace blockx::sim {

// Checks the invariants of an engine after each of its steps.
class InvariantWatch final : public engine::StepObserver {
 public:
  void Observe(const engine::Driver& driver) { driver_ = &driver; }
  void OnStep(const engine::Step& step) override;
  // The first invariant that did not hold, and at which step.
  [[nodiscard]] const std::optional<std::string>& broken() const { return broken_; }

 private:
  const engine::Driver* driver_ = nullptr;
  std::optional<std::string> broken_;
};

// A Worker: the production engine behind the production driver, in a world of its own.
struct Worker {
  // Checked when `watch` is not null.
  Worker(const Scenario& scenario, std::uint32_t number, EventQueue& queue, TaskTable& tasks,
         WorldListener& listener, InvariantWatch* watch)
      : world(scenario, number, queue, tasks, listener),
        driver(engine::Engine(scenario.config), world, watch) {
    if (watch != nullptr) watch->Observe(driver);
  }
  Worker(const Worker&) = delete;  // The driver refers to the world.
  Worker& operator=(const Worker&) = delete;

  WorkerWorld world;
  engine::Driver driver;
};

using Fleet = std::vector<std::unique_ptr<Worker>>;

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_FLEET_H_
