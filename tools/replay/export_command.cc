#include <cstdio>
#include <memory>
#include <string>

#include "blockx/replay/log_reader.h"
#include "blockx/replay/log_text.h"
#include "commands.h"
#include "common.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string log;
  std::string format = "jsonl";
};

// The log itself: nothing is replayed, and what is damaged is left out.
int ExportLines(const Options& options) {
  auto log = replay::LogReader::Open(options.log);
  if (!log.ok()) return ComplainOf(log.status());
  log::v1::Line line;
  const auto print = [&](const auto& part) {
    replay::ToLine(part, line);
    std::printf("%s\n", replay::JsonOf(line).c_str());
  };
  print((*log)->header());
  replay::Record record;
  ReplayProgress progress((*log)->first_sequence(), (*log)->last_sequence());
  for (auto found = (*log)->Next(record); found != replay::LogReader::Found::kEnd;
       found = (*log)->Next(record)) {
    if (found == replay::LogReader::Found::kSnapshot) {
      if (const auto snapshot = (*log)->ReadSnapshot()) print(*snapshot);
    } else if (found == replay::LogReader::Found::kRecord) {
      print(record);
      progress.At(record.sequence);
    }
  }
  if (!(*log)->damage().empty()) PrintDamage(**log, stderr);
  return (*log)->damage().empty() ? kSame : kDamaged;
}

int Run(const Options& options) {
  const int exit_code = ExportLines(options);
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? exit_code : kFailed;
}

}  // namespace

void AddExportCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("export", "Writes the log in another form, on stdout");
  command.add_option("LOG", options->log, "The log")->required();
  command.add_option("--format", options->format, "jsonl: the text form, without loss")
      ->check(CLI::IsMember({"jsonl"}))
      ->capture_default_str();
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
