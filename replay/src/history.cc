#include "blockx/replay/history.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"

namespace blockx::replay {
namespace {

FailureText TextOf(const engine::Failure& failure) {
  return {std::string(failure.code), std::string(failure.message), failure.retryable};
}

}  // namespace

// Hash tables here are only looked into; all order is that of the steps.
class History::Gatherer {
 public:
  explicit Gatherer(const engine::Engine& engine)
      : engine_(engine), last_call_(engine.last_call_id().value()) {}

  void OnStep(const engine::Step& step) {
    moment_ = {step.now, step.sequence};
    if (!first.happened()) first = moment_;
    // Behind a gap it is not known which ids this step gave.
    const bool follows = last.sequence + 1 == step.sequence || !last.happened();
    last = moment_;
    const std::int64_t before = std::exchange(last_call_, engine_.last_call_id().value());
    first_new_call_ = follows && last_call_ > before ? before + 1 : 0;
    std::visit([&](const auto& event) { On(event, step.reply); }, step.event);
    for (const engine::Command& command : step.commands) {
      std::visit([&](const auto& c) { On(c); }, command);
    }
  }

  [[nodiscard]] const TaskHistory* Find(std::string_view id) const {
    const auto found = task_by_id_.find(Key(id));
    return found == task_by_id_.end() ? nullptr : &tasks[found->second];
  }

  std::vector<TaskHistory> tasks;
  std::vector<ExecutorHistory> executors;
  std::vector<WatchHistory> watches;
  std::vector<Moment> ticks;
  Moment started;
  Moment drain_begun;
  Moment force_stopped;
  Moment first;
  Moment last;

 private:
  // A call's place; the vectors that it points into grow.
  struct CallPlace {
    std::size_t task = 0;
    std::size_t run = 0;
    std::size_t call = 0;
  };
  struct LiveAttempt {
    CallPlace call;
    std::size_t attempt = 0;
  };

  std::size_t PlaceOf(std::string_view task_id) {
    const auto [at, added] = task_by_id_.try_emplace(Key(task_id), tasks.size());
    if (added) tasks.emplace_back().id = task_id;
    return at->second;
  }
  // Abseil may be built with a view type of its own, and its tables look up by that one.
  static absl::string_view Key(std::string_view text) { return {text.data(), text.size()}; }
  TaskHistory& TaskOf(std::string_view task_id) { return tasks[PlaceOf(task_id)]; }

  // A run that is not known yet began before the first step.
  RunHistory& RunOf(std::string_view task_id, engine::Run run) {
    TaskHistory& task = TaskOf(task_id);
    for (RunHistory& known : task.runs) {
      if (known.run == run) return known;
    }
    RunHistory& added = task.runs.emplace_back();
    added.run = run;
    return added;
  }

  // The piece of work of that kind that is under way, or one that began before the first step.
  static WorkHistory& WorkOf(RunHistory& run, WorkHistory::Kind kind) {
    for (WorkHistory& work : run.work) {
      if (work.kind == kind) return work;
    }
    WorkHistory& added = run.work.emplace_back();
    added.kind = kind;
    return added;
  }

  void Begin(std::string_view task_id, engine::Run run, WorkHistory::Kind kind) {
    WorkHistory& work = RunOf(task_id, run).work.emplace_back();
    work.kind = kind;
    work.started = moment_;
  }

  WorkHistory& Finish(std::string_view task_id, engine::Run run, WorkHistory::Kind kind) {
    WorkHistory& work = WorkOf(RunOf(task_id, run), kind);
    if (!work.finished.happened()) work.finished = moment_;
    return work;
  }

  void AddBatch(std::string_view task_id, engine::Run run_id, WorkHistory::Kind kind,
                std::span<const engine::CallSpec> specs) {
    const std::size_t task = PlaceOf(task_id);
    RunHistory& run = RunOf(task_id, run_id);
    const auto run_place = static_cast<std::size_t>(&run - tasks[task].runs.data());
    WorkHistory::Batch& batch = WorkOf(run, kind).batches.emplace_back();
    batch.at = moment_;
    for (const engine::CallSpec& spec : specs) {
      batch.calls.push_back(run.calls.size());
      AddCall(run, {task, run_place, run.calls.size()}, spec);
    }
  }

  // Gives it the next of the ids that the engine gave in this step, if it gave any.
  CallHistory& AddCall(RunHistory& run, const CallPlace& place, const engine::CallSpec& spec) {
    CallHistory& call = run.calls.emplace_back();
    call.function = spec.function;
    call.args = spec.args;
    call.requested = moment_;
    if (first_new_call_ == 0 || first_new_call_ > last_call_) return call;
    call.id = engine::CallId(first_new_call_++);
    call_by_id_.emplace(call.id.value(), place);
    return call;
  }

