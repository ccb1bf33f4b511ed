#include "blockx/sim/fleet.h"

namespace blockx::sim {

void InvariantWatch::OnStep(const engine::Step& step) {
  if (broken_) return;
  const std::optional<std::string> problem = driver_->engine().CheckInvariants();
  if (problem) broken_ = "after step " + std::to_string(step.sequence) + ": " + *problem;
}

}  // namespace blockx::sim
