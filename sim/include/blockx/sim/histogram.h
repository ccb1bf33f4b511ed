#ifndef BLOCKX_SIM_HISTOGRAM_H_
#define BLOCKX_SIM_HISTOGRAM_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "blockx/engine/time.h"

namespace blockx::sim {

// Durations as counts, for quantiles without the values. Below 512 us every microsecond has its own
// count; above, each power of two is divided into 256 equal buckets, so a bucket is at most 1/256
// (0.4 %) of its values wide. Memory grows with the largest value seen, not with the number of
// values: 48 kB up to 17 minutes, 115 kB at the very most. Counts, sums and answers are integers:
// the order of additions and merges changes nothing.
class Histogram {
 public:
  // A few nanoseconds. A duration below zero counts as zero.
  void Add(engine::Duration duration) {
    const auto value = static_cast<std::uint64_t>(duration.count() < 0 ? 0 : duration.count());
    const std::size_t bucket = BucketOf(value);
    if (bucket >= counts_.size()) Grow(bucket);
    ++counts_[bucket];
    ++count_;
    sum_ += value;
    if (value < min_) min_ = value;
    if (value > max_) max_ = value;
  }

  // As if everything added to `other` had been added here.
  void Merge(const Histogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }

  // The quantile numerator/denominator by the nearest rank: the smallest value that at least that
  // share of all values does not exceed, or up to 0.4 % more, namely the upper end of its bucket;
  // never beyond Max() nor below Min(). A share of 0 asks for the smallest value, of 1 for the
  // largest. Nullopt: nothing was added. Precondition: numerator <= denominator, denominator > 0.
  [[nodiscard]] std::optional<engine::Duration> Quantile(std::uint64_t numerator,
                                                         std::uint64_t denominator) const;

  // Exact. Nullopt: nothing was added.
  [[nodiscard]] std::optional<engine::Duration> Min() const;
  [[nodiscard]] std::optional<engine::Duration> Max() const;
  // In microseconds, from the exact sum.
  [[nodiscard]] std::optional<double> Mean() const;

 private:
  static constexpr int kSubBucketBits = 8;
  static constexpr std::uint64_t kSubBuckets = std::uint64_t{1} << kSubBucketBits;

  // Values of one power of two and below 2 * kSubBuckets are their own bucket; a larger one loses
  // its low bits until its leading kSubBucketBits + 1 bits are left. Rises with the value, without
  // gaps.
  static std::size_t BucketOf(std::uint64_t value) {
    const int shift = std::bit_width(value | kSubBuckets) - (kSubBucketBits + 1);
    return static_cast<std::size_t>((static_cast<std::uint64_t>(shift) << kSubBucketBits) +
                                    (value >> shift));
  }
  static std::uint64_t LargestIn(std::size_t bucket);

  void Grow(std::size_t bucket);

  // Invariant: the counts add up to count_; what lies beyond the end is zero.
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  unsigned __int128 sum_ = 0;
  std::uint64_t min_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_ = 0;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_HISTOGRAM_H_
