#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "blockx/replay/brief.h"
#include "blockx/replay/replayer.h"
#include "commands.h"
#include "common.h"
#include "step_line.h"

namespace blockx::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string log;
  RecordFilter span;
  bool json = false;
};

struct Divergence {
  std::uint64_t sequence = 0;
  std::string what;
  log::v1::Line found{};  // What this engine made of the event; of a snapshot, nothing.
  std::string expected_digest{};
  log::v1::Record expected{};      // Reply and commands, where they were recorded.
};

class Verifier {
 public:
  explicit Verifier(replay::Replayer& replayer) : replayer_(replayer) {
    for (const replay::SegmentInfo& segment : replayer.log().segments()) {
      for (const replay::BlockPlace& block : segment.blocks) {
        if (block.is_snapshot) snapshots_.push_back(block.sequence);
      }
    }
  }

  // From `first`, or from the moment that could be reached behind it, to that one.
  void Run(std::uint64_t first, std::uint64_t last) {
    unverified_ += replayer_.sequence() - std::min(first, replayer_.sequence());
    ReplayProgress progress(replayer_.sequence(), last);
    while (!divergence_ && replayer_.sequence() < last) {
      const absl::StatusOr<bool> more = replayer_.Next();
      if (more.ok() && !*more) break;
      if (more.ok()) {
        ++verified_;
        progress.At(replayer_.sequence());
        if (IsSnapshot(replayer_.sequence())) CheckSnapshot();
      } else if (absl::IsFailedPrecondition(more.status())) {
        Explain();
      } else if (!GoOnAfterDamage()) {
        break;
      }
    }
    if (replayer_.sequence() < last && !divergence_) unverified_ += last - replayer_.sequence();
  }

  [[nodiscard]] std::uint64_t verified() const { return verified_; }
  [[nodiscard]] std::uint64_t unverified() const { return unverified_; }
  [[nodiscard]] std::uint64_t snapshots() const { return snapshots_verified_; }
  [[nodiscard]] const std::optional<Divergence>& divergence() const { return divergence_; }

 private:
  bool IsSnapshot(std::uint64_t sequence) {
    while (next_snapshot_ < snapshots_.size() && snapshots_[next_snapshot_] < sequence) {
      ++next_snapshot_;
    }
    return next_snapshot_ < snapshots_.size() && snapshots_[next_snapshot_] == sequence;
  }

  void CheckSnapshot() {
    const auto snapshot = replayer_.log().SnapshotAfter(replayer_.sequence());
    if (!snapshot || snapshot->sequence != replayer_.sequence()) return;  // Damaged: noted.
    const bool same = snapshot->digest == replayer_.digest() &&
                      snapshot->state_digest == replayer_.engine().StateDigest();
    if (same) {
      ++snapshots_verified_;
      return;
    }
    divergence_ = Divergence{.sequence = replayer_.sequence(),
                             .what = "the snapshot after record " +
                                     std::to_string(replayer_.sequence()) +
                                     " has another state than this engine has there"};
  }

  // Plays the step once more, and keeps it.
  void Explain() {
    Divergence divergence{.sequence = replayer_.sequence(),
                          .what = "this engine decides otherwise than the recorded one"};
    divergence.expected_digest = replay::DigestText(replayer_.record().digest);
    divergence.expected.ParseFromString(std::string(replayer_.record().outputs));
    StepKeeper keeper;
    if (replayer_.Goto(divergence.sequence - 1).ok()) {
      static_cast<void>(replayer_.Next(&keeper));
      divergence.found = keeper.line();
    }
    divergence_ = std::move(divergence);
  }

  bool GoOnAfterDamage() {
    const std::uint64_t before = replayer_.sequence();
    if (!replayer_.SkipDamage()) return false;
    unverified_ += replayer_.sequence() - before;
    return true;
  }

  replay::Replayer& replayer_;
  std::vector<std::uint64_t> snapshots_;
  std::size_t next_snapshot_ = 0;
  std::uint64_t verified_ = 0;
  std::uint64_t unverified_ = 0;
  std::uint64_t snapshots_verified_ = 0;
  std::optional<Divergence> divergence_;
};

