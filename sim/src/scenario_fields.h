// The fields of a scenario: what may stand in a scenario file, and where it goes.
#ifndef BLOCKX_SIM_SRC_SCENARIO_FIELDS_H_
#define BLOCKX_SIM_SRC_SCENARIO_FIELDS_H_

#include "blockx/sim/scenario.h"
#include "fields.h"

namespace blockx::sim {

void ScenarioFields(FieldVisitor& visitor, Scenario& scenario);

// Parts of it, each in the file of its name.
void ConfigFields(FieldVisitor& visitor, engine::Config& config);
// As in a configuration file of production: with the fields that only a process uses, whose values go nowhere.
void ConfigFileFields(FieldVisitor& visitor, engine::Config& config);
void ArrivalFields(FieldVisitor& visitor, ArrivalSource& arrivals);
void TaskFields(FieldVisitor& visitor, TaskSpec& task);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_SCENARIO_FIELDS_H_
