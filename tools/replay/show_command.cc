#include <cstdio>
#include <memory>
#include <string>

#include "blockx/replay/log_text.h"
#include "blockx/replay/replayer.h"
#include "commands.h"
#include "common.h"
#include "step_line.h"
#include "steps.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string log;
  RecordFilter filter;
  bool json = false;
};

int Run(const Options& options) {
  auto replayer = replay::Replayer::Open(options.log);
  if (!replayer.ok()) return ComplainOf(replayer.status());
  const log::v1::World::Value world = (*replayer)->log().header().world();
  StepKeeper keeper;
  const int exit_code = ForEachStep(**replayer, options.filter, [&](const engine::Step& step) {
    keeper.OnStep(step);
    PrintLine(keeper.line(), world, options.json);
  });
  return std::fflush(stdout) == 0 ? exit_code : kFailed;
}

}  // namespace

void AddShowCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "show", "Each step: the event, the engine's reply (=) and its commands (>)");
  command.add_option("LOG", options->log, "The log")->required();
  AddFilterOptions(command, options->filter);
  command.add_flag("--json", options->json, "For programs: lines of the text form");
  command.footer(
      "Examples:\n"
      "  blockx-replay show log/worker-0 --task t17\n"
      "  blockx-replay show log/worker-0 --from +10s --to +12.5s --kind submitTask");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
