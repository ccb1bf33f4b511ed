#include "blockx/sim/worker_world.h"

#include <variant>

namespace blockx::sim {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

std::uint32_t TaskOf(engine::WatchId watch) {
  return static_cast<std::uint32_t>(watch.value() - 1);
}

}  // namespace

WorkerWorld::WorkerWorld(const Scenario& scenario, std::uint32_t worker, EventQueue& queue,
                         TaskTable& tasks, WorldListener& listener)
    : worker_(worker),
      tasks_(tasks),
      listener_(listener),
      phases_(scenario, worker, queue, tasks),
      executors_(scenario, worker, queue) {}

void WorkerWorld::Carry(const engine::Command& command, engine::Instant now) {
  std::visit(
      Overloaded{
          [&](const engine::PrepareActivation& c) { On(c, now); },
          [&](const engine::StartBuilder& c) { phases_.StartBuilder(TaskOf(c.run), now); },
          [&](const engine::StartCallStream& c) { phases_.StartStream(TaskOf(c.run), now); },
          [&](const engine::PauseCallStream& c) { phases_.PauseStream(TaskOf(c.run)); },
          [&](const engine::ResumeCallStream& c) { phases_.ResumeStream(TaskOf(c.run), now); },
          [&](const engine::DispatchCall& c) { On(c, now); },
          [&](const engine::CancelCall& c) { executors_.Cancel(c, now); },
          [&](const engine::DeliverSubcall& c) { executors_.Deliver(c, now); },
          [&](const engine::StartWriter& c) { phases_.StartWriter(TaskOf(c.run), now); },
          [&](const engine::ConvergeTask& c) { On(c, now); },
          [&](const engine::NotifyWatch& c) {
            listener_.OnWatchNotified(sim::TaskOf(c.watch_id), c.phase == engine::Phase::kTerminal);
          },
          [&](const engine::EndWatch& c) { listener_.OnWatchEnded(sim::TaskOf(c.watch_id), now); },
          [&](const engine::SpawnExecutor& c) { executors_.Spawn(c, now); },
          [&](const engine::KillExecutor& c) { executors_.Kill(c, now); },
          [&](const engine::RegisterWorker&) { listener_.OnRegistered(worker_); },
          [&](const engine::DeregisterWorker&) { listener_.OnDeregistered(worker_); },
          // Nobody waits for it: simulated Workers are never drained.
          [&](const engine::DrainComplete&) {},
      },
      command);
}

void WorkerWorld::On(const engine::PrepareActivation& command, engine::Instant now) {
  tasks_[submitted_].run = command.run;
  runs_.Insert(command.run.value(), submitted_);
  phases_.PrepareActivation(submitted_, now);
}

void WorkerWorld::On(const engine::DispatchCall& command, engine::Instant now) {
  Task& task = tasks_[TaskOf(command.run)];
  if (task.first_dispatch == engine::kNever) task.first_dispatch = now;
  executors_.Dispatch(command, task, now);
}

void WorkerWorld::On(const engine::ConvergeTask& command, engine::Instant now) {
  const std::uint32_t task = TaskOf(command.run);
  runs_.Erase(command.run.value());
  tasks_[task].converged = true;
  phases_.Cancel(task, now);
  listener_.OnTaskEnded(task, *command.result, now);
}

void WorkerWorld::Report(const Due& due, engine::Driver& driver) {
  switch (due.kind) {
    case DueKind::kWork:
      return phases_.Report(due, driver);
    case DueKind::kCall:
      return executors_.ReportCall(due, driver);
    case DueKind::kExecutor:
      return executors_.ReportExecutor(due, driver);
    case DueKind::kExecutorHeartbeat:
      return executors_.ReportHeartbeat(due, driver);
    case DueKind::kTick:
    case DueKind::kArrival:
    case DueKind::kThought:
    case DueKind::kRetry:
    case DueKind::kPublish:
    case DueKind::kLatestStart:
      return;  // Not the world's.
  }
}

}  // namespace blockx::sim
