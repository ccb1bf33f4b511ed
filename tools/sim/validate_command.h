#ifndef BLOCKX_TOOLS_SIM_VALIDATE_COMMAND_H_
#define BLOCKX_TOOLS_SIM_VALIDATE_COMMAND_H_

#include <CLI/CLI.hpp>

namespace blockx::tools {

// `blockx-sim validate`: reads a scenario and its traces to the end, and runs nothing.
void AddValidateCommand(CLI::App& app, int& exit_code);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_SIM_VALIDATE_COMMAND_H_