  CallHistory& CallAt(const CallPlace& place) {
    return tasks[place.task].runs[place.run].calls[place.call];
  }

  CallHistory* CallOf(engine::CallId id) {
    const auto found = call_by_id_.find(id.value());
    return found == call_by_id_.end() ? nullptr : &CallAt(found->second);
  }

  AttemptHistory* AttemptOf(engine::CallId id, engine::Attempt attempt) {
    CallHistory* const call = CallOf(id);
    if (call == nullptr) return nullptr;
    for (AttemptHistory& known : call->attempts) {
      if (known.number == attempt) return &known;
    }
    return nullptr;
  }

  AttemptHistory* EndAttempt(engine::CallId id, engine::Attempt number, AttemptHistory::End how) {
    AttemptHistory* const attempt = AttemptOf(id, number);
    if (attempt == nullptr || attempt->ended.happened()) return nullptr;
    attempt->ended = moment_;
    attempt->end = how;
    return attempt;
  }

  ExecutorHistory& ExecutorOf(engine::ExecutorId id, engine::Generation generation) {
    const auto key = std::make_pair(id.value(), generation.value());
    const auto [at, added] = executor_by_id_.try_emplace(key, executors.size());
    if (added) {
      ExecutorHistory& executor = executors.emplace_back();
      executor.executor = id;
      executor.generation = generation;
      live_.emplace_back();
    }
    present_[id.value()] = at->second;
    return executors[at->second];
  }

  // ---- Requests ----

  void Answer(RequestHistory& request, const engine::Reply& reply) {
    request.at = moment_;
    if (const auto* error = std::get_if<engine::Error>(&reply)) {
      request.refused = error->code;
      request.refusal = error->message;
    } else if (const auto* view = std::get_if<engine::TaskView>(&reply)) {
      request.slot = view->slot;
    }
  }

  void On(const engine::RequestTaskSlot& event, const engine::Reply& reply) {
    RequestHistory& request = TaskOf(event.task_id).requests.emplace_back();
    request.kind = RequestHistory::Kind::kReserve;
    request.ttl = event.ttl;
    Answer(request, reply);
  }
  void On(const engine::SubmitTask& event, const engine::Reply& reply) {
    RequestHistory& request = TaskOf(event.task_id).requests.emplace_back();
    request.kind = RequestHistory::Kind::kSubmit;
    request.slot_id = event.slot_id;
    request.function = event.function.type;
    request.function_payload = event.function.payload;
    request.result_handler = event.result_handler.type;
    request.result_handler_payload = event.result_handler.payload;
    request.timeout = event.timeout;
    request.failure_policy = event.failure_policy;
    request.retry_policy = event.retry_policy;
    Answer(request, reply);
  }
  void On(const engine::GetTaskResult& event, const engine::Reply& reply) {
    RequestHistory& request = TaskOf(event.task_id).requests.emplace_back();
    request.kind = RequestHistory::Kind::kResult;
    Answer(request, reply);
  }
  void On(const engine::OpenWatch& event, const engine::Reply& reply) {
    if (std::holds_alternative<engine::Error>(reply)) return;
    watch_by_id_[event.watch_id.value()] = watches.size();
    WatchHistory& watch = watches.emplace_back();
    watch.id = event.watch_id;
    watch.opened = moment_;
    for (const std::string_view id : event.task_ids) watch.task_ids.emplace_back(id);
  }
  void On(const engine::CloseWatch& event, const engine::Reply&) {
    if (WatchHistory* const watch = WatchOf(event.watch_id)) watch->closed = moment_;
  }
  WatchHistory* WatchOf(engine::WatchId id) {
    const auto found = watch_by_id_.find(id.value());
    return found == watch_by_id_.end() ? nullptr : &watches[found->second];
  }

  // ---- Reports ----

