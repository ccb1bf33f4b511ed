#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "engine_command.h"
#include "exit_code.h"
#include "list_command.h"
#include "run_command.h"
#include "schema_command.h"
#include "validate_command.h"

namespace {

int Main(int argc, char** argv) {
  CLI::App app(
      "Simulates BlockX Workers, or drives a single engine by hand. No real time, no network.",
      "blockx-sim");
  app.set_version_flag("--version", "blockx-sim " BLOCKX_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes:\n"
      "  0  done, and every objective met\n"
      "  1  an objective was missed\n"
      "  2  bad input or usage\n"
      "  3  internal: a broken invariant, or output that could not be written");

  int exit_code = blockx::tools::kDone;
  blockx::tools::AddRunCommand(app, exit_code);
  blockx::tools::AddValidateCommand(app, exit_code);
  blockx::tools::AddSchemaCommand(app, exit_code);
  blockx::tools::AddListCommand(app, exit_code);
  blockx::tools::AddEngineCommand(app, exit_code);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? blockx::tools::kDone : blockx::tools::kBadInput;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "blockx-sim: internal error: %s\n", error.what());
    return blockx::tools::kInternal;
  }
}
