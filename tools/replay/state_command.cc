#include <cstdio>
#include <memory>
#include <string>

#include "blockx/engine/state.h"
#include "blockx/replay/brief.h"
#include "blockx/replay/log_text.h"
#include "blockx/replay/replayer.h"
#include "commands.h"
#include "common.h"
#include "state_json.h"
#include "state_text.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string log;
  std::string at;
  std::string task;
  bool json = false;
};

void PrintJsonState(const replay::Replayer& replayer) {
  nlohmann::ordered_json out{{"sequence", replayer.sequence()},
                             {"nowUs", engine::ToMicroseconds(replayer.now())},
                             {"digest", replay::DigestText(replayer.digest())},
                             {"stateDigest", replay::DigestText(replayer.engine().StateDigest())}};
  out.update(StateJson(replayer.engine()));
  PrintJson(out);
}

void PrintText(const replay::Replayer& replayer, log::v1::World::Value world) {
  const engine::State state = engine::Inspect(replayer.engine());
  std::printf("after record %llu, %s, state %s\n%s\n%s\n%s\n%s\n%s",
              static_cast<unsigned long long>(replayer.sequence()),
              replay::FormatInstant(replayer.now(), world).c_str(),
              replay::DigestText(replayer.engine().StateDigest()).c_str(),
              HeartbeatText(replayer.engine()).c_str(), SlotsText(state, world).c_str(),
              QueuesText(state).c_str(), ExecutorsText(state, world).c_str(),
              WatchesText(state).c_str());
}

int Run(const Options& options) {
  auto opened = replay::Replayer::Open(options.log);
  if (!opened.ok()) return ComplainOf(opened.status());
  replay::Replayer& replayer = **opened;
  const auto moment = ParseMoment(options.at, replayer.log());
  if (!moment) return kBadUse;
  if (absl::Status status = replayer.Goto(*moment); !status.ok()) return ComplainOf(status);
  const log::v1::World::Value world = replayer.log().header().world();
  if (!options.task.empty()) {
    const std::string text = TaskText(engine::Inspect(replayer.engine()), options.task, world);
    if (text.empty()) {
      Complain("the Worker does not know a task " + options.task + " at that moment");
      return kBadUse;
    }
    if (!options.json) {
      std::printf("%s", text.c_str());
      return kSame;
    }
    PrintJson(StateJson(replayer.engine())["tasks"][options.task]);
    return kSame;
  }
  options.json ? PrintJsonState(replayer) : PrintText(replayer, world);
  return kSame;
}

}  // namespace

void AddStateCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "state", "The Worker at a moment: slots, tasks, queues, executors, watches");
  command.add_option("LOG", options->log, "The log")->required();
  command
      .add_option("--at", options->at,
                  "After this record (1200), or at this time: +1.5s since the start, or a date")
      ->type_name("MOMENT")
      ->required();
  command.add_option("--task", options->task, "Only this task, with its calls")->type_name("ID");
  command.add_flag("--json", options->json, "For programs: everything that the state digest covers");
  command.footer(
      "Examples:\n"
      "  blockx-replay state log/worker-0 --at 1200\n"
      "  blockx-replay state log/worker-0 --at +10.5s --task t17");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
