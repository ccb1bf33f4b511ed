#include "blockx/sim/config_reader.h"

#include <optional>

#include "json_document.h"
#include "json_reader.h"
#include "scenario_checks.h"
#include "scenario_fields.h"

namespace blockx::sim {

ConfigResult LoadConfig(const std::string& path) {
  InputErrors errors;
  const std::optional<std::string> text = ReadJsonFile(path, "a configuration file", errors);
  if (!text) return errors;
  return ParseConfig(*text);
}

ConfigResult ParseConfig(std::string_view text) {
  ReadContext context;
  const std::optional<Json> document = ParseJson(text, context.errors);
  if (!document) return context.TakeErrors();

  engine::Config config;
  ObjectReader reader(*document, "", context);
  ConfigFileFields(reader, config);
  reader.Finish();
  CheckConfig(config, context);
  if (context.errors.empty()) return config;
  return context.TakeErrors();
}

}  // namespace blockx::sim
