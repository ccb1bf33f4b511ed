#include "blockx/sim/event_queue.h"

#include <algorithm>

namespace blockx::sim {

using engine::Instant;

void EventQueue::Push(Instant at, Rank rank, DueKind kind, std::uint32_t owner, std::uint32_t index,
                      std::uint32_t stamp, Lane lane) {
  at = std::max(at, now_);
  const Due::Order order = OrderOf(at, rank, sequence_++);
  // The ring of Lane::kNone: as the clock never goes back, what is due at once comes in order.
  const bool rises = lane != Lane::kNone || (at == now_ && rank == Rank::kReport);
  Ring& ring = rings_[static_cast<std::size_t>(lane)];
  Due& place = rises && ring.Takes(order) ? ring.Add(order) : AddToHeap(order);
  // Written where it stays: put together elsewhere it would be loaded wider than it was just stored,
  // and the processor would wait for that.
  place.order = order;
  place.kind = kind;
  place.owner = owner;
  place.index = index;
  place.stamp = stamp;
}

void EventQueue::SetTick(std::uint32_t worker, std::optional<Instant> at) {
  SetTickKey(worker, at ? engine::ToMicroseconds(std::max(*at, now_)) : IndexedMin::kNoKey);
}

void EventQueue::SetTickKey(std::uint32_t worker, std::int64_t key) {
  if (ticks_.key(worker) == key) return;
  ticks_.Set(worker, key);
  const std::int64_t first = ticks_.min_key();
  tick_order_ = first == IndexedMin::kNoKey
                    ? kNoOrder
                    : OrderOf(engine::AtMicroseconds(first), Rank::kTick, ticks_.min_index());
}

std::optional<Due> EventQueue::PopBefore(Instant end) {
  Due::Order best = heap_.empty() ? kNoOrder : heap_.front().order;
  std::size_t from = kHeap;
  for (std::size_t ring = 0; ring < kRings; ++ring) {
    if (rings_[ring].head() < best) {
      best = rings_[ring].head();
      from = ring;
    }
  }
  if (tick_order_ < best) {
    best = tick_order_;
    from = kTicks;
  }
  std::optional<Due> due;
  if (best >= OrderOf(end, Rank::kReport, 0)) return due;
  if (from < kRings) {
    due = rings_[from].Pop();
  } else {
    due = from == kHeap ? PopHeap() : PopTick();
  }
  now_ = due->at();
  return due;
}

void EventQueue::AdvanceTo(Instant at) { now_ = std::max(now_, at); }

Due EventQueue::PopTick() {
  const auto worker = static_cast<std::uint32_t>(ticks_.min_index());
  const Due due{tick_order_, DueKind::kTick, worker, 0, 0};
  SetTickKey(worker, IndexedMin::kNoKey);
  return due;
}

Due& EventQueue::AddToHeap(Due::Order order) {
  std::size_t hole = heap_.size();
  heap_.emplace_back();
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 4;
    if (heap_[parent].order < order) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  return heap_[hole];
}

std::size_t EventQueue::LeastChild(std::size_t first) const {
  const Due* const heap = heap_.data();
  const std::size_t size = heap_.size();
  if (first + 4 <= size) {
    // In pairs and without branches, as which child is the least is pure luck.
    const std::size_t left = first + (heap[first + 1].order < heap[first].order ? 1 : 0);
    const std::size_t right = first + 2 + (heap[first + 3].order < heap[first + 2].order ? 1 : 0);
    return heap[right].order < heap[left].order ? right : left;
  }
  std::size_t least = first;
  for (std::size_t child = first + 1; child < size; ++child) {
    if (heap[child].order < heap[least].order) least = child;
  }
  return least;
}

Due EventQueue::PopHeap() {
  const Due top = heap_.front();
  const Due last = heap_.back();
  heap_.pop_back();
  const std::size_t size = heap_.size();
  if (size == 0) return top;
  std::size_t hole = 0;
  for (;;) {
    const std::size_t first = 4 * hole + 1;
    if (first >= size) break;
    const std::size_t least = LeastChild(first);
    if (last.order < heap_[least].order) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  heap_[hole] = last;
  return top;
}

Due& EventQueue::Ring::Add(Due::Order order) {
  if (count_ == places_.size()) Grow();
  if (count_ == 0) head_order_ = order;
  last_ = order;
  return places_[(first_ + count_++) & (places_.size() - 1)];
}

Due EventQueue::Ring::Pop() {
  const Due due = places_[first_];
  first_ = (first_ + 1) & (places_.size() - 1);
  head_order_ = --count_ == 0 ? kNoOrder : places_[first_].order;
  return due;
}

void EventQueue::Ring::Grow() {
  std::vector<Due> larger(2 * places_.size());
  for (std::size_t i = 0; i < count_; ++i) {
    larger[i] = places_[(first_ + i) & (places_.size() - 1)];
  }
  places_ = std::move(larger);
  first_ = 0;
}

}  // namespace blockx::sim
