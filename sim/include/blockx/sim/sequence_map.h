#ifndef BLOCKX_SIM_SEQUENCE_MAP_H_
#define BLOCKX_SIM_SEQUENCE_MAP_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace blockx::sim {

// Finds the record of a number that counts up from 1 (a run). Memory follows the most numbers that
// were in it at one time: an old one that stays does not hold the place of all that came after it.
// Open addressing with linear probing; nothing iterates over it.
class SequenceMap {
 public:
  static constexpr std::uint32_t kAbsent = 0xffffffff;

  SequenceMap() : places_(kSmallest) {}

  // Preconditions: key > 0, and not in the map.
  void Insert(std::int64_t key, std::uint32_t record) {
    if (2 * (count_ + 1) > places_.size()) Grow();
    std::size_t at = Home(key);
    while (places_[at].key != 0) at = Next(at);
    places_[at] = {key, record};
    ++count_;
  }

  [[nodiscard]] std::uint32_t Find(std::int64_t key) const {
    for (std::size_t at = Home(key); places_[at].key != 0; at = Next(at)) {
      if (places_[at].key == key) return places_[at].record;
    }
    return kAbsent;
  }

  // Nothing happens to a map that does not have the key.
  void Erase(std::int64_t key) {
    std::size_t hole = Home(key);
    while (places_[hole].key != key) {
      if (places_[hole].key == 0) return;
      hole = Next(hole);
    }
    // Whoever was pushed past the hole by it moves back into it.
    for (std::size_t at = Next(hole); places_[at].key != 0; at = Next(at)) {
      if (Distance(Home(places_[at].key), at) < Distance(hole, at)) continue;
      places_[hole] = places_[at];
      hole = at;
    }
    places_[hole] = {};
    --count_;
  }

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t capacity() const { return places_.size(); }

 private:
  struct Place {
    std::int64_t key = 0;  // 0: empty
    std::uint32_t record = 0;
  };
  static constexpr std::size_t kSmallest = 64;

  // Multiplication by 2^64 / golden ratio spreads consecutive numbers evenly (Knuth, TAOCP 6.4).
  [[nodiscard]] std::size_t Home(std::int64_t key) const {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15) >>
                                    (64 - std::countr_zero(places_.size())));
  }
  [[nodiscard]] std::size_t Next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }
  [[nodiscard]] std::size_t Distance(std::size_t from, std::size_t to) const {
    return (to - from) & (places_.size() - 1);
  }
  void Grow() {
    std::vector<Place> old = std::exchange(places_, std::vector<Place>(2 * places_.size()));
    count_ = 0;
    for (const Place& place : old) {
      if (place.key != 0) Insert(place.key, place.record);
    }
  }

  // Invariant: at most half of the places are taken, and each key is found from its home without
  // crossing an empty place.
  std::vector<Place> places_;  // A power of two of them.
  std::size_t count_ = 0;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SEQUENCE_MAP_H_
