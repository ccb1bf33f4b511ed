// The commands of blockx-replay, each in a file of its own.
#ifndef BLOCKX_TOOLS_REPLAY_COMMANDS_H_
#define BLOCKX_TOOLS_REPLAY_COMMANDS_H_

#include <CLI/CLI.hpp>

namespace blockx::tools {

// Each adds a subcommand that sets `exit_code` when it ran.
void AddInfoCommand(CLI::App& app, int& exit_code);
void AddVerifyCommand(CLI::App& app, int& exit_code);
void AddRecoverCommand(CLI::App& app, int& exit_code);
void AddRedactCommand(CLI::App& app, int& exit_code);
void AddShowCommand(CLI::App& app, int& exit_code);
void AddDiffCommand(CLI::App& app, int& exit_code);
void AddDebugCommand(CLI::App& app, int& exit_code);
void AddStateCommand(CLI::App& app, int& exit_code);
void AddTailCommand(CLI::App& app, int& exit_code);
void AddImportCommand(CLI::App& app, int& exit_code);
void AddExportCommand(CLI::App& app, int& exit_code);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_COMMANDS_H_
