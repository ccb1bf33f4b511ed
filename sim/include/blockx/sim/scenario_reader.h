// Scenario files: JSON with // and /* */ comments; docs/scenarios.md describes them, schema.h their
// JSON Schema.
#ifndef BLOCKX_SIM_SCENARIO_READER_H_
#define BLOCKX_SIM_SCENARIO_READER_H_

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "blockx/sim/input_error.h"
#include "blockx/sim/scenario.h"

namespace blockx::sim {

// A complete, consistent scenario, or everything that is wrong with its file.
using ScenarioResult = std::variant<Scenario, InputErrors>;

// Reads the file at `path`. Each override changes one field before anything is checked:
// "workload.0.arrivals.rate=90", with a value in JSON or a plain text. The files that a scenario
// names are looked at: samples are read, a trace's columns are compared with the linear forms that
// use them. No exceptions.
[[nodiscard]] ScenarioResult LoadScenario(const std::string& path,
                                          std::span<const std::string> overrides);

// The same for a text. Names of files in it are relative to `base_directory`.
[[nodiscard]] ScenarioResult ParseScenario(std::string_view text, const std::string& base_directory,
                                           std::span<const std::string> overrides);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SCENARIO_READER_H_
