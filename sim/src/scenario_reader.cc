#include "blockx/sim/scenario_reader.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "json_document.h"
#include "json_reader.h"
#include "scenario_checks.h"
#include "scenario_fields.h"

namespace blockx::sim {

ScenarioResult LoadScenario(const std::string& path, std::span<const std::string> overrides) {
  InputErrors errors;
  const std::optional<std::string> text = ReadJsonFile(path, "a scenario file", errors);
  if (!text) return errors;
  const std::string base_directory = std::filesystem::path(path).parent_path().string();
  return ParseScenario(*text, base_directory, overrides);
}

ScenarioResult ParseScenario(std::string_view text, const std::string& base_directory,
                             std::span<const std::string> overrides) {
  ReadContext context;
  context.base_directory = base_directory;
  std::optional<Json> document = ParseJson(text, context.errors);
  if (!document) return std::move(context.errors);
  for (const std::string& assignment : overrides)
    ApplyOverride(*document, assignment, context.errors);
  // A setting that found no place would only bring errors that are none of the file's.
  if (!context.errors.empty()) return std::move(context.errors);

  Scenario scenario;
  ObjectReader reader(*document, "", context);
  ScenarioFields(reader, scenario);
  reader.Finish();
  if (document->is_object()) CheckScenario(scenario, context);
  if (context.errors.empty()) return scenario;
  return context.TakeErrors();
}

}  // namespace blockx::sim
