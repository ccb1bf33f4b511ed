#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blockx/replay/log_text.h"
#include "commands.h"
#include "common.h"
#include "fates.h"
#include "line_source.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string a;
  std::string b;
  std::vector<std::string> set;
  std::string engine;
  bool json = false;
};

// Both sides of a comparison, each with a name for people.
struct Sides {
  std::unique_ptr<LineSource> a;
  std::unique_ptr<LineSource> b;
  std::string name_a;
  std::string name_b;
  log::v1::World::Value world{};
};

struct Outcome {
  std::uint64_t same = 0;  // Steps before the first difference.
  std::optional<log::v1::Line> a;
  std::optional<log::v1::Line> b;
  bool differs = false;
  std::vector<ChangedFate> fates;
};

// What a step says, without the digest, which is chained over all earlier ones.
bool SameStep(log::v1::Line a, log::v1::Line b) {
  a.clear_digest();
  b.clear_digest();
  return a.SerializeAsString() == b.SerializeAsString();
}

Outcome Compare(Sides& sides) {
  Outcome out;
  FateBook book_a;
  FateBook book_b;
  while (true) {
    const log::v1::Line* a = sides.a->Next();
    const log::v1::Line* b = sides.b->Next();
    if (a == nullptr && b == nullptr) break;
    if (a != nullptr) book_a.Add(*a);
    if (b != nullptr) book_b.Add(*b);
    if (out.differs) continue;
    const bool same =
        a != nullptr && b != nullptr && (a->digest() == b->digest() || SameStep(*a, *b));
    if (same) {
      ++out.same;
      continue;
    }
    out.differs = true;
    if (a != nullptr) out.a = *a;
    if (b != nullptr) out.b = *b;
  }
  out.fates = ChangedFates(book_a, book_b);
  return out;
}

std::unique_ptr<ReplayedLines> Open(const std::string& log, int& exit_code,
                                    std::optional<engine::Config> config = std::nullopt) {
  auto replayer = replay::Replayer::Open(log, std::move(config));
  if (replayer.ok()) return std::make_unique<ReplayedLines>(*std::move(replayer));
  exit_code = ComplainOf(replayer.status());
  return nullptr;
}

// Nothing: Complain was called, and the exit code is set.
std::optional<Sides> SidesOf(const Options& options, int& exit_code) {
  const int ways = (options.b.empty() ? 0 : 1) + (options.set.empty() ? 0 : 1) +
                   (options.engine.empty() ? 0 : 1);
  if (ways != 1) {
    Complain("diff needs one thing to compare with: a second log, --set, or --engine");
    exit_code = kBadUse;
    return std::nullopt;
  }
  Sides sides;
  std::unique_ptr<ReplayedLines> recorded = Open(options.a, exit_code);
  if (recorded == nullptr) return std::nullopt;
  const replay::LogReader& log = recorded->replayer().log();
  sides.world = log.header().world();
  sides.a = std::move(recorded);
  sides.name_a = options.a;
  if (!options.b.empty()) {
    sides.name_b = options.b;
    sides.b = Open(options.b, exit_code);
  } else if (!options.engine.empty()) {
    sides.name_a = "engine " BLOCKX_VERSION " (this one)";
    sides.name_b = options.engine;
    sides.b = ProgramLines::Start(options.engine, options.a);
    if (sides.b == nullptr) exit_code = kBadUse;
  } else {
    const std::optional<engine::Config> config = ChangedConfig(log, options.set);
    if (!config) {
      exit_code = kBadUse;
      return std::nullopt;
    }
    sides.name_a = "as recorded";
    sides.name_b = "with";
    for (const std::string& change : options.set) sides.name_b += " " + change;
    sides.b = Open(options.a, exit_code, config);
  }
  if (sides.b == nullptr) return std::nullopt;
  return sides;
}

void PrintText(const Sides& sides, const Outcome& outcome) {
  if (!outcome.differs) {
    std::printf("the same: %llu steps\n", static_cast<unsigned long long>(outcome.same));
    return;
  }
  std::printf("the first %llu steps are the same, then:\n",
              static_cast<unsigned long long>(outcome.same));
  const auto print = [&](const std::string& name, const std::optional<log::v1::Line>& line) {
    std::printf("%s:\n%s", name.c_str(),
                line ? TextOf(*line, sides.world).c_str() : "  (it ends here)\n");
  };
  print(sides.name_a, outcome.a);
  print(sides.name_b, outcome.b);
  if (outcome.fates.empty()) {
    std::printf("no task's fate changed\n");
    return;
  }
  std::printf("the fates of %zu tasks changed:\n%s", outcome.fates.size(),
              TextOf(outcome.fates).c_str());
}

void PrintJsonOutcome(const Sides& sides, const Outcome& outcome) {
  using Json = nlohmann::ordered_json;
  const auto step = [](const std::optional<log::v1::Line>& line) {
    return line ? Json::parse(replay::JsonOf(*line)) : Json();
  };
  Json out{{"a", sides.name_a}, {"b", sides.name_b}, {"sameSteps", outcome.same}};
  out["firstDifference"] = Json();
  if (outcome.differs) {
    Json difference = Json::object();
    difference["a"] = step(outcome.a);
    difference["b"] = step(outcome.b);
    out["firstDifference"] = std::move(difference);
  }
  out["changedFates"] = ToJson(outcome.fates);
  PrintJson(out);
}

int Run(const Options& options) {
  int exit_code = kSame;
  std::optional<Sides> sides = SidesOf(options, exit_code);
  if (!sides) return exit_code;
  const Outcome outcome = Compare(*sides);
  for (const LineSource* side : {sides->a.get(), sides->b.get()}) {
    if (side->exit_code() == kBadUse || side->exit_code() == kFailed) return side->exit_code();
  }
  options.json ? PrintJsonOutcome(*sides, outcome) : PrintText(*sides, outcome);
  if (outcome.differs) return kDiffers;
  return sides->a->exit_code() != kSame ? sides->a->exit_code() : sides->b->exit_code();
}

}  // namespace

void AddDiffCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "diff",
      "The first difference between two histories, and every task whose fate changed: of two logs, "
      "or of one log's events under another configuration or another build's engine");
  command.add_option("LOG", options->a, "The log")->required();
  command.add_option("OTHER", options->b, "A second log");
  command.add_option("--set", options->set, "Or: a field of the configuration changed; repeatable")
      ->type_name("PATH=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--engine", options->engine, "Or: the blockx-replay of another build")
      ->type_name("PROGRAM");
  command.add_flag("--json", options->json, "For programs");
  command.footer(
      "Examples:\n"
      "  blockx-replay diff monday/worker-0 tuesday/worker-0\n"
      "  blockx-replay diff log/worker-0 --set worker.taskSlots=20\n"
      "  blockx-replay diff log/worker-0 --engine ../other-build/bin/blockx-replay");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
