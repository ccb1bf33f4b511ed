#include "engine/worker_fixture.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace blockx::engine {
namespace {

std::string Number(std::int64_t value) { return std::to_string(value); }

std::string Of(std::string_view task_id, Run run) { return std::string(task_id) + "#" + Number(run.value()); }

std::string Of(CallId call, Attempt attempt) { return Number(call.value()) + "." + Number(attempt.value()); }

std::string Of(ExecutorId executor, Generation generation) {
  return Number(executor.value()) + "." + Number(generation.value());
}

std::string_view NameOf(TaskState state) {
  switch (state) {
    case TaskState::kAllocated:
      return "ALLOCATED";
    case TaskState::kRunning:
      return "RUNNING";
    case TaskState::kSucceeded:
      return "SUCCEEDED";
    case TaskState::kFailed:
      return "FAILED";
  }
  return "?";
}

std::string_view NameOf(Phase phase) {
  switch (phase) {
    case Phase::kPreparing:
      return "PREPARING";
    case Phase::kBuilder:
      return "BUILDER";
    case Phase::kCalls:
      return "CALLS";
    case Phase::kPlugin:
      return "PLUGIN";
    case Phase::kTerminal:
      return "TERMINAL";
  }
  return "?";
}

std::string_view NameOf(KillReason reason) {
  switch (reason) {
    case KillReason::kStartTimeout:
      return "START_TIMEOUT";
    case KillReason::kHeartbeatTimeout:
      return "HEARTBEAT_TIMEOUT";
    case KillReason::kWedged:
      return "WEDGED";
    case KillReason::kCancelGrace:
      return "CANCEL_GRACE";
    case KillReason::kStopped:
      return "STOPPED";
  }
  return "?";
}

std::string Of(const TaskResult& result) {
  std::string text(NameOf(result.state));
  if (!result.failure_code.empty()) text += "/" + result.failure_code;
  if (result.retryable) text += " retryable";
  return text;
}

std::string Of(const CallOutcome& outcome) {
  if (outcome.output == nullptr) {
    return std::string(outcome.failure.code) + (outcome.failure.retryable ? " retryable" : "");
  }
  const std::string* bytes = outcome.output->bytes();
  return "'" + (bytes == nullptr ? std::string() : *bytes) + "'";
}

struct Writer {
  std::string operator()(const PrepareActivation& c) const {
    return "prepare " + Of(c.task_id, c.run) + " slot-" + Number(c.slot.value());
  }
  std::string operator()(const StartBuilder& c) const { return "start-builder " + Of(c.task_id, c.run); }
  std::string operator()(const StartCallStream& c) const { return "start-stream " + Of(c.task_id, c.run); }
  std::string operator()(const PauseCallStream& c) const { return "pause-stream " + Of(c.task_id, c.run); }
  std::string operator()(const ResumeCallStream& c) const { return "resume-stream " + Of(c.task_id, c.run); }
  std::string operator()(const DispatchCall& c) const {
    return "dispatch " + Of(c.call, c.attempt) + " on " + Number(c.executor.value());
  }
  std::string operator()(const CancelCall& c) const {
    return "cancel " + Of(c.call, c.attempt) + " on " + Number(c.executor.value());
  }
  std::string operator()(const DeliverSubcall& c) const {
    return "deliver " + Number(c.ref.value()) + " to " + Number(c.parent.value()) + " on " +
           Number(c.executor.value()) + ": " + Of(c.outcome);
  }
  std::string operator()(const StartWriter& c) const {
    std::string text = "start-writer " + Of(c.task_id, c.run) + " [";
    for (const CallOutcome& outcome : c.outcomes) text += (text.back() == '[' ? "" : ", ") + Of(outcome);
    return text + "]";
  }
  std::string operator()(const ConvergeTask& c) const {
    return "converge " + Of(c.task_id, c.run) + " " + Of(*c.result);
  }
  std::string operator()(const NotifyWatch& c) const {
    const std::string whom = "notify " + Number(c.watch_id.value()) + ": " + std::string(c.task_id) + " ";
    return whom + (c.result != nullptr ? Of(*c.result) : std::string(NameOf(c.state)) + " " + std::string(NameOf(c.phase)));
  }
  std::string operator()(const EndWatch& c) const {
    return "end-watch " + Number(c.watch_id.value()) + (c.complete ? " complete" : " incomplete");
  }
  std::string operator()(const SpawnExecutor& c) const { return "spawn " + Of(c.executor, c.generation); }
  std::string operator()(const KillExecutor& c) const {
    return "kill " + Of(c.executor, c.generation) + " " + std::string(NameOf(c.reason));
  }
  std::string operator()(const RegisterWorker&) const { return "register"; }
  std::string operator()(const DeregisterWorker&) const { return "deregister"; }
  std::string operator()(const DrainComplete& c) const {
    return c.clean ? "drain-complete clean" : "drain-complete unclean";
  }
};

std::vector<CallSpec> Specs(Names functions) {
  std::vector<CallSpec> specs;
  for (const std::string_view function : functions) specs.push_back(CallSpec{.function = function});
  return specs;
}

}  // namespace

