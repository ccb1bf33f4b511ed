#ifndef BLOCKX_ENGINE_PAYLOAD_H_
#define BLOCKX_ENGINE_PAYLOAD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "blockx/engine/fingerprint.h"

namespace blockx::engine {

// Bytes that the engine carries and never looks into: it decides from their size and fingerprint
// alone, so a history whose payloads were left out replays to the same decisions (R-EV-4). Copies
// share the bytes; a Payload never changes.
class Payload {
 public:
  Payload() = default;  // No bytes at all; allocates nothing.

  static Payload FromBytes(std::string bytes) {
    if (bytes.empty()) return Payload();
    const std::uint64_t size = bytes.size();
    const std::uint64_t fingerprint = Fingerprint::Of(bytes);
    return Payload(size, fingerprint, std::make_shared<const std::string>(std::move(bytes)));
  }
  // A payload that was left out of a record: it counts as `size` bytes with that fingerprint, but
  // has no bytes to show.
  static Payload LeftOut(std::uint64_t size, std::uint64_t fingerprint) {
    return Payload(size, fingerprint, nullptr);
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }
  // Null when there are none, or when they were left out.
  [[nodiscard]] const std::string* bytes() const { return bytes_.get(); }

 private:
  Payload(std::uint64_t size, std::uint64_t fingerprint, std::shared_ptr<const std::string> bytes)
      : size_(size), fingerprint_(fingerprint), bytes_(std::move(bytes)) {}

  std::uint64_t size_ = 0;
  std::uint64_t fingerprint_ = 0;
  std::shared_ptr<const std::string> bytes_;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_PAYLOAD_H_
