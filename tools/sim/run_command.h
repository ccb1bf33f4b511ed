#ifndef BLOCKX_TOOLS_SIM_RUN_COMMAND_H_
#define BLOCKX_TOOLS_SIM_RUN_COMMAND_H_

#include <CLI/CLI.hpp>

namespace blockx::tools {

// `blockx-sim run`: simulates a scenario to its end and reports what was measured.
void AddRunCommand(CLI::App& app, int& exit_code);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_SIM_RUN_COMMAND_H_
