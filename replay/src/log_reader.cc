#include "blockx/replay/log_reader.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "chunk.h"
#include "log_files.h"
#include "segment_file.h"
#include "snapshot_block.h"

namespace blockx::replay {
namespace {

bool SameConfig(const log::v1::Header& a, const log::v1::Header& b) {
  const auto same = [](const log::v1::Setting& x, const log::v1::Setting& y) {
    return x.path() == y.path() && x.value() == y.value();
  };
  return std::equal(a.config().begin(), a.config().end(), b.config().begin(), b.config().end(),
                    same);
}

}  // namespace

class LogReader::Impl {
 public:
  // A chunk or snapshot of the whole log.
  struct Place {
    std::size_t segment = 0;
    BlockPlace block;
  };

  explicit Impl(std::string path) : path_(std::move(path)) {}

  absl::Status Open() {
    const absl::StatusOr<std::vector<std::string>> files = SegmentFilesOf(path_);
    if (!files.ok()) return files.status();
    for (const std::string& file : *files) {
      if (absl::Status status = AddSegment(file); !status.ok()) return status;
    }
    if (header_.format() == 0) {
      return absl::DataLossError(path_ + ": no segment has a header that can be read");
    }
    SetPlaces();
    return absl::OkStatus();
  }

  Found Next(Record& record) {
    for (;;) {
      if (!chunk_.at_end()) {
        std::string problem;
        if (chunk_.Next(record, problem)) {
          expected_ = record.sequence + 1;
          return Found::kRecord;
        }
        NoteDamage(places_[chunk_place_], "record " + std::to_string(expected_) + ": " + problem);
        chunk_ = ChunkReader();
        return Found::kDamage;
      }
      if (next_place_ == places_.size()) return Found::kEnd;
      const Place& place = places_[next_place_];
      const std::uint64_t next = place.block.sequence + (place.block.is_snapshot ? 1 : 0);
      if (next > expected_ && !gap_told_) {
        gap_told_ = true;
        const std::int64_t declared = files_[place.segment].info().header.lost_before();
        if (next - expected_ == static_cast<std::uint64_t>(declared)) return Found::kGap;
        NoteDamage(place, "records " + std::to_string(expected_) + " to " +
                              std::to_string(next - 1) + " are missing");
        return Found::kDamage;
      }
      ++next_place_;
      if (place.block.is_snapshot) {
        passed_snapshot_ = ReadSnapshot(place);
        return Found::kSnapshot;
      }
      if (place.block.sequence < expected_) {
        NoteDamage(place, "record " + std::to_string(place.block.sequence) +
                              " stands where record " + std::to_string(expected_) +
                              " was expected");
        return Found::kDamage;
      }
      gap_told_ = !StartChunk(place);  // What is missed because of this one was told with it.
      if (gap_told_) return Found::kDamage;
    }
  }

  std::optional<LogSnapshot> TakePassedSnapshot() {
    return std::exchange(passed_snapshot_, std::nullopt);
  }

