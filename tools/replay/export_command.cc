#include <cstdio>
#include <memory>
#include <string>

#include "blockx/replay/log_reader.h"
#include "blockx/replay/log_text.h"
#include "blockx/replay/replayer.h"
#include "commands.h"
#include "common.h"
#include "export_forms.h"
#include "output.h"
#include "timeline.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string log;
  std::string format = "jsonl";
  std::string out;
  RecordFilter filter;
};

// The log itself: nothing is replayed, and what is damaged is left out.
int ExportLines(const Options& options, Output& out) {
  auto log = replay::LogReader::Open(options.log);
  if (!log.ok()) return ComplainOf(log.status());
  log::v1::Line line;
  const auto print = [&](const auto& part) {
    replay::ToLine(part, line);
    out.Write(replay::JsonOf(line) + '\n');
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

int ExportTimeline(const Options& options, Output& out) {
  auto replayer = replay::Replayer::Open(options.log);
  if (!replayer.ok()) return ComplainOf(replayer.status());
  int exit_code = kSame;
  const std::optional<Timeline> timeline = GatherTimeline(**replayer, options.filter, exit_code);
  if (!timeline) return exit_code;
  if (options.format == "csv") WriteCsv(*timeline, out);
  if (options.format == "perfetto") WritePerfetto(*timeline, out);
  if (options.format == "html") WriteHtml(*timeline, out);
  return exit_code;
}

int Run(const Options& options) {
  const bool lines = options.format == "jsonl";
  const RecordFilter& filter = options.filter;
  if (lines && !(filter.task.empty() && filter.from.empty() && filter.to.empty())) {
    Complain("--task, --from and --to are for the other formats; single steps: show --json");
    return kBadUse;
  }
  Output out(options.out);
  if (!out.ready()) {
    Complain(options.out + ": cannot be written");
    return kFailed;
  }
  const int exit_code = lines ? ExportLines(options, out) : ExportTimeline(options, out);
  if (out.Close()) return exit_code;
  Complain((options.out.empty() ? "stdout" : options.out) + ": writing failed; is the disk full?");
  return kFailed;
}

}  // namespace

void AddExportCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      *app.add_subcommand("export", "Writes the log in another form, on stdout or to a file");
  command.add_option("LOG", options->log, "The log")->required();
  command
      .add_option("--format", options->format,
                  "jsonl: the text form, without loss; csv: a row for each run of a task and each "
                  "refused request; perfetto: a trace for ui.perfetto.dev; html: a page "
                  "with a timeline")
      ->check(CLI::IsMember({"jsonl", "csv", "perfetto", "html"}))
      ->capture_default_str();
  command.add_option("--out", options->out, "In place of stdout")->type_name("FILE");
  AddSpanOptions(command, options->filter);
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
