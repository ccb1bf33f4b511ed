#include "blockx/replay/recorder.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "chunk.h"
#include "segment_writer.h"
#include "snapshot_block.h"

namespace blockx::replay {

class Recorder::Impl {
 public:
  using WhenFull = RecorderOptions::WhenFull;

  Impl(RecorderOptions options, const engine::Driver& driver, std::unique_ptr<LogWriter> writer)
      : options_(std::move(options)),
        driver_(driver),
        chunk_(options_.payloads),
        writer_(std::move(writer)) {
    now_ = engine::AtMicroseconds(options_.recorded_at_us);
    AddSnapshot();
    thread_ = std::thread([this] { Write(); });
  }

  void OnStep(const engine::Step& step) {
    if (ended_.load(std::memory_order_relaxed)) return;
    now_ = step.now;
    outputs_.clear();
    if (options_.outputs) EncodeOutputs(step);
    const std::size_t before = chunk_.content().size();
    chunk_.Add(step.sequence, step.now, step.event, step.digest, outputs_);
    ++records_since_snapshot_;
    bytes_since_snapshot_ += chunk_.content().size() - before;
    if (chunk_.full()) FlushChunk();
    if (records_since_snapshot_ >= options_.snapshot_records ||
        bytes_since_snapshot_ >= options_.snapshot_bytes ||
        engine::Elapsed(snapshot_at_, now_) >= options_.limits.segment_age) {
      FlushChunk();
      AddSnapshot();
    }
  }

  void FlushChunk(WhenFull when_full) {
    if (chunk_.empty()) return;
    const BlockHeader header = chunk_.header();
    std::string content = SpareBuffer();
    chunk_.Take(content);
    Push(header, std::move(content), when_full);
  }
  void FlushChunk() { FlushChunk(options_.when_full); }

  absl::Status End() {
    if (thread_.joinable()) {
      if (!ended_) FlushChunk(WhenFull::kWait);  // As the caller waits anyway.
      {
        const std::lock_guard lock(mutex_);
        closing_ = true;
      }
      wake_writer_.notify_one();
      thread_.join();
    }
    const std::lock_guard lock(mutex_);
    return failure_;
  }

  [[nodiscard]] std::string ended_because() const {
    const std::lock_guard lock(mutex_);
    return std::string(failure_.message());
  }
  [[nodiscard]] LogStats stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  struct Item {
    BlockHeader header;
    std::string content;
  };

  // ---- On the driver's thread ----

  void AddSnapshot() {
    const engine::Engine& engine = driver_.engine();
    const LogSnapshot snapshot{.sequence = driver_.sequence(),
                               .now = now_,
                               .digest = driver_.digest(),
                               .state_digest = engine.StateDigest(),
                               .state = engine.Snapshot(options_.payloads == PayloadMode::kFull
                                                            ? engine::SnapshotPayloads::kKept
                                                            : engine::SnapshotPayloads::kLeftOut)};
    records_since_snapshot_ = 0;
    bytes_since_snapshot_ = 0;
    snapshot_at_ = now_;
    Push(SnapshotHeader(snapshot), SnapshotContent(snapshot), options_.when_full);
  }

  void EncodeOutputs(const engine::Step& step) {
    WireWriter wire(outputs_);
    if (step.reply.index() != 0) {
      ToProto(step.reply, reply_, options_.payloads);
      wire.TextAlways(4, reply_.SerializeAsString());
    }
    for (const engine::Command& command : step.commands) {
      ToProto(command, command_, options_.payloads);
      wire.TextAlways(5, command_.SerializeAsString());
    }
  }