std::string Describe(Instant time) {
  const std::int64_t us = Elapsed(kStart, time).count();
  std::string text = Number(us / 1000);
  if (us % 1000 != 0) text += "." + Number(1000 + us % 1000).substr(1);
  return text + "ms";
}

std::string Describe(const Command& command) { return std::visit(Writer(), command); }

std::string Describe(const TaskView& view) {
  std::string text(view.result != nullptr ? Of(*view.result) : NameOf(view.state));
  if (view.phase && view.phase != Phase::kTerminal) text += " " + std::string(NameOf(*view.phase));
  if (view.slot) text += " slot-" + Number(view.slot->value());
  if (view.lease_expires_at) text += " until " + Describe(*view.lease_expires_at);
  return text;
}

std::string Describe(const WatchView& view) {
  std::string text;
  for (const TaskView& task : view.tasks) {
    text += (text.empty() ? "" : "; ") + std::string(task.task_id) + " " + Describe(task);
  }
  return text;
}

std::string Describe(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return "InvalidArgument";
    case ErrorCode::kNoSlot:
      return "NoSlot";
    case ErrorCode::kUnavailable:
      return "Unavailable";
    case ErrorCode::kInvalidSlot:
      return "InvalidSlot";
    case ErrorCode::kNotFound:
      return "NotFound";
    case ErrorCode::kSlotUncertain:
      return "SlotUncertain";
  }
  return "?";
}

std::string Describe(const Heartbeat& heartbeat) {
  return "slots " + Number(heartbeat.task_slots) + ": " + Number(heartbeat.reserved_slots) + " reserved, " +
         Number(heartbeat.running_tasks) + " running, " + Number(heartbeat.free_slots) + " free; " +
         Number(heartbeat.healthy_executors) + " healthy" + (heartbeat.ready ? ", ready" : "") +
         (heartbeat.draining ? ", draining" : "");
}

SubmitTask Task(std::string_view task_id) { return SubmitTask{.task_id = task_id, .function = {.type = "build"}}; }

SubmitTask TaskWithWriter(std::string_view task_id) {
  SubmitTask task = Task(task_id);
  task.result_handler.type = "write";
  return task;
}

Failure Retryable(std::string_view code) { return Failure{.code = code, .retryable = true}; }
Failure Final(std::string_view code) { return Failure{.code = code, .retryable = false}; }

Worker::Worker(const Config& config) : engine_(config) {
  if (const std::optional<ConfigProblem> problem = Validate(config)) Complain(problem->path + ": " + problem->message);
}

Worker& Worker::At(Duration since_start) { return AtInstant(kStart + since_start); }

Worker& Worker::AtInstant(Instant now) {
  now_ = now;
  return *this;
}

std::string Worker::Reserve(std::string_view task, Duration ttl) {
  return Apply(RequestTaskSlot{.task_id = task, .ttl = ttl});
}

std::string Worker::Get(std::string_view task) { return Apply(GetTaskResult{.task_id = task}); }

std::string Worker::Watch(std::int64_t watch, Names tasks) {
  const std::vector<std::string_view> ids(tasks);
  return Apply(OpenWatch{.watch_id = WatchId(watch), .task_ids = ids});
}

Texts Worker::Prepared(std::string_view task, std::int64_t epoch) {
  return Apply(ActivationPrepared{.task_id = task, .run = RunOf(task), .epoch = CodeEpoch(epoch)});
}

Texts Worker::NotPrepared(std::string_view task, Failure failure) {
  return Apply(ActivationFailed{.task_id = task, .run = RunOf(task), .failure = failure});
}

Texts Worker::Built(std::string_view task, Names functions) {
  const std::vector<CallSpec> calls = Specs(functions);
  return Apply(BuilderFinished{.task_id = task, .run = RunOf(task), .outcome = CallList{calls}});
}

Texts Worker::BuiltStream(std::string_view task) {
  return Apply(BuilderFinished{.task_id = task, .run = RunOf(task), .outcome = StreamMarker()});
}

Texts Worker::NotBuilt(std::string_view task, Failure failure) {
  return Apply(BuilderFinished{.task_id = task, .run = RunOf(task), .outcome = failure});
}

Texts Worker::Appended(std::string_view task, Names functions) {
  const std::vector<CallSpec> calls = Specs(functions);
  return Apply(CallsAppended{.task_id = task, .run = RunOf(task), .calls = calls});
}

Texts Worker::StreamEnded(std::string_view task) {
  return Apply(CallStreamEnded{.task_id = task, .run = RunOf(task)});
}

Texts Worker::StreamFailed(std::string_view task, Failure failure) {
  return Apply(CallStreamEnded{.task_id = task, .run = RunOf(task), .failure = failure});
}

Texts Worker::Written(std::string_view task, std::string results) {
  return Apply(
      WriterFinished{.task_id = task, .run = RunOf(task), .outcome = Payload::FromBytes(std::move(results))});
}

