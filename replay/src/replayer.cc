#include "blockx/replay/replayer.h"

#include <utility>

#include "absl/status/status.h"
#include "blockx/replay/log_reader.h"

namespace blockx::replay {
namespace {

// Carries nothing out.
class SilentWorld final : public engine::World {
 public:
  void Carry(const engine::Command& /*command*/, engine::Instant /*now*/) override {}
};

class LogReplayer final : public Replayer {
 public:
  LogReplayer(std::unique_ptr<LogReader> log, const engine::Config& config, bool compares)
      : log_(std::move(log)), config_(config), compares_(compares) {}

  absl::Status Restore(const LogSnapshot& snapshot) override {
    // Before anything happened there is nothing to restore, and a configuration that differs may
    // not be able to: a snapshot is of so many executors.
    const bool begins = !compares_ && snapshot.sequence == 0;
    engine::Result<engine::Engine> restored =
        begins ? engine::Engine(config_) : engine::Engine::Restore(config_, snapshot.state);
    if (!restored.ok()) {
      return absl::DataLossError("the snapshot after record " + std::to_string(snapshot.sequence) +
                                 " cannot be restored: " + std::string(restored.error().message));
    }
    if (!begins && restored.value().StateDigest() != snapshot.state_digest) {
      return absl::DataLossError("the snapshot after record " + std::to_string(snapshot.sequence) +
                                 " does not give the state that was recorded");
    }
    driver_.emplace(restored.value(), world_, nullptr, snapshot.sequence, snapshot.digest);
    diverged_at_ = 0;  // The chain begins anew.
    now_ = snapshot.now;
    log_->SeekAfter(snapshot.sequence);
    return absl::OkStatus();
  }

  [[nodiscard]] std::uint64_t first() const override { return log_->first_sequence(); }
  [[nodiscard]] std::uint64_t last() const override { return log_->last_sequence(); }
  [[nodiscard]] std::uint64_t sequence() const override { return driver_->sequence(); }
  [[nodiscard]] std::uint64_t digest() const override { return driver_->digest(); }
  [[nodiscard]] engine::Instant now() const override { return now_; }
  [[nodiscard]] const engine::Engine& engine() const override { return driver_->engine(); }
  [[nodiscard]] const Record& record() const override { return record_; }
  [[nodiscard]] LogReader& log() override { return *log_; }

  absl::StatusOr<bool> Next(engine::StepObserver* observer) override {
    for (bool found = false; !found;) {
      switch (log_->Next(record_)) {
        case LogReader::Found::kEnd:
          return false;
        case LogReader::Found::kSnapshot:
          break;
        case LogReader::Found::kDamage:
          return absl::DataLossError(log_->damage().back().what);
        case LogReader::Found::kGap:
          if (!SkipDamage()) {
            return absl::DataLossError("no snapshot behind lost records can be read");
          }
          break;
        case LogReader::Found::kRecord:
          found = true;
      }
    }
    if (record_.sequence != driver_->sequence() + 1) {
      return absl::DataLossError("record " + std::to_string(driver_->sequence() + 1) +
                                 " is missing; the next one is " +
                                 std::to_string(record_.sequence));
    }
    driver_->SetObserver(observer);
    driver_->Apply(record_.event, record_.now);
    driver_->SetObserver(nullptr);
    now_ = record_.now;
    if (!compares_ || driver_->digest() == record_.digest) return true;
    if (diverged_at_ == 0) diverged_at_ = record_.sequence;
    if (diverged_at_ < record_.sequence) return true;  // Told once: the chain never meets again.
    return absl::FailedPreconditionError("record " + std::to_string(record_.sequence) +
                                         ": this engine decides otherwise than the recorded one");
  }

  bool SkipDamage() override { return RestoreFrom(driver_->sequence() + 1).ok(); }

  // The first snapshot at or after that record from which the log can be played.
  absl::Status RestoreFrom(std::uint64_t sequence) {
    absl::Status status = absl::DataLossError("no snapshot in the log can be read");
    while (const std::optional<LogSnapshot> snapshot = log_->SnapshotAfter(sequence)) {
      absl::Status restored = Restore(*snapshot);
      if (restored.ok()) return restored;
      status = std::move(restored);
      sequence = snapshot->sequence + 1;
    }
    return status;
  }

  absl::Status Goto(std::uint64_t sequence) override {
    if (absl::Status status = RestoreBefore(sequence); !status.ok()) return status;
    while (driver_->sequence() < sequence) {
      const absl::StatusOr<bool> more = Next(nullptr);
      if (!more.ok() && !absl::IsFailedPrecondition(more.status())) return more.status();
      if (more.ok() && !*more) {
        return absl::OutOfRangeError("the log ends after record " +
                                     std::to_string(driver_->sequence()));
      }
    }
    return absl::OkStatus();
  }

 private:
  // The nearest snapshot before that record that can be restored, unless the way from here is
  // shorter. Under another configuration the later ones are of another history.
  absl::Status RestoreBefore(std::uint64_t sequence) {
    const bool ahead = sequence >= driver_->sequence();
    if (!compares_) return ahead ? absl::OkStatus() : RestoreFrom(0);
    for (std::uint64_t at = sequence;; --at) {
      const std::optional<LogSnapshot> snapshot = log_->SnapshotBefore(at);
      if (ahead && (!snapshot || snapshot->sequence <= driver_->sequence())) {
        return absl::OkStatus();
      }
      if (snapshot && Restore(*snapshot).ok()) return absl::OkStatus();
      if (!snapshot || snapshot->sequence == 0) break;
      at = snapshot->sequence;
    }
    return absl::DataLossError("no snapshot before record " + std::to_string(sequence) +
                               " can be read");
  }

  std::unique_ptr<LogReader> log_;
  engine::Config config_;
  bool compares_;
  SilentWorld world_;
  std::optional<engine::Driver> driver_;  // Never empty once restored.
  Record record_;
  engine::Instant now_ = engine::kNever;
  std::uint64_t diverged_at_ = 0;  // 0: nowhere so far.
};

}  // namespace

absl::StatusOr<std::unique_ptr<Replayer>> Replayer::Open(const std::string& path,
                                                         std::optional<engine::Config> config) {
  absl::StatusOr<std::unique_ptr<LogReader>> log = LogReader::Open(path);
  if (!log.ok()) return log.status();
  const bool compares = !config.has_value();
  if (!config) {
    absl::StatusOr<engine::Config> recorded = ConfigOf((*log)->header());
    if (!recorded.ok()) return recorded.status();
    config = *recorded;
  }
  auto replayer = std::make_unique<LogReplayer>(*std::move(log), *config, compares);
  if (absl::Status status = replayer->RestoreFrom(0); !status.ok()) {
    return absl::Status(status.code(), path + ": " + std::string(status.message()));
  }
  return replayer;
}

}  // namespace blockx::replay
