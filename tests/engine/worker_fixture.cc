#include "engine/worker_fixture.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace blockx::engine {
namespace {

std::vector<CallSpec> Specs(Names functions) {
  std::vector<CallSpec> specs;
  for (const std::string_view function : functions) specs.push_back(CallSpec{.function = function});
  return specs;
}

}  // namespace

SubmitTask Task(std::string_view task_id) {
  return SubmitTask{.task_id = task_id, .function = {.type = "build"}};
}

SubmitTask TaskWithWriter(std::string_view task_id) {
  SubmitTask task = Task(task_id);
  task.result_handler.type = "write";
  return task;
}

Failure Retryable(std::string_view code) { return Failure{.code = code, .retryable = true}; }
Failure Final(std::string_view code) { return Failure{.code = code, .retryable = false}; }

Worker::Worker(const Config& config) : engine_(config) {
  if (const std::optional<ConfigProblem> problem = Validate(config))
    Complain(problem->path + ": " + problem->message);
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
  return Apply(WriterFinished{
      .task_id = task, .run = RunOf(task), .outcome = Payload::FromBytes(std::move(results))});
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
  return Apply(CallFailed{.executor = ExecutorOf(call),
                          .call = CallId(call),
                          .attempt = AttemptOf(call),
                          .failure = failure});
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
  return Apply(
      ExecutorConnected{.executor = id, .generation = generations_[id], .pid = 100 + executor});
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
  for (std::int64_t executor = 0; executor < engine_.config().executor_count; ++executor)
    Beat(executor);
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
  Complain("call " + std::to_string(call) + " was never dispatched");
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
      dispatched_.insert_or_assign(dispatch->call,
                                   Dispatched{dispatch->executor, dispatch->attempt});
    } else if (const auto* spawn = std::get_if<SpawnExecutor>(&command)) {
      generations_.insert_or_assign(spawn->executor, spawn->generation);
    }
  }
  const std::optional<std::string> broken = engine_.CheckInvariants();
  if (broken) Complain("broken invariant " + *broken + ", at " + Describe(now_));
}

void Worker::CheckRefusal(std::uint64_t before, const std::string& reply) const {
  if (engine_.StateDigest() != before)
    Complain("a request refused with " + reply + " changed the state");
  if (!engine_.commands().empty()) Complain("a request refused with " + reply + " gave commands");
}

void Worker::Complain(const std::string& what) const { ADD_FAILURE() << what; }

}  // namespace blockx::engine
