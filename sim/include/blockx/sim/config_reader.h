// The production configuration file, for an engine that is driven without a scenario.
#ifndef BLOCKX_SIM_CONFIG_READER_H_
#define BLOCKX_SIM_CONFIG_READER_H_

#include <string>
#include <string_view>
#include <variant>

#include "blockx/engine/config.h"
#include "blockx/sim/input_error.h"

namespace blockx::sim {

// A configuration that passed its own validation, or everything that is wrong with its file.
using ConfigResult = std::variant<engine::Config, InputErrors>;

// Reads the file at `path`: JSON with // and /* */ comments. What it leaves out keeps its default.
// The fields that only a production process uses, such as listenAddr, are checked for their type
// and otherwise ignored. No exceptions.
[[nodiscard]] ConfigResult LoadConfig(const std::string& path);

// The same for a text.
[[nodiscard]] ConfigResult ParseConfig(std::string_view text);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_CONFIG_READER_H_
