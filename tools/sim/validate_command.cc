#include "validate_command.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "blockx/sim/scenario.h"
#include "blockx/sim/trace.h"
#include "exit_code.h"
#include "scenario_file.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string scenario;
  std::vector<std::string> overrides;
};

// What is wrong with a trace, if anything. Reads it to the end.
std::optional<std::string> ProblemOf(const sim::TraceSpec& trace) {
  auto opened = sim::TraceReader::Open(trace);
  if (auto* error = std::get_if<sim::TraceError>(&opened)) return error->message;
  auto reader = std::get<sim::TraceReader>(std::move(opened));
  for (;;) {
    auto next = reader.Next();
    if (auto* error = std::get_if<sim::TraceError>(&next)) return error->message;
    if (!std::get<std::optional<sim::TraceRow>>(next)) return std::nullopt;
  }
}

int Validate(const Options& options) {
  const auto scenario = ReadScenario(options.scenario, options.overrides);
  if (!scenario) return kBadInput;
  int exit_code = kDone;
  for (const sim::WorkloadSource& source : scenario->workload) {
    const auto* trace = std::get_if<sim::TraceSpec>(&source.arrivals);
    if (trace == nullptr) continue;
    const std::optional<std::string> problem = ProblemOf(*trace);
    if (!problem) continue;
    std::fprintf(stderr, "%s\n", problem->c_str());
    exit_code = kBadInput;
  }
  if (exit_code == kDone) std::printf("%s: valid\n", options.scenario.c_str());
  return exit_code;
}

}  // namespace

void AddValidateCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      *app.add_subcommand("validate", "Checks a scenario and its traces without running it");
  command.add_option("SCENARIO", options->scenario, "The scenario file")->required();
  command.add_option("--set", options->overrides, "Change a field first, as in `run`")
      ->type_name("PATH=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command.footer("Example:\n  blockx-sim validate scenarios/quickstart.json");
  command.callback([options, &exit_code] { exit_code = Validate(*options); });
}

}  // namespace blockx::tools
