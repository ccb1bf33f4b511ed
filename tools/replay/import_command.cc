#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "blockx/replay/log_text.h"
#include "blockx/replay/log_writer.h"
#include "blockx/replay/text.h"
#include "commands.h"
#include "common.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string text;
  std::string log;
};

class Importer {
 public:
  explicit Importer(std::string folder) : folder_(std::move(folder)) {}

  absl::Status Add(std::string_view text) {
    const absl::StatusOr<replay::InputLine> line = reader_.Read(text);
    if (!line.ok()) return line.status();
    if (line->message->has_header()) return Begin(line->message->header());
    if (!writer_) return absl::InvalidArgumentError("expected a line with a header first");
    if (line->message->has_snapshot()) {
      const absl::StatusOr<replay::LogSnapshot> snapshot = replay::SnapshotOf(*line->message);
      return snapshot.ok() ? writer_->AddSnapshot(*snapshot) : snapshot.status();
    }
    const absl::StatusOr<replay::Record> record = replay::RecordOf(*line, outputs_);
    return record.ok() ? writer_->AddRecord(*record) : record.status();
  }

  absl::Status End() {
    return writer_ ? writer_->Close() : absl::InvalidArgumentError("the text is empty");
  }

 private:
  absl::Status Begin(const log::v1::Header& header) {
    if (writer_) return absl::InvalidArgumentError("a second header; expected one in all");
    auto writer = replay::LogWriter::Create(folder_, header);
    if (writer.ok()) writer_ = *std::move(writer);
    return writer.status();
  }

  std::string folder_;
  replay::LineReader reader_;
  std::unique_ptr<replay::LogWriter> writer_;
  std::string outputs_;
};

int Run(const Options& options) {
  std::ifstream file;
  if (options.text != "-") {
    file.open(options.text, std::ios::binary);
    if (!file) {
      Complain(options.text + ": cannot be read");
      return kBadUse;
    }
  }
  std::istream& in = options.text == "-" ? std::cin : file;
  Importer importer(options.log);
  std::string line;
  for (std::uint64_t number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    if (absl::Status status = importer.Add(line); !status.ok()) {
      Complain(options.text + ", line " + std::to_string(number) + ": " +
               std::string(status.message()));
      return ExitCodeOf(status);
    }
  }
  const absl::Status ended = importer.End();
  return ended.ok() ? kSame : ComplainOf(ended);
}

}  // namespace

void AddImportCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command =
      *app.add_subcommand("import", "Makes a log of its text form, as export --format jsonl writes it");
  command.add_option("TEXT", options->text, "JSON Lines; - is stdin")->required();
  command.add_option("LOG", options->log, "The folder to make")->required();
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
