#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "commands.h"
#include "common.h"

namespace {

int Main(int argc, char** argv) {
  CLI::App app(
      "Reads event logs of BlockX Workers, recorded in production or by blockx-sim: verifies, "
      "searches, explains and compares them. A log is a folder of segments, or one segment.",
      "blockx-replay");
  app.set_version_flag("--version", "blockx-replay " BLOCKX_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes:\n"
      "  0  done; verify, diff: the same\n"
      "  1  a divergence, a difference, or a broken invariant\n"
      "  2  bad input or usage\n"
      "  3  recover: something was lost\n"
      "  4  the log is damaged; what can be read was verified\n"
      "  5  a file could not be written, or an internal error");

  int exit_code = blockx::tools::kSame;
  blockx::tools::AddInfoCommand(app, exit_code);
  blockx::tools::AddVerifyCommand(app, exit_code);
  blockx::tools::AddShowCommand(app, exit_code);
  blockx::tools::AddDiffCommand(app, exit_code);
  blockx::tools::AddDebugCommand(app, exit_code);
  blockx::tools::AddStateCommand(app, exit_code);
  blockx::tools::AddTailCommand(app, exit_code);
  blockx::tools::AddExportCommand(app, exit_code);
  blockx::tools::AddImportCommand(app, exit_code);
  blockx::tools::AddRecoverCommand(app, exit_code);
  blockx::tools::AddRedactCommand(app, exit_code);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? blockx::tools::kSame : blockx::tools::kBadUse;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "blockx-replay: internal error: %s\n", error.what());
    return blockx::tools::kFailed;
  }
}
