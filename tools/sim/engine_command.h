#ifndef BLOCKX_TOOLS_SIM_ENGINE_COMMAND_H_
#define BLOCKX_TOOLS_SIM_ENGINE_COMMAND_H_

#include <CLI/CLI.hpp>

namespace blockx::tools {

// `blockx-sim engine`: one engine, driven by the lines of stdin (docs/text-form.md).
void AddEngineCommand(CLI::App& app, int& exit_code);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_SIM_ENGINE_COMMAND_H_
