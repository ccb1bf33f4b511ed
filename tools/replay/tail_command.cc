#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "blockx/replay/replayer.h"
#include "commands.h"
#include "common.h"
#include "step_line.h"

namespace blockx::tools {
namespace {

// How often a log that is being written is looked at.
constexpr std::chrono::milliseconds kPoll(200);

struct Options {
  std::string log;
  std::uint64_t count = 10;
  bool follow = false;
  bool json = false;
};

int Run(const Options& options) {
  auto opened = replay::Replayer::Open(options.log);
  if (!opened.ok()) return ComplainOf(opened.status());
  replay::Replayer& replayer = **opened;
  const std::uint64_t span = replayer.last() - replayer.first();
  if (absl::Status status = replayer.Goto(replayer.last() - std::min(options.count, span));
      !status.ok()) {
    return ComplainOf(status);
  }
  int exit_code = kSame;
  StepKeeper keeper;
  for (;;) {
    const absl::StatusOr<bool> more = replayer.Next(&keeper);
    if (more.ok() && !*more) {
      std::fflush(stdout);
      if (!options.follow) return exit_code;
      while (!replayer.log().Refresh()) std::this_thread::sleep_for(kPoll);
      continue;
    }
    if (!more.ok()) {
      Complain(std::string(more.status().message()));
      exit_code = absl::IsFailedPrecondition(more.status()) ? kDiffers : kDamaged;
      if (exit_code == kDamaged) {
        if (!replayer.SkipDamage()) return exit_code;
        continue;
      }
    }
    PrintLine(keeper.line(), replayer.log().header().world(), options.json);
  }
}

}  // namespace

void AddTailCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("tail", "The last steps, and with -f those to come");
  command.add_option("LOG", options->log, "The log")->required();
  command.add_option("-n", options->count, "How many steps")->capture_default_str();
  command.add_flag("-f,--follow", options->follow,
                   "Go on as the log is written, until interrupted");
  command.add_flag("--json", options->json, "For programs: lines of the text form");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
