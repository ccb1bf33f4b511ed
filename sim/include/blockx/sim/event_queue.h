#ifndef BLOCKX_SIM_EVENT_QUEUE_H_
#define BLOCKX_SIM_EVENT_QUEUE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "blockx/engine/time.h"
#include "blockx/sim/indexed_min.h"

namespace blockx::sim {

// Which of several things at one virtual microsecond comes first: reports from the world, then
// Tick, then what belongs to clients, the coordinator and the registry. An answer that is there is
// heard before a timer may give up on it (R-EV-2), and a request finds what the tick has freed.
enum class Rank : std::uint8_t { kReport, kTick, kClient };

// What is due. `owner`, `index` and `stamp` of a Due mean what the handler of the kind says.
enum class DueKind : std::uint32_t {
  kWork,               // A task's activation, builder, stream or writer.
  kCall,               // The next step of a call attempt.
  kExecutor,           // The start or exit of an executor.
  kExecutorHeartbeat,  // An executor's heartbeat.
  kTick,               // The owner's Tick.
  kArrival,            // A task of a source with open arrivals.
  kThought,            // A client of a closed source has thought, and submits its next task.
  kRetry,              // A refused client's next attempt.
  kPublish,            // A Worker's heartbeat to the registry.
  kLatestStart         // The sources start without the Workers that are not ready.
};

// Times that mostly only rise: such dues go through a ring instead of the heap. A hint for speed
// alone; a due that would break the lane's order goes to the heap.
enum class Lane : std::uint8_t { kExecutorHeartbeats, kArrivals, kPublishing, kNone };

// Something that is due, in the one order of the simulation: by (instant, rank, sequence number),
// where the sequence numbers count the scheduling. Plain data, 32 bytes.
struct Due {
  using Order = unsigned __int128;

  Order order = ~Order{0};
  DueKind kind{};
  std::uint32_t owner = 0;
  std::uint32_t index = 0;
  std::uint32_t stamp = 0;

  [[nodiscard]] engine::Instant at() const {
    return engine::AtMicroseconds(static_cast<std::int64_t>(order >> 64));
  }
};

// The virtual clock and all that is due. The order is total, so it does not matter where a due is
// kept: a 4-ary heap, rings for what is due at once and for steadily rising times, and one place
// for each worker's Tick. Sequence numbers of Ticks are the workers' numbers. Memory follows the
// most that was due at one time.
class EventQueue {
 public:
  explicit EventQueue(std::size_t workers) : ticks_(workers) {}

  // The instant of the last due that was taken; it starts at 0.
  [[nodiscard]] engine::Instant now() const { return now_; }

  // What is in the past is due now. Precondition: rank is not kTick.
  void Push(engine::Instant at, Rank rank, DueKind kind, std::uint32_t owner, std::uint32_t index,
            std::uint32_t stamp, Lane lane = Lane::kNone);

  // When the worker's Tick is due (`Engine::NextDeadline()`), in place of what was set before. One
  // that was taken is gone until it is set again.
  void SetTick(std::uint32_t worker, std::optional<engine::Instant> at);

  // A report is waiting that is due at this very instant: no Tick comes before it.
  [[nodiscard]] bool HasReportNow() const { return rings_[kNow].head() != kNoOrder; }

  // Takes the next due, if it is before `end`; the clock goes to it.
  std::optional<Due> PopBefore(engine::Instant end);

  // Moves the clock on to `at`, where nothing is due. Precondition: PopBefore(at) had nothing.
  void AdvanceTo(engine::Instant at);

  [[nodiscard]] std::size_t heap_size() const { return heap_.size(); }

 private:
  // First in, first out; the order only rises.
  class Ring {
   public:
    Ring() : places_(16) {}
    [[nodiscard]] bool Takes(Due::Order order) const { return count_ == 0 || order > last_; }
    [[nodiscard]] Due::Order head() const { return head_order_; }
    Due& Add(Due::Order order);  // At the end; the caller writes it.
    Due Pop();

   private:
    void Grow();

    std::vector<Due> places_;  // A power of two of them.
    std::size_t first_ = 0;
    std::size_t count_ = 0;
    Due::Order last_ = 0;
    Due::Order head_order_ = kNoOrder;  // Of the first; kNoOrder: empty.
  };

  static constexpr Due::Order kNoOrder = ~Due::Order{0};
  static constexpr std::size_t kRings = static_cast<std::size_t>(Lane::kNone) + 1;
  static constexpr std::size_t kNow = static_cast<std::size_t>(Lane::kNone);
  static constexpr std::size_t kHeap = kRings;
  static constexpr std::size_t kTicks = kRings + 1;

  static Due::Order OrderOf(engine::Instant at, Rank rank, std::uint64_t sequence) {
    const std::uint64_t low = static_cast<std::uint64_t>(rank) << 62 | sequence;
    return Due::Order{static_cast<std::uint64_t>(engine::ToMicroseconds(at))} << 64 | low;
  }
  void SetTickKey(std::uint32_t worker, std::int64_t key);
  Due& AddToHeap(Due::Order order);  // At its place; the caller writes it.
  Due PopHeap();
  [[nodiscard]] std::size_t LeastChild(std::size_t first) const;  // Of up to four siblings.
  Due PopTick();

  engine::Instant now_ = engine::AtMicroseconds(0);
  std::uint64_t sequence_ = 0;        // Below 2^62.
  std::array<Ring, kRings> rings_;    // By lane; the last holds reports that are due at once.
  std::vector<Due> heap_;             // Invariant: order(i) >= order((i - 1) / 4).
  IndexedMin ticks_;                  // By worker, microseconds.
  Due::Order tick_order_ = kNoOrder;  // Of the first in ticks_.
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_EVENT_QUEUE_H_