Texts Worker::NotWritten(std::string_view task, Failure failure) {
  return Apply(WriterFinished{.task_id = task, .run = RunOf(task), .outcome = failure});
}

Texts Worker::Succeeded(std::int64_t call, std::string output) {
  return Apply(CallSucceeded{.executor = ExecutorOf(call),
                             .call = CallId(call),
                             .attempt = AttemptOf(call),
                             .output = Payload::FromBytes(std::move(output))});
}

Texts Worker::Failed(std::int64_t call, Failure failure) {
  return Apply(CallFailed{
      .executor = ExecutorOf(call), .call = CallId(call), .attempt = AttemptOf(call), .failure = failure});
}

Texts Worker::Subcall(std::int64_t parent, std::int64_t ref, std::string_view function) {
  return Apply(SubcallRequested{.executor = ExecutorOf(parent),
                                .parent = CallId(parent),
                                .parent_attempt = AttemptOf(parent),
                                .ref = SubcallRef(ref),
                                .spec = {.function = function}});
}

Texts Worker::Connected(std::int64_t executor) {
  const ExecutorId id(executor);
  return Apply(ExecutorConnected{.executor = id, .generation = generations_[id], .pid = 100 + executor});
}

Texts Worker::Exited(std::int64_t executor) {
  const ExecutorId id(executor);
  return Apply(ExecutorExited{.executor = id, .generation = generations_[id], .reason = "exit"});
}

Texts Worker::Beat(std::int64_t executor, std::int64_t running_call, std::int64_t activity) {
  const ExecutorId id(executor);
  return Apply(ExecutorHeartbeat{.executor = id,
                                 .generation = generations_[id],
                                 .running_call = CallId(running_call),
                                 .last_scheduler_active = activity});
}

Worker& Worker::Ready() { return Ready(engine_.config().executor_count); }

Worker& Worker::Ready(std::int64_t count) {
  Start();
  for (std::int64_t executor = 0; executor < count; ++executor) Connected(executor);
  return *this;
}

Worker& Worker::Alive() {
  for (std::int64_t executor = 0; executor < engine_.config().executor_count; ++executor) Beat(executor);
  return *this;
}

Texts Worker::ToBuilder(const SubmitTask& task) {
  Submit(task);
  return Prepared(task.task_id);
}

Texts Worker::ToCalls(const SubmitTask& task, Names functions) {
  ToBuilder(task);
  return Built(task.task_id, functions);
}

Texts Worker::ToStream(std::string_view task) {
  ToBuilder(task);
  return BuiltStream(task);
}

Texts Worker::ToPlugin(std::string_view task) { return ToCalls(TaskWithWriter(task), {}); }

std::string Worker::next_deadline() const {
  const std::optional<Instant> next = engine_.NextDeadline();
  return next ? Describe(*next) : "none";
}

TaskResult Worker::ResultOf(std::string_view task) {
  const Result<TaskView> reply = engine_.Apply(GetTaskResult{.task_id = task}, now_);
  if (reply.ok() && reply.value().result != nullptr) return *reply.value().result;
  Complain("task " + std::string(task) + " has no result");
  return TaskResult();
}

Run Worker::RunOf(std::string_view task) const {
  const auto found = runs_.find(task);
  if (found != runs_.end()) return found->second;
  Complain("task " + std::string(task) + " was never accepted");
  return Run();
}

ExecutorId Worker::ExecutorOf(std::int64_t call) const {
  const auto found = dispatched_.find(CallId(call));
  if (found != dispatched_.end()) return found->second.executor;
  Complain("call " + Number(call) + " was never dispatched");
  return ExecutorId();
}

Attempt Worker::AttemptOf(std::int64_t call) const {
  const auto found = dispatched_.find(CallId(call));
  return found != dispatched_.end() ? found->second.attempt : Attempt();
}

void Worker::Conclude() {
  commands_.clear();
  for (const Command& command : engine_.commands()) {
    commands_.push_back(Describe(command));
    if (const auto* prepare = std::get_if<PrepareActivation>(&command)) {
      runs_.insert_or_assign(std::string(prepare->task_id), prepare->run);
    } else if (const auto* dispatch = std::get_if<DispatchCall>(&command)) {
      dispatched_.insert_or_assign(dispatch->call, Dispatched{dispatch->executor, dispatch->attempt});
    } else if (const auto* spawn = std::get_if<SpawnExecutor>(&command)) {
      generations_.insert_or_assign(spawn->executor, spawn->generation);
    }
  }
  const std::optional<std::string> broken = engine_.CheckInvariants();
  if (broken) Complain("broken invariant " + *broken + ", at " + Describe(now_));
}

void Worker::CheckRefusal(std::uint64_t before, const std::string& reply) const {
  if (engine_.StateDigest() != before) Complain("a request refused with " + reply + " changed the state");
  if (!engine_.commands().empty()) Complain("a request refused with " + reply + " gave commands");
}

void Worker::Complain(const std::string& what) const { ADD_FAILURE() << what; }

}  // namespace blockx::engine
