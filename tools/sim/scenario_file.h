#ifndef BLOCKX_TOOLS_SIM_SCENARIO_FILE_H_
#define BLOCKX_TOOLS_SIM_SCENARIO_FILE_H_

#include <optional>
#include <string>
#include <vector>

#include "blockx/sim/scenario.h"

namespace blockx::tools {

// The scenario; or, on stderr, everything that is wrong with its file, one line each, and nothing.
std::optional<sim::Scenario> ReadScenario(const std::string& path,
                                          const std::vector<std::string>& overrides);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_SIM_SCENARIO_FILE_H_
