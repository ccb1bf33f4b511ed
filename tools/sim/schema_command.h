#ifndef BLOCKX_TOOLS_SIM_SCHEMA_COMMAND_H_
#define BLOCKX_TOOLS_SIM_SCHEMA_COMMAND_H_

#include <CLI/CLI.hpp>

namespace blockx::tools {

// `blockx-sim schema`: prints the JSON Schema of scenario files.
void AddSchemaCommand(CLI::App& app, int& exit_code);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_SIM_SCHEMA_COMMAND_H_
