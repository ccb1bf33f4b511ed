#include <memory>
#include <string>

#include "blockx/engine/engine.h"
#include "blockx/replay/log_reader.h"
#include "blockx/replay/log_writer.h"
#include "commands.h"
#include "common.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string log;
  std::string out;
};

absl::Status WithoutPayloads(const engine::Config& config, replay::LogSnapshot& snapshot) {
  const engine::Result<engine::Engine> engine = engine::Engine::Restore(config, snapshot.state);
  if (!engine.ok()) {
    return absl::DataLossError("the snapshot after record " + std::to_string(snapshot.sequence) +
                               ": " + std::string(engine.error().message));
  }
  snapshot.state = engine.value().Snapshot(engine::SnapshotPayloads::kLeftOut);
  return absl::OkStatus();
}

absl::Status Copy(replay::LogReader& from, const engine::Config& config, replay::LogWriter& to) {
  replay::Record record;
  ReplayProgress progress(from.first_sequence(), from.last_sequence());
  for (;;) {
    absl::Status status;
    switch (from.Next(record)) {
      case replay::LogReader::Found::kEnd:
        return to.Close();
      case replay::LogReader::Found::kDamage:
        return absl::DataLossError("the log is damaged; recover it first");
      case replay::LogReader::Found::kGap:
        break;
      case replay::LogReader::Found::kSnapshot: {
        auto snapshot = from.ReadSnapshot();
        if (!snapshot) return absl::DataLossError("the log is damaged; recover it first");
        status = WithoutPayloads(config, *snapshot);
        if (status.ok()) status = to.AddSnapshot(*snapshot);
        break;
      }
      case replay::LogReader::Found::kRecord:
        record.outputs = {};
        status = to.AddRecord(record);
        progress.At(record.sequence);
        break;
    }
    if (!status.ok()) return status;
  }
}

int Run(const Options& options) {
  auto log = replay::LogReader::Open(options.log);
  if (!log.ok()) return ComplainOf(log.status());
  const absl::StatusOr<engine::Config> config = replay::ConfigOf((*log)->header());
  if (!config.ok()) return ComplainOf(config.status());
  log::v1::Header header = (*log)->header();
  header.set_payloads(log::v1::Payloads::DIGEST);
  header.set_outputs(false);
  auto writer = replay::LogWriter::Create(options.out, std::move(header));
  if (!writer.ok()) return ComplainOf(writer.status());
  const absl::Status copied = Copy(**log, *config, **writer);
  if (absl::IsDataLoss(copied)) {
    Complain(options.log + ": " + std::string(copied.message()));
    PrintDamage(**log, stderr);
    return kDamaged;
  }
  return copied.ok() ? kSame : ComplainOf(copied);
}

}  // namespace

void AddRedactCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "redact", "Writes the log without the bytes of payloads, replies and commands; it verifies as before");
  command.add_option("LOG", options->log, "The log")->required();
  command.add_option("OUT", options->out, "The folder to make")->required();
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
