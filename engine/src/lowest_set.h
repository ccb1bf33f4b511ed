#ifndef BLOCKX_ENGINE_SRC_LOWEST_SET_H_
#define BLOCKX_ENGINE_SRC_LOWEST_SET_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace blockx::engine {

// A set of small integers that knows its lowest: one bit each, and above every 64 words a word that
// says which of them hold anything. All operations cost O(log64 n) (R-SLOT-6).
class LowestSet {
 public:
  explicit LowestSet(std::size_t universe = 0) {
    std::size_t bits = universe;
    do {
      bits = (bits + 63) / 64;
      levels_.emplace_back(bits, 0);
    } while (bits > 1);
  }

  // All of 0 .. universe-1.
  static LowestSet Full(std::size_t universe) {
    LowestSet set(universe);
    std::size_t bits = universe;
    for (std::vector<std::uint64_t>& level : set.levels_) {
      for (std::size_t word = 0; word < level.size(); ++word) {
        const std::size_t here = bits - word * 64;
        level[word] = here >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
      }
      bits = level.size();
    }
    return set;
  }

  void Insert(std::size_t value) {
    for (std::vector<std::uint64_t>& level : levels_) {
      level[value / 64] |= std::uint64_t{1} << (value % 64);
      value /= 64;
    }
  }

  void Erase(std::size_t value) {
    for (std::vector<std::uint64_t>& level : levels_) {
      level[value / 64] &= ~(std::uint64_t{1} << (value % 64));
      if (level[value / 64] != 0) return;
      value /= 64;
    }
  }

  [[nodiscard]] bool Contains(std::size_t value) const {
    return (levels_[0][value / 64] >> (value % 64) & 1) != 0;
  }
  [[nodiscard]] bool empty() const { return levels_.back().empty() || levels_.back()[0] == 0; }

  [[nodiscard]] std::size_t Lowest() const {  // Precondition: !empty().
    std::size_t value = 0;
    for (std::size_t i = levels_.size(); i-- > 0;) {
      value = value * 64 + static_cast<std::size_t>(std::countr_zero(levels_[i][value]));
    }
    return value;
  }

 private:
  // Invariant: a bit of levels_[i + 1] is set exactly when the word of levels_[i] that it stands
  // for is not zero.
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_LOWEST_SET_H_
