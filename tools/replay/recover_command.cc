#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "blockx/replay/log_reader.h"
#include "blockx/replay/log_writer.h"
#include "commands.h"
#include "common.h"

namespace blockx::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string log;
  std::string out;
  bool json = false;
};

struct Lost {
  std::uint64_t first = 0;  // Records, by sequence number.
  std::uint64_t last = 0;
};

// Copies what can be replayed: records that follow a snapshot without a gap.
class Salvage {
 public:
  Salvage(replay::LogReader& from, replay::LogWriter& to) : from_(from), to_(to) {}

  absl::Status Run() {
    replay::Record record;
    ReplayProgress progress(from_.first_sequence(), from_.last_sequence());
    for (;;) {
      absl::Status status;
      switch (from_.Next(record)) {
        case replay::LogReader::Found::kEnd:
          Skip(from_.last_sequence() + 1);
          return to_.Close();
        case replay::LogReader::Found::kSnapshot:
          if (const auto snapshot = from_.ReadSnapshot()) status = Add(*snapshot);
          break;
        case replay::LogReader::Found::kRecord:
          if (record.sequence != next_) break;
          status = to_.AddRecord(record);
          ++next_;
          ++kept_;
          progress.At(record.sequence);
          break;
        case replay::LogReader::Found::kDamage:
        case replay::LogReader::Found::kGap:
          break;
      }
      if (!status.ok()) return status;
    }
  }

  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] const std::vector<Lost>& lost() const { return lost_; }

 private:
  absl::Status Add(const replay::LogSnapshot& snapshot) {
    if (next_ == 0) next_ = from_.first_sequence() + 1;
    Skip(snapshot.sequence + 1);
    return to_.AddSnapshot(snapshot);
  }

  void Skip(std::uint64_t next) {
    if (next_ == 0) next_ = from_.first_sequence() + 1;  // Not one snapshot was found.
    if (next > next_) lost_.push_back({next_, next - 1});
    next_ = next;
  }

  replay::LogReader& from_;
  replay::LogWriter& to_;
  std::uint64_t next_ = 0;  // The record that the copy needs next; 0: a snapshot first.
  std::uint64_t kept_ = 0;
  std::vector<Lost> lost_;
};

void Report(const Options& options, const replay::LogReader& log, const Salvage& salvage) {
  if (options.json) {
    Json out{{"recordsKept", salvage.kept()}, {"lost", Json::array()}};
    for (const Lost& lost : salvage.lost()) {
      out["lost"].push_back({{"firstSequence", lost.first}, {"lastSequence", lost.last}});
    }
    AddDamage(log, out);
    return PrintJson(out);
  }
  std::printf("%llu records kept\n", static_cast<unsigned long long>(salvage.kept()));
  for (const Lost& lost : salvage.lost()) {
    std::printf("LOST: records %llu to %llu\n", static_cast<unsigned long long>(lost.first),
                static_cast<unsigned long long>(lost.last));
  }
  if (!log.whole()) std::printf("damage\n");
  PrintDamage(log, stdout);
}

int Run(const Options& options) {
  auto log = replay::LogReader::Open(options.log);
  if (!log.ok()) return ComplainOf(log.status());
  auto writer = replay::LogWriter::Create(options.out, (*log)->header());
  if (!writer.ok()) return ComplainOf(writer.status());
  Salvage salvage(**log, **writer);
  if (absl::Status status = salvage.Run(); !status.ok()) return ComplainOf(status);
  Report(options, **log, salvage);
  return (*log)->whole() && salvage.lost().empty() ? kSame : kLost;
}

}  // namespace

void AddRecoverCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "recover", "Writes a clean log of what can be read of a torn or damaged one");
  command.add_option("LOG", options->log, "The log")->required();
  command.add_option("OUT", options->out, "The folder to make")->required();
  command.add_flag("--json", options->json, "For programs");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