  void Push(const BlockHeader& header, std::string content, WhenFull when_full) {
    std::unique_lock lock(mutex_);
    const auto has_room = [&] {
      return queued_bytes_ == 0 || queued_bytes_ + content.size() <= options_.queue_bytes;
    };
    if (when_full == WhenFull::kWait) {
      wake_driver_.wait(lock, [&] { return has_room() || ended_.load(); });
    }
    if (ended_) return;
    if (!has_room()) {
      return EndWith(absl::ResourceExhaustedError(
          "the disk did not keep up: more than " + std::to_string(options_.queue_bytes) +
          " bytes waited for it; the recording ends after record " +
          std::to_string(header.sequence - (header.kind == BlockKind::kChunk ? 1 : 0))));
    }
    queued_bytes_ += content.size();
    queue_.push_back({header, std::move(content)});
    lock.unlock();
    wake_writer_.notify_one();
  }

  std::string SpareBuffer() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return {};
    std::string buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }

  // Locked. What is queued is still written.
  void EndWith(absl::Status failure) {
    if (failure_.ok()) failure_ = std::move(failure);
    ended_ = true;
    closing_ = true;
    wake_writer_.notify_one();
    wake_driver_.notify_one();
  }

  // ---- On the writer's thread ----

  void Write() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_writer_.wait(lock, [&] { return !queue_.empty() || closing_; });
      if (queue_.empty()) break;
      Item item = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      absl::Status status = writer_->impl().Add(item.header, item.content);
      lock.lock();
      queued_bytes_ -= item.content.size();
      stats_ = writer_->stats();
      if (spare_.size() < kSpareBuffers && item.content.capacity() <= 4 * ChunkBuilder::kFull) {
        spare_.push_back(std::move(item.content));
      }
      if (!status.ok()) {
        queue_.clear();
        queued_bytes_ = 0;
        EndWith(std::move(status));
      }
      wake_driver_.notify_one();
    }
    lock.unlock();
    absl::Status closed = writer_->Close();
    lock.lock();
    stats_ = writer_->stats();
    ended_ = true;
    if (failure_.ok()) failure_ = std::move(closed);
  }

  static constexpr std::size_t kSpareBuffers = 4;

  const RecorderOptions options_;
  const engine::Driver& driver_;

  // The driver's thread alone.
  ChunkBuilder chunk_;
  std::string outputs_;
  log::v1::Reply reply_;
  log::v1::Command command_;
  engine::Instant now_{};
  engine::Instant snapshot_at_{};
  std::uint64_t records_since_snapshot_ = 0;
  std::size_t bytes_since_snapshot_ = 0;

  // The writer's thread alone, once it runs.
  std::unique_ptr<LogWriter> writer_;

  std::atomic<bool> ended_ = false;  // Nothing more is taken.
  mutable std::mutex mutex_;         // Guards all below.
  std::condition_variable wake_writer_;
  std::condition_variable wake_driver_;
  std::deque<Item> queue_;
  std::size_t queued_bytes_ = 0;
  std::vector<std::string> spare_;
  bool closing_ = false;
  absl::Status failure_;
  LogStats stats_;

  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Begin(RecorderOptions options,
                                                          const engine::Driver& driver) {
  log::v1::Header header;
  header.set_engine_version(options.engine_version);
  header.set_world(options.world);
  header.set_worker(options.worker);
  header.set_host(options.host);
  header.set_recorded_at_us(options.recorded_at_us);
  header.set_payloads(options.payloads == PayloadMode::kFull ? log::v1::Payloads::FULL
                                                             : log::v1::Payloads::DIGEST);
  header.set_outputs(options.outputs);
  SetConfig(driver.engine().config(), header);
  auto writer = LogWriter::Create(options.folder, std::move(header), options.limits);
  if (!writer.ok()) return writer.status();
  return std::unique_ptr<Recorder>(
      new Recorder(std::make_unique<Impl>(std::move(options), driver, *std::move(writer))));
}

Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recorder::~Recorder() { static_cast<void>(End()); }
void Recorder::OnStep(const engine::Step& step) { impl_->OnStep(step); }
void Recorder::Flush() { impl_->FlushChunk(); }
absl::Status Recorder::End() { return impl_->End(); }
std::string Recorder::ended_because() const { return impl_->ended_because(); }
LogStats Recorder::stats() const { return impl_->stats(); }

}  // namespace blockx::replay
