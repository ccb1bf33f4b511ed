#include "replay/recording.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <variant>

#include "blockx/engine/step_digest.h"
#include "blockx/replay/log_text.h"
#include "properties/random_history.h"

namespace blockx::replay {
namespace {

// Found by trying: the first of them whose history is complete.
constexpr std::uint64_t kSeed = 151'713;

std::uint64_t Mix(std::uint64_t z) {  // splitmix64
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Keeps what happened, and passes it on.
class Keeper final : public engine::StepObserver {
 public:
  explicit Keeper(engine::StepObserver* next) : next_(next) {}

  void OnStep(const engine::Step& step) override {
    PlayedStep& kept = steps.emplace_back();
    kept.sequence = step.sequence;
    kept.now = step.now;
    kept.event = DigestOf(step.event);
    kept.digest = step.digest;
    ToLine(step, kept.line);
    if (next_ != nullptr) next_->OnStep(step);
  }

  PlayedSteps steps;

 private:
  engine::StepObserver* next_;
};

}  // namespace

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::path(::testing::TempDir()) / "blockx-log-XXXXXX").string();
  EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::path(const std::string& name) const { return path_ + "/" + name; }

std::uint64_t NumberAt(std::uint64_t seed, std::uint64_t i) { return Mix(Mix(seed) + i); }

std::uint64_t DigestOf(const engine::Event& event) {
  return std::visit(
      [](const auto& e) {
        return engine::ChainDigest(1, engine::Instant(), e, std::monostate(), {});
      },
      event);
}

engine::Config HistoryConfig() {
  return properties::SmallConfig({static_cast<std::uint32_t>(NumberAt(kSeed, 0))});
}

PlayedSteps Play(engine::Driver& driver, engine::StepObserver* observer, std::size_t steps) {
  Keeper keeper(observer);
  driver.SetObserver(&keeper);
  properties::RandomHistory history(driver.engine().config());
  for (std::size_t i = 0; i < steps; ++i) {
    const auto choice = static_cast<std::uint32_t>(NumberAt(kSeed, i));
    const auto step = history.Next(choice, driver.engine().NextDeadline());
    driver.Apply(step.event, step.now);
    history.Learn(driver.engine().commands());
    keeper.steps.back().state = driver.engine().StateDigest();
  }
  driver.SetObserver(nullptr);
  return std::move(keeper.steps);
}

RecorderOptions In(std::string folder) {
  RecorderOptions options;
  options.folder = std::move(folder);
  options.engine_version = "1.2.3";
  options.worker = "worker-7";
  options.snapshot_records = 100;
  options.when_full = RecorderOptions::WhenFull::kWait;
  return options;
}

PlayedSteps MakeLog(RecorderOptions options, std::size_t steps) {
  SilentWorld world;
  engine::Driver driver(engine::Engine(HistoryConfig()), world);
  auto recorder = Recorder::Begin(std::move(options), driver);
  EXPECT_TRUE(recorder.ok()) << recorder.status();
  if (!recorder.ok()) return {};
  PlayedSteps played = Play(driver, recorder->get(), steps);
  const absl::Status ended = (*recorder)->End();
  EXPECT_TRUE(ended.ok()) << ended;
  return played;
}

ReadLog ReadAll(LogReader& log) {
  ReadLog all;
  Record record;
  do {
    all.found.push_back(log.Next(record));
    if (all.found.back() == LogReader::Found::kRecord) {
      PlayedStep& read = all.records.emplace_back();
      read.sequence = record.sequence;
      read.now = record.now;
      read.event = DigestOf(record.event);
      read.digest = record.digest;
    } else if (all.found.back() == LogReader::Found::kSnapshot) {
      if (auto snapshot = log.ReadSnapshot()) all.snapshots.push_back(*std::move(snapshot));
    }
  } while (all.found.back() != LogReader::Found::kEnd);
  return all;
}

std::unique_ptr<LogReader> OpenLog(const std::string& path) {
  auto log = LogReader::Open(path);
  EXPECT_TRUE(log.ok()) << log.status();
  return log.ok() ? *std::move(log) : nullptr;
}

std::size_t SameFromStart(const std::vector<PlayedStep>& records, const PlayedSteps& steps) {
  const auto same = [](const PlayedStep& a, const PlayedStep& b) {
    return a.sequence == b.sequence && a.now == b.now && a.event == b.event && a.digest == b.digest;
  };
  const auto at = std::mismatch(records.begin(), records.end(), steps.begin(), steps.end(), same);
  return static_cast<std::size_t>(at.first - records.begin());
}

absl::StatusOr<std::uint64_t> Verify(Replayer& replayer) {
  std::uint64_t verified = 0;
  for (;;) {
    const absl::StatusOr<bool> more = replayer.Next();
    if (!more.ok()) return more.status();
    if (!*more) return verified;
    ++verified;
    const auto snapshot = replayer.log().SnapshotAfter(replayer.sequence());
    if (!snapshot || snapshot->sequence != replayer.sequence()) continue;
    if (snapshot->digest != replayer.digest() ||
        snapshot->state_digest != replayer.engine().StateDigest()) {
      return absl::FailedPreconditionError("another state at a snapshot");
    }
  }
}

absl::StatusOr<std::uint64_t> Verify(const std::string& path) {
  auto replayer = Replayer::Open(path);
  return replayer.ok() ? Verify(**replayer) : replayer.status();
}

std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  EXPECT_TRUE(file.good()) << path;
}

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string OnlySegment(const std::string& folder) {
  const std::vector<std::string> files = FilesIn(folder);
  EXPECT_EQ(files.size(), 1U);
  return folder + "/" + files.at(0);
}

std::vector<std::string> TextLines(const std::string& path) {
  const auto log = OpenLog(path);
  std::vector<std::string> lines;
  log::v1::Line line;
  ToLine(log->header(), line);
  lines.push_back(JsonOf(line));
  Record record;
  for (auto found = log->Next(record); found != LogReader::Found::kEnd; found = log->Next(record)) {
    if (found == LogReader::Found::kSnapshot) {
      ToLine(*log->ReadSnapshot(), line);
    } else {
      ToLine(record, line);
    }
    lines.push_back(JsonOf(line));
  }
  return lines;
}

}  // namespace blockx::replay
