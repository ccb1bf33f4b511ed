#include "scenario_file.h"

#include <cstdio>
#include <utility>
#include <variant>

#include "blockx/sim/scenario_reader.h"

namespace blockx::tools {

std::optional<sim::Scenario> ReadScenario(const std::string& path,
                                          const std::vector<std::string>& overrides) {
  sim::ScenarioResult result = sim::LoadScenario(path, overrides);
  if (auto* scenario = std::get_if<sim::Scenario>(&result)) return std::move(*scenario);
  for (const sim::InputError& error : std::get<sim::InputErrors>(result)) {
    const std::string where = error.path.empty() ? path : path + ": " + error.path;
    std::fprintf(stderr, "%s: %s\n", where.c_str(), error.message.c_str());
  }
  return std::nullopt;
}

}  // namespace blockx::tools
