#ifndef BLOCKX_SIM_INDEXED_MIN_H_
#define BLOCKX_SIM_INDEXED_MIN_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace blockx::sim {

// The smallest of a fixed number of keys that change at any time; of equal keys the one with the
// lowest index. Set: O(log n), and nothing above the first match that it does not change. Min:
// O(1).
class IndexedMin {
 public:
  static constexpr std::int64_t kNoKey = std::numeric_limits<std::int64_t>::max();

  // All keys are kNoKey. Precondition: count > 0.
  explicit IndexedMin(std::size_t count)
      : leaves_(std::bit_ceil(count)), keys_(leaves_, kNoKey), winners_(leaves_) {
    for (std::size_t node = leaves_ - 1; node > 0; --node) winners_[node] = Play(node);
  }

  void Set(std::size_t index, std::int64_t key) {
    if (keys_[index] == key) return;
    keys_[index] = key;
    for (std::size_t node = (leaves_ + index) / 2; node > 0; node /= 2) {
      const std::uint32_t before = winners_[node];
      winners_[node] = Play(node);
      if (before == winners_[node] && before != index) return;
    }
  }

  [[nodiscard]] std::size_t min_index() const { return leaves_ == 1 ? 0 : winners_[1]; }
  [[nodiscard]] std::int64_t min_key() const { return keys_[min_index()]; }
  [[nodiscard]] std::int64_t key(std::size_t index) const { return keys_[index]; }

 private:
  [[nodiscard]] std::uint32_t WinnerOf(std::size_t node) const {
    return node < leaves_ ? winners_[node] : static_cast<std::uint32_t>(node - leaves_);
  }
  [[nodiscard]] std::uint32_t Play(std::size_t node) const {
    const std::uint32_t left = WinnerOf(2 * node);
    const std::uint32_t right = WinnerOf(2 * node + 1);
    return keys_[right] < keys_[left] ? right : left;
  }

  // A tournament over a power of two of leaves; those beyond the count never get a key. Invariant:
  // winners_[n] is the index of the smallest key below node n (children 2n and 2n+1, root 1).
  std::size_t leaves_;
  std::vector<std::int64_t> keys_;
  std::vector<std::uint32_t> winners_;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_INDEXED_MIN_H_
