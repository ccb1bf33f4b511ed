#include "blockx/engine/engine.h"

#include <algorithm>
#include <utility>

#include "emit.h"
#include "parts.h"
#include "typed_door.h"

namespace blockx::engine {

Engine::Parts::Parts(const Config& configuration)
    : config(configuration),
      core(configuration),
      admission(configuration),
      dispatcher(configuration),
      pool(configuration) {}

void Engine::Parts::Begin(Instant given) {
  ++counters.events;
  if (given < now) {
    ++counters.clock_regressions;
  } else {
    now = given;
  }
  commands.clear();
  core.Reclaim();
  watches.Reclaim();
  dispatcher.Reclaim();
}

// R-EV-3: permits in the order of the stages, then calls, then streams. Nothing here ends a task.
void Engine::Parts::Settle() {
  if (admission.anyone_waits()) GrantPermits();
  dispatcher.Settle(core, now, commands);
}

void Engine::Parts::GrantPermits() {
  for (Handle task; (task = admission.GrantNext(Stage::kBuilder)) != kNone;) {
    core.active(task).owed = Work::kBuilder;
    core.times_of(task).builder_granted = now;
    Emit(commands, StartBuilder{core.task_of(task).id, core.active(task).run});
  }
  for (Handle task; (task = admission.GrantNext(Stage::kScan)) != kNone;) {
    core.active(task).holds_scan = true;
    core.times_of(task).scan_granted = now;
    admission.Ask(Stage::kExecutorTasks, task);
  }
  for (Handle task; (task = admission.GrantNext(Stage::kExecutorTasks)) != kNone;) {
    ActiveTask& active = core.active(task);
    active.holds_executors = true;
    core.times_of(task).executors_granted = now;
    if (std::exchange(active.holds_scan, false)) {
      active.owed = Work::kStream;
      dispatcher.StartStream(task);
      Emit(commands, StartCallStream{core.task_of(task).id, active.run});
    }
    dispatcher.Grant(task);
  }
  for (Handle task; (task = admission.GrantNext(Stage::kPlugin)) != kNone;) {
    core.active(task).owed = Work::kWriter;
    core.times_of(task).plugin_granted = now;
    Emit(commands,
         StartWriter{core.task_of(task).id, core.active(task).run, dispatcher.TakeOutcomes(task)});
  }
}

Heartbeat Engine::Parts::DeriveHeartbeat() const {
  const SlotTable& slots = core.slots();
  const bool accepting = ready && !outage && !draining && !stopped;
  return {.task_slots = static_cast<std::int64_t>(slots.size()),
          .reserved_slots = slots.allocated(),
          .running_tasks = slots.running(),
          .free_slots = accepting ? static_cast<std::int64_t>(slots.size()) - slots.allocated() -
                                        slots.running()
                                  : 0,
          .healthy_executors = pool.healthy(),
          .ready = ready && !outage,
          .draining = draining || stopped};
}

Load Engine::Parts::load() const {
  const auto stage = [this](Stage s) {
    return Load::Stage{admission.in_use(s), admission.waiting(s)};
  };
  return {.allocated_slots = core.slots().allocated(),
          .running_slots = core.slots().running(),
          .builder = stage(Stage::kBuilder),
          .scan = stage(Stage::kScan),
          .executor_tasks = stage(Stage::kExecutorTasks),
          .plugin = stage(Stage::kPlugin),
          .calls_occupying = dispatcher.occupying(),
          .calls_waiting = dispatcher.waiting()};
}

Engine::Engine(const Config& config) : parts_(std::make_unique<Parts>(config)) {}
Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::Engine(const Engine& other) : parts_(std::make_unique<Parts>(*other.parts_)) {}
Engine& Engine::operator=(const Engine& other) {
  if (this != &other) parts_ = std::make_unique<Parts>(*other.parts_);
  return *this;
}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Result<TaskView> Engine::Apply(const RequestTaskSlot& request, Instant now) {
  return parts_->Step(request, now);
}
Result<TaskView> Engine::Apply(const SubmitTask& request, Instant now) {
  return parts_->Step(request, now);
}
Result<TaskView> Engine::Apply(const GetTaskResult& request, Instant now) {
  return parts_->Step(request, now);
}
Result<WatchView> Engine::Apply(const OpenWatch& request, Instant now) {
  return parts_->Step(request, now);
}
void Engine::Apply(const CloseWatch& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const ActivationPrepared& event, Instant now) {
  return parts_->Step(event, now);
}
void Engine::Apply(const ActivationFailed& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const BuilderFinished& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const CallsAppended& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const CallStreamEnded& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const WriterFinished& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const ExecutorConnected& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const ExecutorHeartbeat& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const ExecutorExited& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const CallSucceeded& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const CallFailed& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const SubcallRequested& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const Start& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const Tick& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const BeginDrain& event, Instant now) { return parts_->Step(event, now); }
void Engine::Apply(const ForceStop& event, Instant now) { return parts_->Step(event, now); }

Reply Engine::Apply(const Event& event, Instant now) { return ApplyTyped(*this, event, now); }

std::span<const Command> Engine::commands() const { return parts_->commands; }
std::optional<Instant> Engine::NextDeadline() const { return parts_->NextDeadline(); }
const Config& Engine::config() const { return parts_->config; }
Heartbeat Engine::DeriveHeartbeat() const { return parts_->DeriveHeartbeat(); }
Load Engine::load() const { return parts_->load(); }
const Counters& Engine::counters() const { return parts_->counters; }

CallId Engine::last_call_id() const { return parts_->dispatcher.last_call_id(); }

}  // namespace blockx::engine