  void SeekAfter(std::uint64_t sequence) {
    chunk_ = ChunkReader();
    gap_told_ = false;
    expected_ = sequence + 1;
    next_place_ = 0;
    // The last chunk that does not begin after the wanted record.
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].block.is_snapshot && places_[i].block.sequence <= expected_) next_place_ = i;
    }
    if (next_place_ >= places_.size() || places_[next_place_].block.is_snapshot) return;
    if (places_[next_place_].block.sequence + places_[next_place_].block.records <= expected_) {
      ++next_place_;
      return;
    }
    const Place& place = places_[next_place_++];
    if (!StartChunk(place)) return;
    Record passed;
    std::string problem;
    while (!chunk_.at_end() && chunk_.next_sequence() <= sequence) {
      if (!chunk_.Next(passed, problem)) {
        NoteDamage(place, problem);
        chunk_ = ChunkReader();
      }
    }
  }

  std::uint64_t FindTime(engine::Instant at) {
    // The last chunk that begins before that time, and what follows it.
    std::size_t from = places_.size();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].block.is_snapshot) continue;
      if (from == places_.size() || places_[i].block.now < at) from = i;
      if (places_[i].block.now >= at) break;
    }
    ChunkReader chunk;
    Record record;
    std::string problem;
    for (std::size_t i = from; i < places_.size(); ++i) {
      if (places_[i].block.is_snapshot) continue;
      BlockHeader header;
      if (!Read(places_[i], header)) continue;
      chunk.Start(header, content_);
      while (!chunk.at_end() && chunk.Next(record, problem)) {
        if (record.now >= at) return record.sequence;
      }
    }
    return last_sequence() + 1;
  }

  std::optional<LogSnapshot> SnapshotBefore(std::uint64_t sequence) {
    for (std::size_t i = places_.size(); i-- > 0;) {
      if (!places_[i].block.is_snapshot || places_[i].block.sequence > sequence) continue;
      if (auto snapshot = ReadSnapshot(places_[i])) return snapshot;
    }
    return std::nullopt;
  }

  std::optional<LogSnapshot> SnapshotAfter(std::uint64_t sequence) {
    for (const Place& place : places_) {
      if (!place.block.is_snapshot || place.block.sequence < sequence) continue;
      if (auto snapshot = ReadSnapshot(place)) return snapshot;
    }
    return std::nullopt;
  }

  bool Refresh() {
    // First the names: a segment behind which there is another one is then looked at when it is
    // complete.
    const absl::StatusOr<std::vector<std::string>> files = SegmentFilesOf(path_);
    files_.back().Refresh();
    if (files.ok()) {
      for (const std::string& file : *files) {
        if (file > files_.back().info().file) static_cast<void>(AddSegment(file));
      }
    }
    const std::size_t before = places_.size();
    SetPlaces();
    return places_.size() > before;
  }

  [[nodiscard]] const std::vector<SegmentInfo>& segments() const { return segments_; }
  [[nodiscard]] const std::vector<Damage>& damage() const { return damage_; }
  [[nodiscard]] const log::v1::Header& header() const { return header_; }
  [[nodiscard]] std::uint64_t first_sequence() const { return first_sequence_; }
  [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }
  [[nodiscard]] std::size_t snapshot_count() const {
    return static_cast<std::size_t>(
        std::count_if(places_.begin(), places_.end(),
                      [](const Place& place) { return place.block.is_snapshot; }));
  }

 private:
  absl::Status AddSegment(const std::string& file) {
    absl::StatusOr<SegmentFile> segment = SegmentFile::Open(file);
    if (!segment.ok()) return segment.status();
    const log::v1::Header& header = segment->info().header;
    if (header.format() > kFormatVersion) {
      return absl::FailedPreconditionError(
          file + ": its format is version " + std::to_string(header.format()) +
          "; this program knows versions up to " + std::to_string(kFormatVersion) +
          ": read it with engine version " + header.engine_version() + " or later");
    }
    if (header_.format() == 0) header_ = header;
    if (header.format() != 0 && !SameConfig(header, header_)) {
      read_damage_.push_back({.file = file,
                              .offset = kFileMagic.size(),
                              .what = "its configuration is not that of the segments before"});
    }
    files_.push_back(*std::move(segment));
    return absl::OkStatus();
  }

  void SetPlaces() {
    places_.clear();
    segments_.clear();
    damage_.clear();
    std::optional<std::uint64_t> first;
    last_sequence_ = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      segments_.push_back(files_[i].info());
      const std::vector<Damage>& found = files_[i].info().damage;
      damage_.insert(damage_.end(), found.begin(), found.end());
      for (const BlockPlace& block : files_[i].info().blocks) {
        places_.push_back({i, block});
        const std::uint64_t before = block.sequence - (block.is_snapshot ? 0 : 1);
        first = std::min(first.value_or(before), before);
        last_sequence_ = std::max(last_sequence_, before + block.records);
      }
    }
    damage_.insert(damage_.end(), read_damage_.begin(), read_damage_.end());
    first_sequence_ = first.value_or(0);
    if (next_place_ == 0) expected_ = first_sequence_ + 1;
  }

  bool Read(const Place& place, BlockHeader& header) {
    const BlockKind kind = place.block.is_snapshot ? BlockKind::kSnapshot : BlockKind::kChunk;
    if (files_[place.segment].Read(place.block, reader_, header, content_) && header.kind == kind &&
        header.records == place.block.records) {
      return true;
    }
    NoteDamage(
        place,
        place.block.is_snapshot
            ? "the snapshot after record " + std::to_string(place.block.sequence) + " is damaged"
            : "records " + std::to_string(place.block.sequence) + " to " +
                  std::to_string(place.block.sequence + place.block.records - 1) + " are damaged");
    return false;
  }

  bool StartChunk(const Place& place) {
    BlockHeader header;
    if (!Read(place, header)) return false;
    chunk_.Start(header, content_);
    chunk_place_ = static_cast<std::size_t>(&place - places_.data());
    return true;
  }

  std::optional<LogSnapshot> ReadSnapshot(const Place& place) {
    BlockHeader header;
    if (!Read(place, header)) return std::nullopt;
    std::optional<LogSnapshot> snapshot = ParseSnapshot(header, content_);
    if (!snapshot) {
      NoteDamage(place, "the snapshot after record " + std::to_string(place.block.sequence) +
                            " is damaged");
    }
    return snapshot;
  }

  void NoteDamage(const Place& place, std::string what) {
    const std::string& file = files_[place.segment].info().file;
    const auto same = [&](const Damage& d) {
      return d.offset == place.block.offset && d.file == file && d.what == what;
    };
    std::erase_if(damage_, same);
    std::erase_if(read_damage_, same);
    damage_.push_back({.file = file, .offset = place.block.offset, .what = std::move(what)});
    read_damage_.push_back(damage_.back());
  }

  std::string path_;
  std::vector<SegmentFile> files_;
  std::vector<SegmentInfo> segments_;
  std::vector<Place> places_;        // In the order of files and of blocks in them.
  std::vector<Damage> damage_;       // What scanning the files found, then what reading found.
  std::vector<Damage> read_damage_;  // The latter; what was found last stands last.
  log::v1::Header header_;
  std::uint64_t first_sequence_ = 0;
  std::uint64_t last_sequence_ = 0;

  BlockReader reader_;
  std::string content_;
  ChunkReader chunk_;
  std::size_t chunk_place_ = 0;
  std::optional<LogSnapshot> passed_snapshot_;
  std::size_t next_place_ = 0;
  std::uint64_t expected_ = 1;  // The sequence number of the record that comes next.
  bool gap_told_ = false;
};

