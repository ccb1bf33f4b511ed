#ifndef BLOCKX_ENGINE_SRC_DEADLINE_QUEUE_H_
#define BLOCKX_ENGINE_SRC_DEADLINE_QUEUE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "blockx/engine/time.h"
#include "list.h"
#include "slab.h"

namespace blockx::engine {

// The pending deadlines of one kind (R-TIME-6), at most one for each owner; owners are small dense
// numbers. They fall due by deadline, then in the order in which they were set. Most kinds add a
// constant to `now`, so a new deadline is nearly always the latest: those stand in a list and cost
// O(1); only one that comes out of order goes to the heap, O(log n).
class DeadlineQueue {
 public:
  void Set(Handle owner, Instant at) {  // Replaces the owner's deadline, if it has one.
    if (owner >= nodes_.size()) nodes_.resize(std::max<std::size_t>(owner + 1, nodes_.size() * 2));
    Cancel(owner);
    Node& node = nodes_[owner];
    node.at = at;
    node.sequence = ++last_sequence_;
    earliest_ = std::min(earliest_, at);
    if (list_.empty() || nodes_[list_.last].at <= at) {
      node.place = kInList;
      PushBack<&Node::link>(nodes_, list_, owner);
    } else {
      node.place = heap_.size();
      heap_.push_back(owner);
      SiftUp(node.place);
    }
  }

  void Cancel(Handle owner) {
    if (!IsSet(owner)) return;
    const std::size_t place = std::exchange(nodes_[owner].place, kNowhere);
    if (place == kInList) {
      Erase<&Node::link>(nodes_, list_, owner);
    } else {
      EraseFromHeap(place);
    }
    if (nodes_[owner].at != earliest_) return;
    const Handle first = First();
    earliest_ = first == kNone ? Instant::max() : nodes_[first].at;
  }

  [[nodiscard]] bool IsSet(Handle owner) const {
    return owner < nodes_.size() && nodes_[owner].place != kNowhere;
  }
  [[nodiscard]] Instant At(Handle owner) const {
    return nodes_[owner].at;
  }  // Precondition: IsSet(owner).
  [[nodiscard]] bool empty() const { return list_.empty() && heap_.empty(); }

  // The earliest pending deadline; none: Instant::max(), and `empty()`.
  [[nodiscard]] Instant Earliest() const { return earliest_; }

  // The owner of the first one that is due: `now >= deadline` (R-TIME-4). None: kNone.
  [[nodiscard]] Handle FirstDue(Instant now) const { return earliest_ > now ? kNone : First(); }
  Handle PopDue(Instant now) {
    const Handle owner = FirstDue(now);
    if (owner != kNone) Cancel(owner);
    return owner;
  }

  // All pending ones in the order in which they fall due.
  [[nodiscard]] std::vector<std::pair<Instant, Handle>> InOrder() const {
    std::vector<Handle> owners = heap_;
    for (Handle i = list_.first; i != kNone; i = nodes_[i].link.next) owners.push_back(i);
    std::sort(owners.begin(), owners.end(), [this](Handle a, Handle b) { return Before(a, b); });
    std::vector<std::pair<Instant, Handle>> ordered;
    ordered.reserve(owners.size());
    for (const Handle owner : owners) ordered.emplace_back(nodes_[owner].at, owner);
    return ordered;
  }

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  static constexpr std::size_t kInList = kNowhere - 1;
  struct Node {
    Instant at{};
    std::uint64_t sequence =
        0;  // in the order of setting: ties never depend on where a node stands
    std::size_t place = kNowhere;
    Link link{};
  };

  [[nodiscard]] bool Before(Handle a, Handle b) const {
    return nodes_[a].at != nodes_[b].at ? nodes_[a].at < nodes_[b].at
                                        : nodes_[a].sequence < nodes_[b].sequence;
  }
  [[nodiscard]] Handle First() const {
    if (heap_.empty()) return list_.first;
    if (list_.empty()) return heap_.front();
    return Before(list_.first, heap_.front()) ? list_.first : heap_.front();
  }
  void EraseFromHeap(std::size_t place) {
    const Handle moved = heap_.back();
    heap_.pop_back();
    if (place == heap_.size()) return;
    Place(place, moved);
    SiftDown(place);
    SiftUp(nodes_[moved].place);
  }
  void Place(std::size_t place, Handle owner) {
    heap_[place] = owner;
    nodes_[owner].place = place;
  }
  void SiftUp(std::size_t place) {
    const Handle owner = heap_[place];
    while (place > 0 && Before(owner, heap_[(place - 1) / 2])) {
      Place(place, heap_[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    Place(place, owner);
  }
  void SiftDown(std::size_t place) {
    const Handle owner = heap_[place];
    for (std::size_t child = 2 * place + 1; child < heap_.size(); child = 2 * place + 1) {
      if (child + 1 < heap_.size() && Before(heap_[child + 1], heap_[child])) ++child;
      if (!Before(heap_[child], owner)) break;
      Place(place, heap_[child]);
      place = child;
    }
    Place(place, owner);
  }

  std::vector<Node> nodes_;  // by owner; grows to the largest owner seen
  List list_;                // Invariant: never decreasing by (at, sequence).
  std::vector<Handle>
      heap_;  // Invariant: a binary min-heap by (at, sequence); nodes_[heap_[i]].place == i.
  Instant earliest_ = Instant::max();  // Invariant: that of First(), or Instant::max().
  std::uint64_t last_sequence_ = 0;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_DEADLINE_QUEUE_H_
