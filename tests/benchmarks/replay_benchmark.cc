// What recording adds to a decision, what verifying costs beside deciding, and what seeking costs
// beside reading.
#include <benchmark/benchmark.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "benchmarks/lives.h"
#include "blockx/engine/driver.h"
#include "blockx/replay/log_reader.h"
#include "blockx/replay/recorder.h"
#include "blockx/replay/replayer.h"

namespace {

using namespace blockx::benchmarks;  // NOLINT(google-build-using-namespace)
namespace engine = blockx::engine;
namespace replay = blockx::replay;

// So many lives are one run: from an empty Worker into its steady state.
constexpr int kLives = 60'000;

class SilentWorld final : public engine::World {
 public:
  void Carry(const engine::Command& /*command*/, engine::Instant /*now*/) override {}
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = (std::filesystem::temp_directory_path() / "blockx-bench-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path() const { return path_ + "/log"; }

 private:
  std::string path_;
};

// A run through a driver, recorded if a folder is named. How many records it made.
std::uint64_t Run(const std::string& folder) {
  SilentWorld world;
  engine::Driver driver(engine::Engine(SteadyConfig()), world);
  std::unique_ptr<replay::Recorder> recorder;
  if (!folder.empty()) {
    replay::RecorderOptions options;
    options.folder = folder;
    options.when_full = replay::RecorderOptions::WhenFull::kWait;
    auto begun = replay::Recorder::Begin(options, driver);
    if (!begun.ok()) return 0;
    recorder = *std::move(begun);
    driver.SetObserver(recorder.get());
  }
  Lives lives(driver);
  for (int i = 0; i < kLives; ++i) lives.Next();
  if (recorder != nullptr && !recorder->End().ok()) return 0;
  return driver.sequence();
}

// Only this thread's time counts: the disk is another one's.
void BM_DrivenLives(benchmark::State& state) {
  std::uint64_t records = 0;
  for (auto _ : state) records += Run("");
  state.SetItemsProcessed(static_cast<std::int64_t>(records));
}
BENCHMARK(BM_DrivenLives)->Unit(benchmark::kMillisecond);

void BM_RecordedLives(benchmark::State& state) {
  std::uint64_t records = 0;
  for (auto _ : state) {
    const TemporaryFolder folder;
    const std::uint64_t recorded = Run(folder.path());
    if (recorded == 0) return state.SkipWithError("recording failed");
    records += recorded;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(records));
}
BENCHMARK(BM_RecordedLives)->Unit(benchmark::kMillisecond);

// The same run once more: by an engine alone, and from its log with every digest compared.
void BM_BareLives(benchmark::State& state) {
  const auto records = static_cast<std::int64_t>(Run(""));
  for (auto _ : state) {
    engine::Engine engine(SteadyConfig());
    Lives lives(engine);
    for (int i = 0; i < kLives; ++i) lives.Next();
  }
  state.SetItemsProcessed(state.iterations() * records);
}
BENCHMARK(BM_BareLives)->Unit(benchmark::kMillisecond);

void BM_VerifiedLives(benchmark::State& state) {
  const TemporaryFolder folder;
  const auto records = static_cast<std::int64_t>(Run(folder.path()));
  for (auto _ : state) {
    auto replayer = replay::Replayer::Open(folder.path());
    if (!replayer.ok()) return state.SkipWithError("the log cannot be opened");
    while (*(*replayer)->Next()) {
    }
    if ((*replayer)->sequence() != static_cast<std::uint64_t>(records)) {
      return state.SkipWithError("the log is not verified");
    }
  }
  state.SetItemsProcessed(state.iterations() * records);
}
BENCHMARK(BM_VerifiedLives)->Unit(benchmark::kMillisecond);

// ---- A log of ten million records, which tools/bench makes ----

std::string LongLog(benchmark::State& state) {
  const char* const log = std::getenv("BLOCKX_LONG_LOG");
  if (log == nullptr) state.SkipWithError("BLOCKX_LONG_LOG names no log");
  return log == nullptr ? "" : log;
}

// Opening it counts in each of these.
void BM_ReadLongLog(benchmark::State& state) {
  const std::string path = LongLog(state);
  for (auto _ : state) {
    auto log = replay::LogReader::Open(path);
    if (!log.ok()) return state.SkipWithError("the log cannot be opened");
    replay::Record record;
    while ((*log)->Next(record) != replay::LogReader::Found::kEnd) {
    }
  }
}
BENCHMARK(BM_ReadLongLog)->Unit(benchmark::kMillisecond);

// The places of a run of seeks: spread over the log, the same each time.
std::uint64_t PlaceIn(std::uint64_t last, std::uint64_t i) {
  return 1 + (i * 0x9e3779b97f4a7c15) % last;
}

void BM_SeekLongLog(benchmark::State& state) {
  const std::string path = LongLog(state);
  std::uint64_t i = 0;
  for (auto _ : state) {
    auto log = replay::LogReader::Open(path);
    if (!log.ok()) return state.SkipWithError("the log cannot be opened");
    (*log)->SeekAfter(PlaceIn((*log)->last_sequence() - 1, ++i));
    replay::Record record;
    benchmark::DoNotOptimize((*log)->Next(record));
  }
}
BENCHMARK(BM_SeekLongLog)->Unit(benchmark::kMillisecond);

void BM_PlayLongLog(benchmark::State& state) {
  const std::string path = LongLog(state);
  for (auto _ : state) {
    auto replayer = replay::Replayer::Open(path);
    if (!replayer.ok()) return state.SkipWithError("the log cannot be opened");
    while (*(*replayer)->Next()) {
    }
  }
}
BENCHMARK(BM_PlayLongLog)->Unit(benchmark::kMillisecond);

void BM_GotoInLongLog(benchmark::State& state) {
  const std::string path = LongLog(state);
  auto replayer = replay::Replayer::Open(path);
  if (!replayer.ok()) return state.SkipWithError("the log cannot be opened");
  std::uint64_t i = 0;
  for (auto _ : state) {
    if (!(*replayer)->Goto(PlaceIn((*replayer)->last(), ++i)).ok()) {
      return state.SkipWithError("the moment cannot be gone to");
    }
  }
}
BENCHMARK(BM_GotoInLongLog)->Unit(benchmark::kMillisecond);

}  // namespace