  void On(const engine::ActivationPrepared& event, const engine::Reply&) {
    WorkHistory& work = Finish(event.task_id, event.run, WorkHistory::Kind::kActivation);
    work.epoch = event.epoch;
    work.slot_id = event.slot_id;
  }
  void On(const engine::ActivationFailed& event, const engine::Reply&) {
    Finish(event.task_id, event.run, WorkHistory::Kind::kActivation).failure =
        TextOf(event.failure);
  }
  void On(const engine::BuilderFinished& event, const engine::Reply&) {
    const auto kind = WorkHistory::Kind::kBuilder;
    WorkHistory& work = Finish(event.task_id, event.run, kind);
    if (const auto* failure = std::get_if<engine::Failure>(&event.outcome)) {
      work.failure = TextOf(*failure);
    } else if (const auto* list = std::get_if<engine::CallList>(&event.outcome)) {
      AddBatch(event.task_id, event.run, kind, list->calls);
    } else {
      work.streams = true;
    }
  }
  void On(const engine::CallsAppended& event, const engine::Reply&) {
    AddBatch(event.task_id, event.run, WorkHistory::Kind::kStream, event.calls);
  }
  void On(const engine::CallStreamEnded& event, const engine::Reply&) {
    WorkHistory& work = Finish(event.task_id, event.run, WorkHistory::Kind::kStream);
    if (event.failure) work.failure = TextOf(*event.failure);
  }
  void On(const engine::WriterFinished& event, const engine::Reply&) {
    WorkHistory& work = Finish(event.task_id, event.run, WorkHistory::Kind::kWriter);
    if (const auto* failure = std::get_if<engine::Failure>(&event.outcome)) {
      work.failure = TextOf(*failure);
    } else {
      work.plugin_results = std::get<engine::Payload>(event.outcome);
    }
  }
  void On(const engine::ExecutorConnected& event, const engine::Reply&) {
    ExecutorHistory& executor = ExecutorOf(event.executor, event.generation);
    if (executor.connected.happened()) return;
    executor.connected = moment_;
    executor.pid = event.pid;
  }
  void On(const engine::ExecutorHeartbeat& event, const engine::Reply&) {
    ExecutorOf(event.executor, event.generation)
        .heartbeats.push_back({moment_, event.running_call, event.last_scheduler_active});
  }
  void On(const engine::ExecutorExited& event, const engine::Reply&) {
    ExecutorHistory& executor = ExecutorOf(event.executor, event.generation);
    if (executor.exited.happened()) return;
    executor.exited = moment_;
    executor.exit_reason = event.reason;
    std::vector<LiveAttempt>& live = live_[static_cast<std::size_t>(&executor - executors.data())];
    for (const LiveAttempt& place : live) {
      AttemptHistory& attempt = CallAt(place.call).attempts[place.attempt];
      if (attempt.ended.happened()) continue;
      attempt.ended = moment_;
      attempt.end = AttemptHistory::End::kExecutorExited;
      attempt.failure.message = event.reason;
    }
    live.clear();
  }
  void On(const engine::CallSucceeded& event, const engine::Reply&) {
    AttemptHistory* const attempt =
        EndAttempt(event.call, event.attempt, AttemptHistory::End::kSucceeded);
    if (attempt != nullptr) attempt->output = event.output;
  }
  void On(const engine::CallFailed& event, const engine::Reply&) {
    AttemptHistory* const attempt =
        EndAttempt(event.call, event.attempt, AttemptHistory::End::kFailed);
    if (attempt != nullptr) attempt->failure = TextOf(event.failure);
  }
  void On(const engine::SubcallRequested& event, const engine::Reply&) {
    const auto found = call_by_id_.find(event.parent.value());
    if (found == call_by_id_.end()) return;
    const CallPlace parent = found->second;
    RunHistory& run = tasks[parent.task].runs[parent.run];
    CallHistory& call = AddCall(run, {parent.task, parent.run, run.calls.size()}, event.spec);
    call.parent = static_cast<std::int64_t>(parent.call);
    call.parent_attempt = event.parent_attempt;
    call.ref = event.ref;
    asked_[{event.parent.value(), event.ref.value()}] = {parent.task, parent.run,
                                                         run.calls.size() - 1};
  }

  // ---- Orders ----

  void On(const engine::Start&, const engine::Reply&) { started = moment_; }
  void On(const engine::Tick&, const engine::Reply&) { ticks.push_back(moment_); }
  void On(const engine::BeginDrain&, const engine::Reply&) { drain_begun = moment_; }
  void On(const engine::ForceStop&, const engine::Reply&) { force_stopped = moment_; }

  // ---- Commands ----

