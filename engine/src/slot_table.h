#ifndef BLOCKX_ENGINE_SRC_SLOT_TABLE_H_
#define BLOCKX_ENGINE_SRC_SLOT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "blockx/engine/ids.h"
#include "blockx/engine/time.h"
#include "deadline_queue.h"
#include "lowest_set.h"
#include "slab.h"

namespace blockx::engine {

// The slots, and who holds each (R-SLOT-1). This table alone says what capacity is.
class SlotTable {
 public:
  explicit SlotTable(std::int64_t count)
      : free_(LowestSet::Full(static_cast<std::size_t>(count))),
        holders_(static_cast<std::size_t>(count), kNone) {}

  [[nodiscard]] bool full() const { return free_.empty(); }

  // FREE -> ALLOCATED: the lowest free slot (R-SLOT-2). Precondition: !full().
  SlotIndex Allocate(Handle task, Instant lease_expires_at) {
    const std::size_t slot = free_.Lowest();
    AllocateAt(slot, task, lease_expires_at);
    return SlotIndex(static_cast<std::int64_t>(slot));
  }
  // ALLOCATED -> RUNNING: from here the slot has no lease (R-SLOT-5).
  void Run(SlotIndex slot) {
    leases_.Cancel(Index(slot));
    ++running_;
  }
  void Free(SlotIndex slot) {
    if (IsLeased(slot)) {
      leases_.Cancel(Index(slot));
    } else {
      --running_;
    }
    holders_[Index(slot)] = kNone;
    free_.Insert(Index(slot));
    --taken_;
  }
  // Puts a snapshot's slot back. Precondition: it is free.
  void AllocateAt(std::size_t slot, Handle task, Instant lease_expires_at) {
    free_.Erase(slot);
    holders_[slot] = task;
    leases_.Set(static_cast<Handle>(slot), lease_expires_at);
    ++taken_;
  }

  [[nodiscard]] bool IsLeased(SlotIndex slot) const { return leases_.IsSet(Index(slot)); }
  [[nodiscard]] Instant LeaseOf(SlotIndex slot) const { return leases_.At(Index(slot)); }
  [[nodiscard]] Handle holder(SlotIndex slot) const { return holders_[Index(slot)]; }
  [[nodiscard]] bool IsFree(std::size_t slot) const { return free_.Contains(slot); }
  DeadlineQueue& leases() { return leases_; }
  [[nodiscard]] const DeadlineQueue& leases() const { return leases_; }
  [[nodiscard]] std::size_t size() const { return holders_.size(); }
  [[nodiscard]] std::int64_t allocated() const { return taken_ - running_; }
  [[nodiscard]] std::int64_t running() const { return running_; }

  // "slot-7" to 7, in that exact spelling; anything else, or a number beyond the table, is no slot
  // (R-SUB-2).
  [[nodiscard]] std::optional<SlotIndex> Parse(std::string_view slot_id) const;

 private:
  static Handle Index(SlotIndex slot) { return static_cast<Handle>(slot.value()); }

  // Invariant 1: free + allocated + running = size(). A slot is free exactly when it has no holder,
  // and ALLOCATED exactly when it has a lease; so no state of a slot is written down twice.
  LowestSet free_;
  std::vector<Handle> holders_;  // the Task that holds each slot
  DeadlineQueue leases_;         // of the ALLOCATED slots, by slot
  std::int64_t taken_ = 0;
  std::int64_t running_ = 0;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_SLOT_TABLE_H_
