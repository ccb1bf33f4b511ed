#include "blockx/sim/coordinator.h"

#include <algorithm>

#include "blockx/sim/random.h"

namespace blockx::sim {

Coordinator::Coordinator(CoordinatorPolicy policy, std::uint64_t seed, std::size_t workers)
    : policy_(policy), seed_(seed), by_load_(workers) {}

void Coordinator::Publish(std::uint32_t worker, const engine::Heartbeat& heartbeat) {
  if (by_load_.key(worker) == IndexedMin::kNoKey) {
    registered_.insert(std::ranges::lower_bound(registered_, worker), worker);
  }
  by_load_.Set(worker, -heartbeat.free_slots);
}

void Coordinator::Withdraw(std::uint32_t worker) {
  std::erase(registered_, worker);
  by_load_.Set(worker, IndexedMin::kNoKey);
}

std::optional<std::uint32_t> Coordinator::Choose(std::uint64_t task, std::int64_t attempt) {
  if (registered_.empty()) return std::nullopt;
  switch (policy_) {
    case CoordinatorPolicy::kLeastLoaded:
      break;
    case CoordinatorPolicy::kRoundRobin:
      return registered_[turn_++ % registered_.size()];
    case CoordinatorPolicy::kRandom: {
      KeyedStream luck({seed_, task, Choice::kPlacement, static_cast<std::uint64_t>(attempt)});
      return registered_[luck.Below(registered_.size())];
    }
    case CoordinatorPolicy::kPowerOfTwo:
      return PowerOfTwo(task, attempt);
  }
  return static_cast<std::uint32_t>(by_load_.min_index());
}

std::uint32_t Coordinator::PowerOfTwo(std::uint64_t task, std::int64_t attempt) const {
  if (registered_.size() == 1) return registered_.front();
  KeyedStream luck({seed_, task, Choice::kPlacement, static_cast<std::uint64_t>(attempt)});
  const std::uint64_t one = luck.Below(registered_.size());
  std::uint64_t other = luck.Below(registered_.size() - 1);
  if (other >= one) ++other;
  const std::uint32_t low = registered_[std::min(one, other)];
  const std::uint32_t high = registered_[std::max(one, other)];
  return by_load_.key(high) < by_load_.key(low) ? high : low;
}

}  // namespace blockx::sim
