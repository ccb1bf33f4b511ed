#include "blockx/sim/histogram.h"

#include <algorithm>

namespace blockx::sim {
namespace {

engine::Duration AsDuration(std::uint64_t value) {
  return engine::Duration(static_cast<std::int64_t>(value));
}

}  // namespace

void Histogram::Merge(const Histogram& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

std::optional<engine::Duration> Histogram::Quantile(std::uint64_t numerator,
                                                    std::uint64_t denominator) const {
  if (count_ == 0) return std::nullopt;
  const unsigned __int128 scaled = static_cast<unsigned __int128>(count_) * numerator;
  const auto rank = std::max<std::uint64_t>(
      static_cast<std::uint64_t>((scaled + denominator - 1) / denominator), 1);
  std::uint64_t passed = 0;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    passed += counts_[bucket];
    if (passed >= rank) return AsDuration(std::clamp(LargestIn(bucket), min_, max_));
  }
  return Max();
}

std::optional<engine::Duration> Histogram::Min() const {
  if (count_ == 0) return std::nullopt;
  return AsDuration(min_);
}

std::optional<engine::Duration> Histogram::Max() const {
  if (count_ == 0) return std::nullopt;
  return AsDuration(max_);
}

std::optional<double> Histogram::Mean() const {
  if (count_ == 0) return std::nullopt;
  const auto whole = static_cast<std::uint64_t>(sum_ / count_);
  const auto rest = static_cast<std::uint64_t>(sum_ % count_);
  return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(count_);
}

std::uint64_t Histogram::LargestIn(std::size_t bucket) {
  if (bucket < 2 * kSubBuckets) return bucket;
  const std::uint64_t shift = (bucket >> kSubBucketBits) - 1;
  const std::uint64_t leading = bucket - (shift << kSubBucketBits);
  return ((leading + 1) << shift) - 1;
}

void Histogram::Grow(std::size_t bucket) {
  // To the end of the bucket's power of two, so that growing is rare.
  counts_.resize((bucket / kSubBuckets + 1) * kSubBuckets);
}

}  // namespace blockx::sim
