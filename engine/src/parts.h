#ifndef BLOCKX_ENGINE_SRC_PARTS_H_
#define BLOCKX_ENGINE_SRC_PARTS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "blockx/engine/engine.h"
#include "dispatcher_core.h"
#include "executor_pool.h"
#include "phase_admission.h"
#include "watch_table.h"
#include "worker_core.h"

namespace blockx::engine {

// The engine's parts, and the flow between them. Each event has its On, in which it is handled
// alone: nothing is granted or dispatched before Settle (R-EV-3).
class Engine::Parts {
 public:
  explicit Parts(const Config& config);

  template <class E>
  auto Step(const E& event, Instant given) {
    Begin(given);
    if constexpr (Request<E>) {
      auto reply = On(event);
      Settle();
      return reply;
    } else {
      On(event);
      Settle();
    }
  }

  Result<TaskView> On(const RequestTaskSlot& request);
  Result<TaskView> On(const SubmitTask& request);
  Result<TaskView> On(const GetTaskResult& request);
  Result<WatchView> On(const OpenWatch& request);
  void On(const CloseWatch& event);
  void On(const ActivationPrepared& report);
  void On(const ActivationFailed& report);
  void On(const BuilderFinished& report);
  void On(const CallsAppended& report);
  void On(const CallStreamEnded& report);
  void On(const WriterFinished& report);
  void On(const ExecutorConnected& report);
  void On(const ExecutorHeartbeat& report);
  void On(const ExecutorExited& report);
  void On(const CallSucceeded& report);
  void On(const CallFailed& report);
  void On(const SubcallRequested& report);
  void On(const Start& order);
  void On(const Tick& order);
  void On(const BeginDrain& order);
  void On(const ForceStop& order);

  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  [[nodiscard]] Heartbeat DeriveHeartbeat() const;
  [[nodiscard]] Load load() const;

 private:
  friend class Engine;
  friend class SnapshotWriter;
  friend class SnapshotReader;
  friend class InvariantChecker;
  friend class StateInspector;

  void Begin(Instant given);
  void Settle();
  void GrantPermits();

  // Reservation, submission, watches (requests.cc).
  [[nodiscard]] std::optional<Error> RefuseNewTask() const;
  [[nodiscard]] std::optional<Error> RefuseNewSlot() const;
  [[nodiscard]] std::optional<Error> CheckNamedSlot(std::string_view slot_id, Handle task) const;
  void Attach(Handle active, Handle watched);
  void CloseAndDetach(WatchId watch);

  // Phases (reports.cc).
  void Drop() { ++counters.dropped_reports; }
  void EnterPhase(Handle active, Phase phase);
  Handle TakeWorkEnd(std::string_view task_id, Run run, Work work, Stage stage);
  void FinishCalls(Handle active);
  void Fail(Handle active, const Failure& failure,
            std::string_view default_code);  // as a report says
  void FailByRule(Handle active, std::string_view code, std::string_view message, bool retryable);
  void FailForTooManyCalls(Handle active);
  void End(Handle active, const Ending& ending);
  void Obey(const Verdict& verdict);

  // Timers and the end (timers.cc).
  void NoteTick(Instant at);
  [[nodiscard]] bool GridRuns() const;
  [[nodiscard]] bool AnyTimerIsSet() const;
  [[nodiscard]] Instant OnGrid(Instant deadline) const;
  [[nodiscard]] Instant LastGridPoint()
      const;  // at or before the last Tick. Precondition: there was one.
  void RunSlotLeases();
  void Kill(ExecutorId executor, KillReason reason);
  void NoteHealth();
  void Stop();
  void Deregister();
  void CompleteDrain(bool clean);

  Config config;
  Instant now = kNever;  // Never runs backwards (R-TIME-2).
  std::optional<Instant> last_tick;
  Instant grid_after_tick{};  // the first grid point past last_tick: kept because every
                              // NextDeadline asks for it
  Counters counters;
  std::vector<Command> commands;  // Reused: no allocation once warm.

  WorkerCore core;
  WatchTable watches;
  PhaseAdmission admission;
  DispatcherCore dispatcher;
  ExecutorPool pool;

  bool started = false;
  bool ready = false;       // a first executor has been healthy (R-EX-2)
  bool registered = false;  // RegisterWorker was emitted, and DeregisterWorker was not
  bool outage = false;      // R-EX-7
  bool draining = false;
  bool drain_completed = false;
  bool stopped = false;
  std::optional<Instant> outage_at;  // Invariant: set only while ready and no executor is healthy.
  std::optional<Instant> drain_timeout;  // Invariant: set only while draining and not completed.

  // Scratch space of one step, kept for its capacity.
  std::vector<TaskView> views;
  std::vector<std::string_view> unique_ids;
  std::vector<bool> seen;  // by place in unique_ids
  std::vector<Handle> unwatched;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_PARTS_H_