// The step as it was recorded.
log::v1::Line ExpectedLine(const Divergence& divergence) {
  log::v1::Line line = divergence.found;
  line.set_digest(divergence.expected_digest);
  line.clear_reply();
  if (divergence.expected.has_reply()) *line.mutable_reply() = divergence.expected.reply();
  *line.mutable_commands() = divergence.expected.commands();
  return line;
}

Json ToJson(const Divergence& divergence) {
  Json out{{"sequence", divergence.sequence}, {"what", divergence.what}};
  if (divergence.found.has_event()) {
    out["step"] = Json::parse(replay::JsonOf(divergence.found));
    out["expectedDigest"] = divergence.expected_digest;
    if (divergence.expected.ByteSizeLong() > 0) {
      out["expected"] = Json::parse(replay::JsonOf(ExpectedLine(divergence)));
    }
  }
  return out;
}

void Print(const Divergence& divergence, const log::v1::Header& header) {
  std::printf("DIVERGES at record %llu: %s\n",
              static_cast<unsigned long long>(divergence.sequence), divergence.what.c_str());
  if (!divergence.found.has_event()) return;
  std::printf("found, digest %s:\n%s", divergence.found.digest().c_str(),
              TextOf(divergence.found, header.world()).c_str());
  std::printf("expected, digest %s:\n", divergence.expected_digest.c_str());
  if (!header.outputs()) {
    std::printf("    (this log has no replies and commands, only their digest)\n");
    return;
  }
  std::printf("%s", TextOf(ExpectedLine(divergence), header.world()).c_str());
}

void Report(const Options& options, const Verifier& verifier, const replay::LogReader& log) {
  const auto& divergence = verifier.divergence();
  if (options.json) {
    Json out{{"verifiedRecords", verifier.verified()},
             {"verifiedSnapshots", verifier.snapshots()},
             {"unverifiedRecords", verifier.unverified()},
             {"recordedBy", log.header().engine_version()},
             {"verifiedBy", BLOCKX_VERSION}};
    out["divergence"] = divergence ? ToJson(*divergence) : Json();
    AddDamage(log, out);
    PrintJson(out);
    return;
  }
  if (divergence) Print(*divergence, log.header());
  std::printf("%llu records and %llu snapshots verified, recorded by engine %s, by engine %s\n",
              static_cast<unsigned long long>(verifier.verified()),
              static_cast<unsigned long long>(verifier.snapshots()),
              log.header().engine_version().c_str(), BLOCKX_VERSION);
  if (log.whole() && verifier.unverified() == 0) return;
  std::printf("DAMAGED: %llu records could not be verified\n",
              static_cast<unsigned long long>(verifier.unverified()));
  PrintDamage(log, stdout);
}

int Run(const Options& options) {
  auto replayer = replay::Replayer::Open(options.log);
  if (!replayer.ok()) return ComplainOf(replayer.status());
  replay::LogReader& log = (*replayer)->log();
  std::uint64_t last = log.last_sequence();
  if (!options.span.to.empty()) {
    const auto to = ParseMoment(options.span.to, log);
    if (!to) return kBadUse;
    last = *to;
  }
  std::uint64_t first = log.first_sequence();
  if (!options.span.from.empty()) {
    const auto from = ParseMoment(options.span.from, log);
    if (!from) return kBadUse;
    // From the nearest snapshot on.
    const auto snapshot = log.SnapshotBefore(*from == 0 ? 0 : *from - 1);
    if (snapshot) {
      if (absl::Status status = (*replayer)->Restore(*snapshot); !status.ok()) {
        return ComplainOf(status);
      }
    }
    first = (*replayer)->sequence();
  }
  Verifier verifier(**replayer);
  verifier.Run(first, last);
  Report(options, verifier, log);
  if (verifier.divergence()) return kDiffers;
  return log.whole() && verifier.unverified() == 0 ? kSame : kDamaged;
}

}  // namespace

void AddVerifyCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "verify", "Replays every event with this engine and compares what comes out");
  command.add_option("LOG", options->log, "The log")->required();
  command
      .add_option("--from", options->span.from, "Begin at the last snapshot before this moment")
      ->type_name("MOMENT");
  command.add_option("--to", options->span.to, "Stop after this moment")->type_name("MOMENT");
  command.add_flag("--json", options->json, "For programs");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
