#ifndef BLOCKX_SIM_SRC_SCRIPT_EXECUTORS_H_
#define BLOCKX_SIM_SRC_SCRIPT_EXECUTORS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/driver.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/time.h"
#include "blockx/sim/script.h"
#include "blockx/sim/script_play.h"
#include "script_donors.h"
#include "script_phases.h"
#include "script_queue.h"

namespace blockx::sim {

// The executor processes of a play and the call attempts that run on them. An attempt takes its
// recorded time, whatever else runs beside it.
class ScriptExecutors {
 public:
  // `heartbeat_interval`: as the play's Worker is configured.
  ScriptExecutors(const Script& script, engine::Duration heartbeat_interval,
                  const ScriptDonors& donors, ScriptQueue& queue, PlayedCalls& calls,
                  PlayGuesses& guesses);

  void Spawn(const engine::SpawnExecutor& command, engine::Instant now);
  void Kill(const engine::KillExecutor& command, engine::Instant now);
  void Dispatch(const engine::DispatchCall& command, engine::Instant now);
  void Cancel(const engine::CancelCall& command, engine::Instant now);
  void Deliver(const engine::DeliverSubcall& command, engine::Instant now);

  // Make the report that is due, if it was not called off.
  void ReportAttempt(const ScriptDue& due, engine::Driver& driver);
  void ReportConnect(const ScriptDue& due, engine::Driver& driver);
  void ReportExit(const ScriptDue& due, engine::Driver& driver);
  void ReportHeartbeat(const ScriptDue& due, engine::Driver& driver);

 private:
  struct Process {
    engine::ExecutorId executor{};
    engine::Generation generation{};
    const ProcessScript* script = nullptr;  // Null: not recorded.
    engine::Instant spawned{};
    engine::Instant connected{};
    engine::Instant exits_at = engine::Instant::max();
    std::uint32_t exit_stamp = 0;
    bool gone = false;
    std::size_t heartbeat = 0;            // The next one of the script.
    std::vector<std::uint32_t> attempts;  // That run on it, in the order of dispatch.
  };
  struct Attempt {
    engine::CallId call{};
    engine::Attempt number{};
    std::uint32_t process = 0;
    PlayedCalls::Call played;
    const AttemptScript* script = nullptr;  // As it was recorded; null: it was not.
    const AttemptScript* ending = nullptr;  // What it brings; null: it never ends.
    std::optional<engine::Duration> takes;  // After the last answer.
    std::size_t asked = 0;
    std::vector<engine::SubcallRef> awaited;
    std::vector<engine::Instant> inputs;  // Its dispatch, and the answers that it got.
    bool cancelled = false;
    engine::Instant reports_at = engine::Instant::max();
    std::uint32_t stamp = 0;  // Outlives the attempt, so that its place can be used again.
  };

  void ScheduleExit(std::uint32_t process, engine::Instant at, ScriptOrder order);
  void ScheduleHeartbeat(std::uint32_t process, engine::Instant now);
  [[nodiscard]] std::uint32_t Add();
  void Plan(Attempt& attempt);
  void Remove(std::uint32_t index);
  void Schedule(std::uint32_t index, engine::Instant at, ScriptOrder order);
  void ScheduleNext(std::uint32_t index);
  void Ask(std::uint32_t index, engine::Driver& driver, engine::Instant now);
  [[nodiscard]] std::optional<std::uint32_t> Find(engine::ExecutorId executor, engine::CallId call,
                                                  std::optional<engine::Attempt> number) const;

  const ScriptDonors& donors_;
  ScriptQueue& queue_;
  PlayedCalls& calls_;
  PlayGuesses& guesses_;
  engine::Duration interval_;
  bool is_periodic_;  // Heartbeats come at another interval than was recorded.
  std::map<std::pair<std::int64_t, std::int64_t>, const ProcessScript*> scripts_;
  std::deque<Process> processes_;
  std::vector<std::uint32_t> present_;  // By executor: its latest process.
  std::deque<Attempt> attempts_;
  std::vector<std::uint32_t> free_;
  std::int64_t subcalls_ = 0;  // Asked for so far; the last one's reference.
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_SCRIPT_EXECUTORS_H_
