#ifndef BLOCKX_SIM_COORDINATOR_H_
#define BLOCKX_SIM_COORDINATOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "blockx/engine/engine.h"
#include "blockx/sim/indexed_min.h"
#include "blockx/sim/scenario.h"

namespace blockx::sim {

// Picks a Worker for each task from what the registry holds: the last heartbeat of each registered
// Worker, as old as it may be. A Worker without a free slot in that view is still picked when none
// looks better: only the Worker itself says that it has no slot.
class Coordinator {
 public:
  Coordinator(CoordinatorPolicy policy, std::uint64_t seed, std::size_t workers);

  // A heartbeat reaches the registry; the first one makes the Worker known.
  void Publish(std::uint32_t worker, const engine::Heartbeat& heartbeat);
  // The Worker took its entry out of the registry.
  void Withdraw(std::uint32_t worker);

  // For a client's how-many-th attempt (from 1) for a task, by the task's entity. Nothing: no
  // Worker is registered. By policy:
  //   least-loaded   most free slots; of equals the lowest number
  //   round-robin    the next one in turn
  //   random         each with the same probability
  //   power-of-two   of two different random ones that with more free slots; of equals the lower
  //   number
  [[nodiscard]] std::optional<std::uint32_t> Choose(std::uint64_t task, std::int64_t attempt);

  [[nodiscard]] std::size_t registered() const { return registered_.size(); }

 private:
  [[nodiscard]] std::uint32_t PowerOfTwo(std::uint64_t task, std::int64_t attempt) const;

  CoordinatorPolicy policy_;
  std::uint64_t seed_;
  IndexedMin by_load_;  // Minus the free slots of each registered Worker, by Worker.
  std::vector<std::uint32_t> registered_;  // Rising.
  std::size_t turn_ = 0;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_COORDINATOR_H_
