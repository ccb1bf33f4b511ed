#include "segment_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "log_files.h"
#include "snapshot_block.h"

namespace blockx::replay {
namespace {

absl::Status FileError(const std::string& path, const char* what, int error) {
  const std::string text = path + ": " + what + ": " + std::strerror(error);
  if (error == ENOSPC || error == EDQUOT) return absl::ResourceExhaustedError(text);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(text);
  return absl::UnavailableError(text);
}

}  // namespace

LogWriter::Impl::Impl(std::string folder, log::v1::Header header, const LogLimits& limits)
    : folder_(std::move(folder)), header_(std::move(header)), limits_(limits), chunk_(payloads()) {
  header_.set_format(kFormatVersion);
  header_.set_segment(0);
}

LogWriter::Impl::~Impl() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status LogWriter::Impl::MakeFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::path(folder_).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
    return FileError(folder_, "the folder cannot be made", errno);
  }
  if (!std::filesystem::is_directory(folder_, error)) {
    return absl::AlreadyExistsError(folder_ + ": is no folder; expected one, or nothing");
  }
  if (SegmentFilesOf(folder_).ok()) {
    return absl::AlreadyExistsError(folder_ + ": has a log already; name another folder");
  }
  return absl::OkStatus();
}

absl::Status LogWriter::Impl::Add(const BlockHeader& header, std::string_view content) {
  if (!failed_.ok()) return failed_;
  if (header.kind == BlockKind::kSnapshot) {
    const std::int64_t lost = stats_.segments == 0 ? 0 : header.sequence + 1 - next_sequence_;
    if (descriptor_ < 0 || lost > 0 || SegmentIsFull(header)) {
      header_.set_lost_before(lost);
      if (absl::Status status = EndSegment(); !status.ok()) return status;
      if (absl::Status status = BeginSegment(header); !status.ok()) return status;
      DeleteOldest();
    }
  } else if (descriptor_ < 0) {
    return absl::FailedPreconditionError("a log begins with a snapshot");
  }
  if (absl::Status status = Append(header, content); !status.ok()) return status;
  stats_.records += header.records;
  next_sequence_ = header.sequence + (header.kind == BlockKind::kSnapshot ? 1 : header.records);
  return absl::OkStatus();
}

absl::Status LogWriter::Impl::CheckRecord(std::uint64_t sequence) const {
  if (!failed_.ok()) return failed_;
  if (descriptor_ < 0) return absl::FailedPreconditionError("a log begins with a snapshot");
  return sequence == next_sequence() ? absl::OkStatus() : OutOfOrder("record", sequence);
}

absl::Status LogWriter::Impl::CheckSnapshot(std::uint64_t sequence) const {
  if (!failed_.ok()) return failed_;
  if (descriptor_ < 0 || sequence + 1 >= next_sequence()) return absl::OkStatus();
  return OutOfOrder("a snapshot after record", sequence);
}

std::uint64_t LogWriter::Impl::next_sequence() const {
  return static_cast<std::uint64_t>(
      chunk_.empty() ? next_sequence_ : chunk_.header().sequence + chunk_.header().records);
}

absl::Status LogWriter::Impl::OutOfOrder(const std::string& found, std::uint64_t sequence) const {
  return absl::InvalidArgumentError("found " + found + " " + std::to_string(sequence) +
                                    "; expected record " + std::to_string(next_sequence()));
}

bool LogWriter::Impl::SegmentIsFull(const BlockHeader& next) const {
  return size_ >= limits_.segment_bytes ||
         engine::Elapsed(began_, engine::AtMicroseconds(next.now_us)) >= limits_.segment_age;
}

absl::Status LogWriter::Impl::BeginSegment(const BlockHeader& snapshot) {
  file_ = (std::filesystem::path(folder_) /
           SegmentFileName(static_cast<std::uint64_t>(snapshot.sequence)))
              .string();
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  descriptor_ = open(file_.c_str(), kFlags, 0600);
  if (descriptor_ < 0) return failed_ = FileError(file_, "cannot be made", errno);
  size_ = 0;
  began_ = engine::AtMicroseconds(snapshot.now_us);
  index_.Clear();
  ++stats_.segments;
  header_.set_segment(header_.segment() + 1);
  absl::Status status = Write(kFileMagic);
  if (status.ok()) {
    status = Append(
        {.kind = BlockKind::kHeader, .sequence = snapshot.sequence, .now_us = snapshot.now_us},
        header_.SerializeAsString());
  }
  // Without a header it is no segment.
  if (!status.ok()) unlink(file_.c_str());
  return status;
}

