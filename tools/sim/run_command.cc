#include "run_command.h"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blockx/sim/report.h"
#include "blockx/sim/simulation.h"
#include "blockx/sim/units.h"
#include "exit_code.h"
#include "recordings.h"
#include "scenario_file.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string scenario;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> overrides;
  std::string json_file;  // "-": stdout; empty: none.
  std::string csv_directory;
  std::string record_folder;  // Empty: nothing is recorded.
  std::string record_payloads = "digest";
  bool record_outputs = false;
  bool quiet = false;
};

// Real time, which is about this program's run and no part of any result.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// One line on a terminal that is written over and over. Runs of up to a second show none.
class Progress {
 public:
  explicit Progress(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO) == 1) {}
  ~Progress() {
    if (shown_at_ > 0) std::fprintf(stderr, "\r\033[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(const sim::Simulation& simulation, double seconds) {
    if (!wanted_ || seconds - shown_at_ < kSecondsBetween) return;
    shown_at_ = seconds;
    const double virtual_seconds = static_cast<double>(simulation.elapsed().count()) / 1e6;
    std::fprintf(stderr, "\r\033[K%s simulated, %lld tasks, %.0f x real time",
                 sim::FormatDuration(simulation.elapsed()).c_str(),
                 static_cast<long long>(simulation.tasks_arrived()), virtual_seconds / seconds);
  }

 private:
  static constexpr double kSecondsBetween = 1;

  bool wanted_;
  double shown_at_ = 0;
};

int Complain(const sim::RunError& error, const Options& options, std::uint64_t seed) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  if (error.cause == sim::RunError::Cause::kInput) return kBadInput;
  if (error.cause == sim::RunError::Cause::kOutput) return kInternal;
  std::fprintf(stderr, "reproduce: blockx-sim run %s --seed %llu\n", options.scenario.c_str(),
               static_cast<unsigned long long>(seed));
  return kInternal;
}

int ComplainOfRecording(const absl::Status& status) {
  std::fprintf(stderr, "--record: %s\n", std::string(status.message()).c_str());
  return absl::IsAlreadyExists(status) ? kBadInput : kInternal;
}

void PrintSummary(const sim::Report& report, double seconds) {
  const double virtual_seconds = static_cast<double>(report.simulated.count()) / 1e6;
  std::printf("%s\n%.0f x real time, %.2f million engine events per second, %.2f s in all\n",
              sim::ReportText(report).c_str(), virtual_seconds / seconds,
              static_cast<double>(report.engine_events) / 1e6 / seconds, seconds);
}

// Opened before the run, so that a long one is not lost to a file that cannot be written.
class JsonOutput {
 public:
  explicit JsonOutput(const std::string& file) : file_(file) {
    if (!file_.empty() && file_ != "-") stream_.open(file_, std::ios::binary);
  }
  [[nodiscard]] bool failed() const { return !stream_; }

  void Write(const sim::Report& report) {
    if (file_.empty()) return;
    const std::string text = sim::ReportJson(report);
    if (file_ != "-") {
      stream_ << text << std::flush;
    } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
      stream_.setstate(std::ios::failbit);
    }
  }

 private:
  std::string file_;
  std::ofstream stream_;
};

int Run(const Options& options) {
  std::optional<sim::Scenario> scenario = ReadScenario(options.scenario, options.overrides);
  if (!scenario) return kBadInput;
  if (options.seed) scenario->seed = *options.seed;
  const std::uint64_t seed = scenario->seed;
  JsonOutput json(options.json_file);
  if (json.failed()) {
    std::fprintf(stderr, "%s: cannot be written\n", options.json_file.c_str());
    return kInternal;
  }

  const Stopwatch stopwatch;
  Recordings recordings(
      options.record_folder,
      options.record_payloads == "full" ? replay::PayloadMode::kFull : replay::PayloadMode::kDigest,
      options.record_outputs);
  sim::SimulationOptions simulation_options{.csv_directory = options.csv_directory};
  if (!options.record_folder.empty()) {
    simulation_options.observe = [&](std::uint32_t worker, const engine::Driver& driver) {
      return recordings.Begin(worker, driver);
    };
  }
  sim::Simulation simulation(*std::move(scenario), simulation_options);
  if (!recordings.status().ok()) return ComplainOfRecording(recordings.status());
  {
    constexpr std::int64_t kDuesBetweenLooksAtTheClock = 100'000;
    Progress progress(!options.quiet);
    while (!simulation.ended()) {
      const auto error = simulation.Advance(kDuesBetweenLooksAtTheClock);
      if (error) return Complain(*error, options, seed);
      progress.Show(simulation, stopwatch.seconds());
    }
  }
  if (absl::Status status = recordings.End(); !status.ok()) return ComplainOfRecording(status);
  const sim::Report report = simulation.MakeReport();
  if (!options.quiet && options.json_file != "-") PrintSummary(report, stopwatch.seconds());
  json.Write(report);
  if (json.failed() || std::fflush(stdout) != 0) {
    std::fprintf(stderr, "writing the results failed\n");
    return kInternal;
  }
  return report.AllMet() ? kDone : kMissed;
}

}  // namespace

void AddRunCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      *app.add_subcommand("run", "Simulates a scenario and reports what was measured");
  command.add_option("SCENARIO", options->scenario, "The scenario file")->required();
  command.add_option("--seed", options->seed, "In place of the scenario's seed")->type_name("N");
  command
      .add_option("--set", options->overrides,
                  "Change a field of the scenario first, such as fleet.workers=4; repeatable")
      ->type_name("PATH=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--json", options->json_file,
                  "Write the results as JSON; - is stdout, and then there is no summary")
      ->type_name("FILE|-");
  command.add_option("--csv", options->csv_directory, "Write tasks.csv and timeseries.csv there")
      ->type_name("DIR");
  CLI::Option* const record =
      command
          .add_option("--record", options->record_folder,
                      "Record each Worker's event log there, for blockx-replay")
          ->type_name("DIR");
  command
      .add_option("--record-payloads", options->record_payloads,
                  "digest: size and fingerprint; full: also the bytes, as far as they exist")
      ->check(CLI::IsMember({"digest", "full"}))
      ->capture_default_str()
      ->needs(record);
  command
      .add_flag("--record-outputs", options->record_outputs,
                "Record replies and commands too, not only their digest")
      ->needs(record);
  command.add_flag("--quiet", options->quiet, "No summary and no progress line");
  command.footer(
      "Examples:\n"
      "  blockx-sim run scenarios/quickstart.json\n"
      "  blockx-sim run scenarios/burst.json --seed 7 --set worker.taskSlots=80 --json -");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
