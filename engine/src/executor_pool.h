#ifndef BLOCKX_ENGINE_SRC_EXECUTOR_POOL_H_
#define BLOCKX_ENGINE_SRC_EXECUTOR_POOL_H_

#include <cstdint>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/config.h"
#include "blockx/engine/events.h"
#include "blockx/engine/state.h"
#include "deadline_queue.h"
#include "slab.h"

namespace blockx::engine {

// Executors' health: start, heartbeats, wedges, kills, restarts. Knows nothing of calls.
class ExecutorPool {
 public:
  explicit ExecutorPool(const Config& config);

  void SpawnAll(Instant now, std::vector<Command>& out);
  void Spawn(ExecutorId executor, Instant now, std::vector<Command>& out);  // its next generation
  void Restart(ExecutorId executor, Instant now,
               std::vector<Command>& out);  // Spawn, and remembered for R-EX-5

  // Reports; false when they are about a generation, or a state, that is no more (R-EV-1).
  [[nodiscard]] bool Connected(const ExecutorConnected& report, Instant now);
  [[nodiscard]] bool HeartbeatCame(const ExecutorHeartbeat& report, Instant now);
  [[nodiscard]] bool Exited(const ExecutorExited& report);

  // Emits KillExecutor, at most once for a generation; false when there is no process or it was
  // killed before.
  bool Kill(ExecutorId executor, KillReason reason, std::vector<Command>& out);
  // When the executor that has just exited is to be spawned again (R-EX-5).
  void ScheduleRestart(ExecutorId executor, Instant now);
  void CancelRestarts();

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(executors_.size()); }
  [[nodiscard]] std::int64_t healthy() const { return healthy_; }
  [[nodiscard]] ExecutorState state(ExecutorId executor) const {
    return executors_[Index(executor)].state;
  }

  DeadlineQueue& start_timeouts() { return start_timeouts_; }
  DeadlineQueue& heartbeat_timeouts() { return heartbeat_timeouts_; }
  DeadlineQueue& wedges() { return wedges_; }
  DeadlineQueue& restarts() { return restarts_; }
  [[nodiscard]] const DeadlineQueue& start_timeouts() const { return start_timeouts_; }
  [[nodiscard]] const DeadlineQueue& heartbeat_timeouts() const { return heartbeat_timeouts_; }
  [[nodiscard]] const DeadlineQueue& wedges() const { return wedges_; }
  [[nodiscard]] const DeadlineQueue& restarts() const { return restarts_; }

 private:
  friend class SnapshotWriter;
  friend class SnapshotReader;
  friend class InvariantChecker;
  friend class StateInspector;

  struct Executor {
    ExecutorState state = ExecutorState::kDown;
    Generation generation{};
    std::int64_t activity =
        0;  // the value that the present stall began with; only while a wedge is pending
    std::vector<Instant> restarted_at{};  // oldest first; those that R-EX-5 may still count
  };

  static Handle Index(ExecutorId executor) { return static_cast<Handle>(executor.value()); }
  [[nodiscard]] bool IsCurrent(ExecutorId executor, Generation generation) const;
  void LeaveState(ExecutorId executor);

  Config config_;
  Duration stall_timeout_;
  std::vector<Executor> executors_;
  std::int64_t healthy_ = 0;  // Invariant: the number of executors that are kHealthy.
  // All by executor. Invariant: a start time-out is pending exactly while kStarting, a heartbeat
  // time-out exactly while kHealthy, a wedge only while kHealthy, a restart only while kDown.
  DeadlineQueue start_timeouts_;
  DeadlineQueue heartbeat_timeouts_;
  DeadlineQueue wedges_;
  DeadlineQueue restarts_;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_EXECUTOR_POOL_H_