absl::Status LogWriter::Impl::EndSegment() {
  if (descriptor_ < 0) return absl::OkStatus();
  if (failed_.ok()) {
    const std::int64_t index_offset = size_;
    bytes_.clear();
    blocks_.Append({.kind = BlockKind::kIndex}, index_.SerializeAsString(), bytes_);
    bytes_.append(reinterpret_cast<const char*>(&index_offset), sizeof index_offset);
    bytes_.append(kTrailerMagic);
    static_cast<void>(Write(bytes_));
  }
  if (failed_.ok() && fdatasync(descriptor_) != 0) {
    failed_ = FileError(file_, "cannot be brought to the disk", errno);
  }
  close(std::exchange(descriptor_, -1));
  old_.push_back({file_, size_});
  old_bytes_ += size_;
  return failed_;
}

void LogWriter::Impl::DeleteOldest() {
  if (limits_.retained_bytes == 0) return;
  while (!old_.empty() && old_bytes_ > limits_.retained_bytes) {
    unlink(old_.front().file.c_str());
    old_bytes_ -= old_.front().bytes;
    old_.pop_front();
  }
}

absl::Status LogWriter::Impl::Append(const BlockHeader& header, std::string_view content) {
  const std::int64_t offset = size_;
  bytes_.clear();
  blocks_.Append(header, content, bytes_);
  if (absl::Status status = Write(bytes_); !status.ok()) return status;
  log::v1::Index::Block& block = *index_.add_blocks();
  block.set_offset(offset);
  block.set_size(size_ - offset);
  block.set_kind(static_cast<std::int64_t>(header.kind));
  block.set_sequence(header.sequence);
  block.set_now_us(header.now_us);
  block.set_records(header.records);
  return absl::OkStatus();
}

absl::Status LogWriter::Impl::Write(std::string_view bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      failed_ = FileError(file_, "cannot be written", written < 0 ? errno : ENOSPC);
      // Back to the last whole block: what is there can be read to its end.
      if (ftruncate(descriptor_, size_) != 0) {
        failed_ = FileError(file_, "cannot be written, nor cut to its last whole block", errno);
      }
      return failed_;
    }
    done += static_cast<std::size_t>(written);
  }
  size_ += static_cast<std::int64_t>(bytes.size());
  stats_.bytes += bytes.size();
  return absl::OkStatus();
}

absl::Status LogWriter::Impl::FlushChunk() {
  if (chunk_.empty()) return failed_;
  const absl::Status status = Add(chunk_.header(), chunk_.content());
  std::string memory;
  chunk_.Take(memory);
  return status;
}

absl::Status LogWriter::Impl::Close() {
  const absl::Status flushed = FlushChunk();
  const absl::Status ended = EndSegment();
  return flushed.ok() ? ended : flushed;
}

LogWriter::LogWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LogWriter::~LogWriter() = default;

absl::StatusOr<std::unique_ptr<LogWriter>> LogWriter::Create(const std::string& folder,
                                                             log::v1::Header header,
                                                             const LogLimits& limits) {
  auto impl = std::make_unique<Impl>(folder, std::move(header), limits);
  if (absl::Status status = impl->MakeFolder(); !status.ok()) return status;
  return std::unique_ptr<LogWriter>(new LogWriter(std::move(impl)));
}

absl::Status LogWriter::AddSnapshot(const LogSnapshot& snapshot) {
  if (absl::Status status = impl_->CheckSnapshot(snapshot.sequence); !status.ok()) return status;
  if (absl::Status status = impl_->FlushChunk(); !status.ok()) return status;
  return impl_->Add(SnapshotHeader(snapshot), SnapshotContent(snapshot));
}

absl::Status LogWriter::AddRecord(const Record& record) {
  if (absl::Status status = impl_->CheckRecord(record.sequence); !status.ok()) return status;
  impl_->chunk().Add(record.sequence, record.now, record.event, record.digest, record.outputs);
  return impl_->chunk().full() ? impl_->FlushChunk() : absl::OkStatus();
}

absl::Status LogWriter::Close() { return impl_->Close(); }

const LogStats& LogWriter::stats() const { return impl_->stats(); }

}  // namespace blockx::replay
