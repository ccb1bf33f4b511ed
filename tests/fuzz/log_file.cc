#include "fuzz/log_file.h"

#include <google/protobuf/stubs/logging.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "blockx/replay/brief.h"
#include "blockx/replay/history.h"
#include "blockx/replay/log_reader.h"
#include "blockx/replay/log_text.h"
#include "blockx/replay/replayer.h"

namespace blockx::fuzz {
namespace {

using replay::LogReader;

// A file without a place on the disk.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : descriptor_(memfd_create("log", MFD_CLOEXEC)) {
    Expect(descriptor_ >= 0 &&
               write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
           "there is room for a file in memory");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// A record as text is the same record.
void UseRecord(const replay::Record& record, log::v1::Line& line, replay::LineReader& reader) {
  replay::ToLine(record, line);
  static_cast<void>(replay::Brief(line.event()));
  const std::string text = replay::JsonOf(line);
  if (text.starts_with("{\"problem\"") || record.sequence - 1 > INT64_MAX - 1) return;
  const auto read = reader.Read(text);
  Expect(read.ok(), "a record's text can be read");
  std::string outputs;
  const auto again = replay::RecordOf(*read, outputs);
  Expect(again.ok() && again->sequence == record.sequence && again->now == record.now &&
             again->digest == record.digest && again->event.index() == record.event.index(),
         "a record's text says the record");
}

void ReadThrough(LogReader& log) {
  replay::Record record;
  log::v1::Line line;
  replay::LineReader reader;
  std::uint64_t last = 0;
  for (auto found = log.Next(record); found != LogReader::Found::kEnd; found = log.Next(record)) {
    if (found == LogReader::Found::kSnapshot) {
      if (const auto snapshot = log.ReadSnapshot()) replay::ToLine(*snapshot, line);
    } else if (found == LogReader::Found::kRecord) {
      Expect(last == 0 || record.sequence > last, "records come in order");
      last = record.sequence;
      UseRecord(record, line, reader);
    } else {
      Expect(found == LogReader::Found::kGap || !log.whole(), "a damaged log is not whole");
    }
  }
}

void Play(const std::string& path) {
  auto replayer = replay::Replayer::Open(path);
  if (!replayer.ok()) return;
  replay::History history((*replayer)->engine());
  for (int steps = 0; steps < 1'000; ++steps) {
    const auto more = (*replayer)->Next(&history);
    if (more.ok() && !*more) break;
    if (absl::IsDataLoss(more.status()) && !(*replayer)->SkipDamage()) break;
  }
  const std::uint64_t first = (*replayer)->first();
  const std::uint64_t span = (*replayer)->last() - first;
  for (const std::uint64_t at : {span, span / 2, std::uint64_t{0}}) {
    if (at < 1'000) static_cast<void>((*replayer)->Goto(first + at));
  }
}

}  // namespace

void Expect(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", promise);
  std::abort();
}

void UseLog(std::string_view segment) {
  google::protobuf::SetLogHandler(nullptr);  // It complains of each text that is not UTF-8.
  const MemoryFile file(segment);
  auto log = LogReader::Open(file.path());
  if (!log.ok()) return;
  ReadThrough(**log);
  const std::uint64_t middle =
      (*log)->first_sequence() + ((*log)->last_sequence() - (*log)->first_sequence()) / 2;
  (*log)->SeekAfter(middle);
  replay::Record record;
  static_cast<void>((*log)->Next(record));
  static_cast<void>((*log)->SnapshotBefore(middle));
  static_cast<void>((*log)->SnapshotAfter(middle));
  static_cast<void>((*log)->FindTime(record.now));
  static_cast<void>((*log)->Refresh());
  // An engine takes memory by its configuration; larger ones are no other case.
  const auto config = replay::ConfigOf((*log)->header());
  if (config.ok() && config->task_slots <= 1'000 && config->executor_count <= 100) {
    Play(file.path());
  }
}

}  // namespace blockx::fuzz
