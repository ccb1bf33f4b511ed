#ifndef BLOCKX_SIM_WORKER_WORLD_H_
#define BLOCKX_SIM_WORKER_WORLD_H_

#include <cstdint>

#include "blockx/engine/commands.h"
#include "blockx/engine/driver.h"
#include "blockx/engine/task_result.h"
#include "blockx/engine/time.h"
#include "blockx/sim/event_queue.h"
#include "blockx/sim/fake_executors.h"
#include "blockx/sim/fake_phases.h"
#include "blockx/sim/scenario.h"
#include "blockx/sim/sequence_map.h"
#include "blockx/sim/task_table.h"

namespace blockx::sim {

// Who hears of what a Worker tells the outside. Called while the Worker's commands are carried out,
// so it must not call back into a driver: what it does in answer it schedules.
class WorldListener {
 public:
  virtual ~WorldListener() = default;
  // `result` is valid during the call.
  virtual void OnTaskEnded(std::uint32_t task, const engine::TaskResult& result,
                           engine::Instant now) = 0;
  // A watch belongs to one task, whose number is in its id (see WatchOf).
  virtual void OnWatchNotified(std::uint32_t task, bool terminal) = 0;
  virtual void OnWatchEnded(std::uint32_t task, engine::Instant now) = 0;
  virtual void OnRegistered(std::uint32_t worker) = 0;
  virtual void OnDeregistered(std::uint32_t worker) = 0;
};

// The watch that the client of a task opens.
constexpr engine::WatchId WatchOf(std::uint32_t task) {
  return engine::WatchId(std::int64_t{task} + 1);
}

// What surrounds one Worker of the fleet: its activation, builders, writers and executors, all
// fake. It does what the commands say, takes the scenario's time for it, and reports as R-EV-2
// asks: exactly one end for each StartBuilder, StartCallStream, StartWriter and DispatchCall (those
// of an executor that exits end with it), also for cancelled ones, and one ExecutorExited for each
// SpawnExecutor. It decides nothing about a task. Everything it is given must outlive it.
class WorkerWorld final : public engine::World {
 public:
  WorkerWorld(const Scenario& scenario, std::uint32_t worker, EventQueue& queue, TaskTable& tasks,
              WorldListener& listener);

  // The task whose SubmitTask is applied next: a PrepareActivation comes in the same step, and from
  // then on the world knows the task by its run.
  void ExpectSubmission(std::uint32_t task) { submitted_ = task; }

  void Carry(const engine::Command& command, engine::Instant now) override;

  // Makes the report that is due, if it was not called off. Kinds kWork, kCall, kExecutor and
  // kExecutorHeartbeat, with this worker as owner.
  void Report(const Due& due, engine::Driver& driver);

  [[nodiscard]] const FakeExecutors& executors() const { return executors_; }

 private:
  void On(const engine::PrepareActivation& command, engine::Instant now);
  void On(const engine::DispatchCall& command, engine::Instant now);
  void On(const engine::ConvergeTask& command, engine::Instant now);
  [[nodiscard]] std::uint32_t TaskOf(engine::Run run) const { return runs_.Find(run.value()); }

  std::uint32_t worker_;
  TaskTable& tasks_;
  WorldListener& listener_;
  FakePhases phases_;
  FakeExecutors executors_;
  SequenceMap runs_;  // The task of each run between PrepareActivation and ConvergeTask.
  std::uint32_t submitted_ = 0;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_WORKER_WORLD_H_
