#ifndef BLOCKX_SIM_FAKE_EXECUTORS_H_
#define BLOCKX_SIM_FAKE_EXECUTORS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/driver.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/time.h"
#include "blockx/sim/event_queue.h"
#include "blockx/sim/random.h"
#include "blockx/sim/scenario.h"
#include "blockx/sim/task_table.h"

namespace blockx::sim {

// The executors of one Worker and the call attempts that run on them. An attempt takes its drawn
// duration, however many others share the executor. One that asks for k subcalls does so after each
// of the first k of k + 1 equal parts of its duration, and waits for each answer.
class FakeExecutors {
 public:
  FakeExecutors(const Scenario& scenario, std::uint32_t worker, EventQueue& queue);

  void Spawn(const engine::SpawnExecutor& command, engine::Instant now);
  // From here on it answers nothing until its exit is reported.
  void Kill(const engine::KillExecutor& command, engine::Instant now);
  void Dispatch(const engine::DispatchCall& command, const Task& task, engine::Instant now);
  void Cancel(const engine::CancelCall& command, engine::Instant now);
  void Deliver(const engine::DeliverSubcall& command, engine::Instant now);

  // Make the report that is due, unless it was called off. Index and stamp: of the call; of the
  // executor.
  void ReportCall(const Due& due, engine::Driver& driver);
  void ReportExecutor(const Due& due, engine::Driver& driver);
  void ReportHeartbeat(const Due& due, engine::Driver& driver);

  // Attempts whose end is still to be reported.
  [[nodiscard]] std::size_t calls() const { return calls_.size() - free_.size(); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  enum class State : std::uint8_t { kAbsent, kStarting, kConnected, kExiting };
  enum class Ending : std::uint8_t { kSuccess, kFailure, kRetryableFailure, kCancelled };

  struct Executor {
    engine::Generation generation{};
    State state = State::kAbsent;
    std::uint32_t stamp = 0;  // A new one with each state: calls off dues of before.
    std::uint32_t first_call = kNone;
    std::uint32_t last_call = kNone;
  };

  // One attempt. Those of an executor are linked in the order of dispatch.
  struct Call {
    engine::CallId id{};
    engine::Attempt attempt{};
    std::uint32_t executor = 0;
    std::uint32_t stamp = 0;  // Outlives the attempt, so that its place can be used again.
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
    Ending ending = Ending::kSuccess;
    engine::Instant reports_at{};  // The next report; Instant::max() while it waits for a subcall.
    std::uint64_t entity = 0;
    engine::Duration duration{};
    std::int64_t subcalls = 0;
    std::int64_t parts_done = 0;
    engine::SubcallRef awaited{};  // 0: none.
  };

  [[nodiscard]] std::uint64_t EntityOf(std::uint32_t executor) const {
    return EntityWithin(entity_, executor);
  }
  void ScheduleExecutor(std::uint32_t executor, State state, engine::Instant at);
  void ScheduleHeartbeat(std::uint32_t executor, engine::Instant now);
  void ScheduleCall(std::uint32_t call, engine::Instant at);
  void ScheduleNextPart(std::uint32_t call, engine::Instant now);
  std::uint32_t AddCall(std::uint32_t executor);
  void RemoveCall(std::uint32_t call);
  void RequestSubcall(std::uint32_t index, engine::Driver& driver, engine::Instant now);

  const Scenario& scenario_;
  std::uint32_t worker_;
  std::uint64_t entity_;
  EventQueue& queue_;
  std::vector<Executor> executors_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> free_;
  std::int64_t subcalls_ = 0;  // Asked for so far; the last one's reference.
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_FAKE_EXECUTORS_H_
