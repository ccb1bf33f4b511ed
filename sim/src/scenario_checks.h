// What must hold between the fields of a scenario, once each of them is sound.
#ifndef BLOCKX_SIM_SRC_SCENARIO_CHECKS_H_
#define BLOCKX_SIM_SRC_SCENARIO_CHECKS_H_

#include "blockx/engine/config.h"
#include "blockx/sim/scenario.h"
#include "json_reader.h"

namespace blockx::sim {

// Adds the configuration's problem, unless its field has been reported already.
void CheckConfig(const engine::Config& config, ReadContext& context);

// Adds what is wrong to the context's errors, and binds the linear forms that the context remembers
// to their traces.
void CheckScenario(Scenario& scenario, ReadContext& context);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_SCENARIO_CHECKS_H_
