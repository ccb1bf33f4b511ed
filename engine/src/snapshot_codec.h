#ifndef BLOCKX_ENGINE_SRC_SNAPSHOT_CODEC_H_
#define BLOCKX_ENGINE_SRC_SNAPSHOT_CODEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "blockx/engine/ids.h"
#include "blockx/engine/payload.h"
#include "blockx/engine/task_result.h"
#include "blockx/engine/time.h"
#include "call_table.h"
#include "worker_core.h"

// How values stand in a snapshot: whole numbers as variable-length integers (seven bits a byte,
// lowest first, signed ones zigzagged), text and bytes after their length. What both directions
// must agree on is written once, in Visit.
namespace blockx::engine {

class Encoder {
 public:
  // Payloads as in a snapshot, or by size and fingerprint alone, as the state digest sees them.
  enum class For { kSnapshot, kSnapshotWithoutPayloads, kDigest };
  Encoder(std::string& out, For purpose) : out_(out), purpose_(purpose) {}

  template <class... Fields>
  void operator()(const Fields&... fields) {
    (Put(fields), ...);
  }

 private:
  void PutWord(std::uint64_t word) {
    for (; word >= 0x80; word >>= 7) out_.push_back(static_cast<char>(word | 0x80));
    out_.push_back(static_cast<char>(word));
  }
  template <class T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void Put(T value) {
    if constexpr (std::is_signed_v<T>) {
      const auto wide = static_cast<std::int64_t>(value);
      PutWord(static_cast<std::uint64_t>(wide) << 1 ^ static_cast<std::uint64_t>(wide >> 63));
    } else {
      PutWord(static_cast<std::uint64_t>(value));
    }
  }
  void Put(std::string_view text) {
    PutWord(text.size());
    out_.append(text);
  }
  void Put(const std::string& text) { Put(std::string_view(text)); }
  void Put(Duration duration) { Put(duration.count()); }
  void Put(Instant instant) { Put(ToMicroseconds(instant)); }
  template <class Tag>
  void Put(Id<Tag> id) {
    Put(id.value());
  }
  void Put(const std::optional<Instant>& instant) {
    Put(instant.has_value());
    if (instant) Put(*instant);
  }
  void Put(const Payload& payload) {
    (*this)(payload.size(), payload.fingerprint());
    if (purpose_ == For::kDigest) return;
    const bool with_bytes = purpose_ == For::kSnapshot && payload.bytes() != nullptr;
    Put(with_bytes);
    if (with_bytes) Put(*payload.bytes());
  }

  std::string& out_;
  For purpose_;
};

// Reads what Encoder wrote. After the first thing that does not fit, everything reads as nothing
// and ok() is false; no count or length is believed beyond the bytes that are there.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : left_(bytes) {}

  template <class... Fields>
  void operator()(Fields&... fields) {
    (Get(fields), ...);
  }
  // How many elements follow, each of at least one byte.
  std::size_t Count() {
    const std::uint64_t count = GetWord();
    if (count <= left_.size()) return static_cast<std::size_t>(count);
    Refuse();
    return 0;
  }
  void Refuse() {
    ok_ = false;
    left_ = {};
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return left_.empty(); }

 private:
  std::uint64_t GetWord() {
    std::uint64_t word = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) break;
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      word |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return word;
    }
    Refuse();
    return 0;
  }
  template <class T>
  requires std::is_integral_v<T>
  void Get(T& value) {
    const std::uint64_t word = GetWord();
    if constexpr (std::is_signed_v<T>) {
      value = static_cast<T>(static_cast<std::int64_t>(word >> 1) ^
                             -static_cast<std::int64_t>(word & 1));
    } else {
      value = static_cast<T>(word);
      if (static_cast<std::uint64_t>(value) != word) Refuse();
    }
  }
  template <class T>
  requires std::is_enum_v<T>
  void Get(T& value) {
    constexpr std::uint64_t kMost =
        5;  // No enum of the state has more than six values; where a smaller one is wrong,
    const std::uint64_t word = GetWord();  // the invariants say so.
    if (word > kMost) Refuse();
    value = static_cast<T>(ok_ ? word : 0);
  }
  void Get(std::string& text) {
    const std::size_t size = Count();
    text = left_.substr(0, size);
    left_.remove_prefix(size);
  }
  void Get(Duration& duration) {
    std::int64_t count = 0;
    Get(count);
    duration = Duration(count);
  }
  void Get(Instant& instant) {
    std::int64_t count = 0;
    Get(count);
    instant = AtMicroseconds(count);
  }
  template <class Tag>
  void Get(Id<Tag>& id) {
    std::int64_t value = 0;
    Get(value);
    id = Id<Tag>(value);
  }
  void Get(std::optional<Instant>& instant) {
    bool present = false;
    Get(present);
    instant.reset();
    if (present) Get(instant.emplace());
  }
  void Get(Payload& payload) {
    std::uint64_t size = 0;
    std::uint64_t fingerprint = 0;
    bool has_bytes = false;
    (*this)(size, fingerprint, has_bytes);
    payload = size == 0 ? Payload() : Payload::LeftOut(size, fingerprint);
    if (!has_bytes) return;
    std::string bytes;
    Get(bytes);
    payload = Payload::FromBytes(std::move(bytes));
    if (payload.size() != size || payload.fingerprint() != fingerprint) Refuse();
  }

  std::string_view left_;
  bool ok_ = true;
};

// ---- What belongs to each record; the places in lists and queues are written apart, by name. ----

template <class Codec, class T>
void VisitResult(Codec& codec, T& r) {
  auto& t = r.times;
  codec(r.state, r.retryable, r.calls.total, r.calls.failed, r.calls.retried, r.failure_code,
        r.message, r.plugin_results, t.accepted, t.activated, t.builder_granted, t.built,
        t.scan_granted, t.executors_granted, t.called, t.plugin_granted, t.ended);
}

template <class Codec, class T>
void VisitTask(Codec& codec, T& task) {
  codec(task.id, task.state, task.message_is_reported, task.run, task.purge_at, task.content);
  VisitResult(codec, task.result);
}

template <class Codec, class T>
void VisitActive(Codec& codec, T& a) {
  codec(a.run, a.phase, a.owed, a.has_result_handler, a.holds_scan, a.holds_executors,
        a.failure_policy, a.retry.max_attempts, a.retry.base_backoff, a.retry.jitter_percent,
        a.deadline, a.epoch);
}

template <class Codec, class T>
void VisitCall(Codec& codec, T& c) {
  codec(c.id, c.state, c.retryable, c.index, c.depth, c.attempts, c.ref, c.function, c.args,
        c.output, c.code, c.message);
}

template <class Codec, class T>
void VisitTaskCalls(Codec& codec, T& t) {
  codec(t.window, t.output_bytes, t.counts.total, t.counts.failed, t.counts.retried, t.granted,
        t.streaming, t.stream_ended, t.paused);
}

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_SNAPSHOT_CODEC_H_