  void On(const engine::PrepareActivation& command) {
    RunHistory& run = RunOf(command.task_id, command.run);
    run.slot = command.slot;
    run.accepted = moment_;
    Begin(command.task_id, command.run, WorkHistory::Kind::kActivation);
  }
  void On(const engine::StartBuilder& command) {
    Begin(command.task_id, command.run, WorkHistory::Kind::kBuilder);
  }
  void On(const engine::StartCallStream& command) {
    Begin(command.task_id, command.run, WorkHistory::Kind::kStream);
  }
  void On(const engine::PauseCallStream& command) {
    WorkOf(RunOf(command.task_id, command.run), WorkHistory::Kind::kStream)
        .paused.push_back(moment_);
  }
  void On(const engine::ResumeCallStream& command) {
    WorkOf(RunOf(command.task_id, command.run), WorkHistory::Kind::kStream)
        .resumed.push_back(moment_);
  }
  void On(const engine::StartWriter& command) {
    Begin(command.task_id, command.run, WorkHistory::Kind::kWriter);
  }
  void On(const engine::DispatchCall& command) {
    auto found = call_by_id_.find(command.call.value());
    if (found == call_by_id_.end()) {  // Became known before the first step.
      const std::size_t task = PlaceOf(command.task_id);
      RunHistory& run = RunOf(command.task_id, command.run);
      const CallPlace place{task, static_cast<std::size_t>(&run - tasks[task].runs.data()),
                            run.calls.size()};
      CallHistory& call = run.calls.emplace_back();
      call.id = command.call;
      call.function = command.function;
      found = call_by_id_.emplace(command.call.value(), place).first;
    }
    CallHistory& call = CallAt(found->second);
    AttemptHistory& attempt = call.attempts.emplace_back();
    attempt.number = command.attempt;
    attempt.executor = command.executor;
    attempt.dispatched = moment_;
    attempt.deadline = command.deadline;
    const auto executor = present_.find(command.executor.value());
    if (executor == present_.end()) return;
    attempt.generation = executors[executor->second].generation;
    std::vector<LiveAttempt>& live = live_[executor->second];
    std::erase_if(live, [&](const LiveAttempt& place) {
      return CallAt(place.call).attempts[place.attempt].ended.happened();
    });
    live.push_back({found->second, call.attempts.size() - 1});
  }
  void On(const engine::CancelCall& command) {
    if (AttemptHistory* const attempt = AttemptOf(command.call, command.attempt)) {
      attempt->cancelled = moment_;
    }
  }
  void On(const engine::DeliverSubcall& command) {
    const auto found = asked_.find(std::make_pair(command.parent.value(), command.ref.value()));
    if (found == asked_.end()) return;
    CallAt(found->second).delivered = moment_;
    asked_.erase(found);
  }
  void On(const engine::ConvergeTask& command) {
    RunHistory& run = RunOf(command.task_id, command.run);
    run.ended = moment_;
    run.result = *command.result;
  }
  void On(const engine::EndWatch& command) {
    if (WatchHistory* const watch = WatchOf(command.watch_id)) {
      watch->ended = moment_;
      watch->complete = command.complete;
    }
  }
  void On(const engine::SpawnExecutor& command) {
    ExecutorOf(command.executor, command.generation).spawned = moment_;
  }
  void On(const engine::KillExecutor& command) {
    ExecutorHistory& executor = ExecutorOf(command.executor, command.generation);
    if (executor.killed.happened()) return;
    executor.killed = moment_;
    executor.kill_reason = command.reason;
  }
  // What they say is known from elsewhere.
  void On(const engine::NotifyWatch&) {}
  void On(const engine::RegisterWorker&) {}
  void On(const engine::DeregisterWorker&) {}
  void On(const engine::DrainComplete&) {}

  const engine::Engine& engine_;
  std::int64_t last_call_;
  std::int64_t first_new_call_ = 0;  // The next id to give in this step; 0: none was given.
  Moment moment_;
  absl::flat_hash_map<std::string, std::size_t> task_by_id_;
  absl::flat_hash_map<std::int64_t, CallPlace> call_by_id_;
  // Subcalls without an answer, by the asking call and its reference.
  absl::flat_hash_map<std::pair<std::int64_t, std::int64_t>, CallPlace> asked_;
  absl::flat_hash_map<std::pair<std::int64_t, std::int64_t>, std::size_t> executor_by_id_;
  absl::flat_hash_map<std::int64_t, std::size_t> present_;  // An executor's latest process.
  std::vector<std::vector<LiveAttempt>> live_;              // By process.
  absl::flat_hash_map<std::int64_t, std::size_t> watch_by_id_;
};

History::History(const engine::Engine& engine) : gatherer_(std::make_unique<Gatherer>(engine)) {}
History::~History() = default;

void History::OnStep(const engine::Step& step) { gatherer_->OnStep(step); }

const std::vector<TaskHistory>& History::tasks() const { return gatherer_->tasks; }
const TaskHistory* History::Find(std::string_view task_id) const {
  return gatherer_->Find(task_id);
}
const std::vector<ExecutorHistory>& History::executors() const { return gatherer_->executors; }
const std::vector<WatchHistory>& History::watches() const { return gatherer_->watches; }
const std::vector<Moment>& History::ticks() const { return gatherer_->ticks; }
const Moment& History::started() const { return gatherer_->started; }
const Moment& History::drain_begun() const { return gatherer_->drain_begun; }
const Moment& History::force_stopped() const { return gatherer_->force_stopped; }
const Moment& History::first() const { return gatherer_->first; }
const Moment& History::last() const { return gatherer_->last; }

}  // namespace blockx::replay
