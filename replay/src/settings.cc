// A configuration as a header has it.
#include <algorithm>

#include "absl/status/status.h"
#include "blockx/replay/log_reader.h"

namespace blockx::replay {

absl::StatusOr<engine::Config> ConfigOf(const log::v1::Header& header) {
  engine::Config config;
  const auto fields = engine::ConfigFields();
  for (const log::v1::Setting& setting : header.config()) {
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const engine::ConfigField& known) {
          return known.path == setting.path();
        });
    if (field == fields.end()) {
      return absl::FailedPreconditionError("the log's configuration has " + setting.path() +
                                           ", which this engine version does not know");
    }
    engine::SetField(config, *field, setting.value());
  }
  if (const auto problem = engine::Validate(config)) {
    return absl::FailedPreconditionError("the log's configuration: " + problem->path + ": " +
                                         problem->message);
  }
  return config;
}

void SetConfig(const engine::Config& config, log::v1::Header& header) {
  header.clear_config();
  for (const engine::ConfigField& field : engine::ConfigFields()) {
    log::v1::Setting& setting = *header.add_config();
    setting.set_path(std::string(field.path));
    setting.set_value(engine::GetField(config, field));
  }
}

}  // namespace blockx::replay
