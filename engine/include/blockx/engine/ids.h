#ifndef BLOCKX_ENGINE_IDS_H_
#define BLOCKX_ENGINE_IDS_H_

#include <compare>
#include <cstdint>

namespace blockx::engine {

// An integer that names one kind of thing. Explicit both ways: a call id is never taken for a run.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::int64_t value) : value_(value) {}
  [[nodiscard]] constexpr std::int64_t value() const { return value_; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;

 private:
  std::int64_t value_ = 0;
};

// Task ids and slot ids are text that comes from outside; they travel as std::string_view.
using SlotIndex = Id<struct SlotIndexTag>;  // 0 .. taskSlots-1, written slot-N outside (R-SLOT-1)
using Run = Id<struct RunTag>;              // counts accepted submissions from 1 (R-SUB-4)
using CallId =
    Id<struct CallIdTag>;  // counts calls from 1 over the engine's life (R-CALL-0); 0: no call
using Attempt = Id<struct AttemptTag>;        // counts a call's attempts from 1
using ExecutorId = Id<struct ExecutorIdTag>;  // 0 .. executorCount-1
using Generation = Id<struct GenerationTag>;  // counts an executor's processes from 1
using WatchId = Id<struct WatchIdTag>;        // chosen by the adapter
using SubcallRef = Id<struct SubcallRefTag>;  // chosen by the asking call
using CodeEpoch = Id<struct CodeEpochTag>;    // of the function code, pinned for a task's life

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_IDS_H_
