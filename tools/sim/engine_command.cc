#include "engine_command.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "blockx/engine/driver.h"
#include "blockx/engine/engine.h"
#include "blockx/replay/log_reader.h"
#include "blockx/replay/log_text.h"
#include "blockx/replay/text.h"
#include "blockx/sim/config_reader.h"
#include "exit_code.h"
#include "line_input.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string config_file;
  bool state = false;
  bool check = false;
};

void Complain(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

// Whoever writes the input lines plays the world: here commands are only shown.
class SilentWorld : public engine::World {
 public:
  void Carry(const engine::Command& /*command*/, engine::Instant /*now*/) override {}
};

class Session {
 public:
  Session(const engine::Config& config, const Options& options)
      : options_(options), config_(config) {
    driver_.emplace(engine::Engine(config), world_);
  }

  int Run() {
    LineInput input(STDIN_FILENO, [this] { Flush(); });
    int exit_code = kDone;
    while (exit_code == kDone) {
      const std::optional<std::string_view> line = input.Next();
      if (!line) break;
      if (line->find_first_not_of(" \t\r") == std::string_view::npos) continue;
      exit_code = Step(*line, input.line_number());
    }
    Flush();
    if (!input.error().empty()) {
      Complain(input.error());
      return kBadInput;
    }
    return output_failed_ ? kInternal : exit_code;
  }

 private:
  int Step(std::string_view line, std::uint64_t line_number) {
    const absl::StatusOr<replay::InputLine> input = reader_.Read(line);
    if (!input.ok()) {
      return Refuse("line " + std::to_string(line_number) + ": " +
                    std::string(input.status().message()));
    }
    if (!input->has_event()) return Take(*input->message, line_number);
    began_ = true;
    const engine::Reply reply = driver_->Apply(input->event, input->now);
    const engine::Engine& engine = driver_->engine();
    std::optional<replay::StateAfter> state;
    if (options_.state)
      state = {.next_deadline = engine.NextDeadline(), .digest = engine.StateDigest()};
    writer_.Append(driver_->sequence(), reply, engine.commands(), state, output_);
    if (!options_.check) return kDone;
    const std::optional<std::string> broken = engine.CheckInvariants();
    if (!broken) return kDone;
    Flush();
    Complain("step " + std::to_string(driver_->sequence()) + " (line " +
             std::to_string(line_number) + "): broken invariant: " + *broken);
    return kInternal;
  }

  // A log's text form begins with the configuration, and has the engine's state there and later on.
  int Take(const log::v1::Line& line, std::uint64_t line_number) {
    const std::string where = "line " + std::to_string(line_number) + ": ";
    if (line.has_header()) {
      if (began_)
        return Refuse(where + "a header after the first event; expected it to come first");
      if (!options_.config_file.empty()) return kDone;
      const absl::StatusOr<engine::Config> config = replay::ConfigOf(line.header());
      if (!config.ok()) return Refuse(where + std::string(config.status().message()));
      config_ = *config;
      driver_.emplace(engine::Engine(config_), world_);
      return kDone;
    }
    const absl::StatusOr<replay::LogSnapshot> snapshot = replay::SnapshotOf(line);
    if (!snapshot.ok()) return Refuse(where + std::string(snapshot.status().message()));
    // What the events so far have led to is what is asked for, not what was recorded there.
    if (began_ && snapshot->sequence == driver_->sequence()) return kDone;
    const engine::Result<engine::Engine> engine = engine::Engine::Restore(config_, snapshot->state);
    if (!engine.ok()) return Refuse(where + "snapshot: " + std::string(engine.error().message));
    driver_.emplace(engine.value(), world_, nullptr, snapshot->sequence, snapshot->digest);
    return kDone;
  }

  int Refuse(const std::string& why) {
    Flush();
    Complain(why);
    return kBadInput;
  }

  void Flush() {
    const bool written = std::fwrite(output_.data(), 1, output_.size(), stdout) == output_.size();
    output_.clear();
    if ((written && std::fflush(stdout) == 0) || output_failed_) return;
    output_failed_ = true;
    Complain("writing the output failed");
  }

  const Options& options_;
  SilentWorld world_;
  engine::Config config_;
  std::optional<engine::Driver> driver_;  // Never empty once constructed.
  bool began_ = false;                    // An event came.
  replay::LineReader reader_;
  replay::StepWriter writer_;
  std::string output_;
  bool output_failed_ = false;
};

int Run(const Options& options) {
  if (options.config_file.empty()) return Session(engine::Config(), options).Run();
  const sim::ConfigResult config = sim::LoadConfig(options.config_file);
  if (const auto* errors = std::get_if<sim::InputErrors>(&config)) {
    for (const sim::InputError& error : *errors) {
      Complain(options.config_file + ": " + (error.path.empty() ? "" : error.path + ": ") +
               error.message);
    }
    return kBadInput;
  }
  return Session(std::get<engine::Config>(config), options).Run();
}

}  // namespace

void AddEngineCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "engine", "Drives one engine: events as JSON lines in, steps as JSON lines out");
  command
      .add_option("--config", options->config_file,
                  "The production configuration file; without it, all defaults")
      ->type_name("FILE");
  command.add_flag("--state", options->state,
                   "Each line also has nextDeadlineUs and the state's digest");
  command.add_flag("--check", options->check,
                   "Check the invariants after each step; a broken one ends the program with 3");
  command.footer(
      "Example:\n"
      "  echo '{\"nowUs\": 0, \"event\": {\"requestTaskSlot\": {\"taskId\": \"t1\"}}}' | "
      "blockx-sim engine");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
