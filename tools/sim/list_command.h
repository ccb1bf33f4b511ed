#ifndef BLOCKX_TOOLS_SIM_LIST_COMMAND_H_
#define BLOCKX_TOOLS_SIM_LIST_COMMAND_H_

#include <CLI/CLI.hpp>

namespace blockx::tools {

// `blockx-sim list`: the scenarios that came with this program, with one line each.
void AddListCommand(CLI::App& app, int& exit_code);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_SIM_LIST_COMMAND_H_