LogReader::LogReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LogReader::~LogReader() = default;

absl::StatusOr<std::unique_ptr<LogReader>> LogReader::Open(const std::string& path) {
  auto impl = std::make_unique<Impl>(path);
  if (absl::Status status = impl->Open(); !status.ok()) return status;
  return std::unique_ptr<LogReader>(new LogReader(std::move(impl)));
}

const std::vector<SegmentInfo>& LogReader::segments() const { return impl_->segments(); }
const log::v1::Header& LogReader::header() const { return impl_->header(); }
std::uint64_t LogReader::first_sequence() const { return impl_->first_sequence(); }
std::uint64_t LogReader::last_sequence() const { return impl_->last_sequence(); }
std::size_t LogReader::snapshot_count() const { return impl_->snapshot_count(); }
LogReader::Found LogReader::Next(Record& record) { return impl_->Next(record); }
std::optional<LogSnapshot> LogReader::ReadSnapshot() { return impl_->TakePassedSnapshot(); }
const std::vector<Damage>& LogReader::damage() const { return impl_->damage(); }
bool LogReader::whole() const {
  const auto ended = [](const SegmentInfo& segment) { return segment.ended; };
  return damage().empty() && std::all_of(segments().begin(), segments().end(), ended);
}
void LogReader::SeekAfter(std::uint64_t sequence) { impl_->SeekAfter(sequence); }
std::uint64_t LogReader::FindTime(engine::Instant at) { return impl_->FindTime(at); }
std::optional<LogSnapshot> LogReader::SnapshotBefore(std::uint64_t sequence) {
  return impl_->SnapshotBefore(sequence);
}
std::optional<LogSnapshot> LogReader::SnapshotAfter(std::uint64_t sequence) {
  return impl_->SnapshotAfter(sequence);
}
bool LogReader::Refresh() { return impl_->Refresh(); }

}  // namespace blockx::replay
