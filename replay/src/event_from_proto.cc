#include <optional>
#include <string>

#include "absl/status/status.h"
#include "blockx/replay/convert.h"

namespace blockx::replay {
namespace {

engine::Payload PayloadOf(const std::string& bytes) { return engine::Payload::FromBytes(bytes); }

engine::Invocation InvocationOf(const log::v1::Invocation& message) {
  return {.type = message.type(), .payload = PayloadOf(message.payload())};
}

// Of a failure of its own message, and of events that carry code, message and retryable as fields.
template <class Message>
engine::Failure FailureOf(const Message& message) {
  return {.code = message.code(), .message = message.message(), .retryable = message.retryable()};
}

engine::Event EventOf(const log::v1::RequestTaskSlot& m) {
  return engine::RequestTaskSlot{.task_id = m.task_id(), .ttl = engine::Milliseconds(m.ttl_ms())};
}

engine::Event EventOf(const log::v1::GetTaskResult& m) {
  return engine::GetTaskResult{.task_id = m.task_id()};
}

engine::Event EventOf(const log::v1::CloseWatch& m) {
  return engine::CloseWatch{.watch_id = engine::WatchId(m.watch_id())};
}

engine::Event EventOf(const log::v1::ActivationPrepared& m) {
  return engine::ActivationPrepared{.task_id = m.task_id(),
                                    .run = engine::Run(m.run()),
                                    .slot_id = m.slot_id(),
                                    .epoch = engine::CodeEpoch(m.task_code_epoch())};
}

engine::Event EventOf(const log::v1::ActivationFailed& m) {
  return engine::ActivationFailed{
      .task_id = m.task_id(), .run = engine::Run(m.run()), .failure = FailureOf(m)};
}

engine::Event EventOf(const log::v1::CallStreamEnded& m) {
  engine::CallStreamEnded event{.task_id = m.task_id(), .run = engine::Run(m.run())};
  if (m.has_failure()) event.failure = FailureOf(m.failure());
  return event;
}

engine::Event EventOf(const log::v1::WriterFinished& m) {
  engine::WriterFinished event{.task_id = m.task_id(), .run = engine::Run(m.run())};
  if (m.has_failure()) {
    event.outcome = FailureOf(m.failure());
  } else {
    event.outcome = PayloadOf(m.plugin_results());
  }
  return event;
}

engine::Event EventOf(const log::v1::ExecutorConnected& m) {
  return engine::ExecutorConnected{.executor = engine::ExecutorId(m.executor_id()),
                                   .generation = engine::Generation(m.generation()),
                                   .pid = m.pid()};
}

engine::Event EventOf(const log::v1::ExecutorHeartbeat& m) {
  return engine::ExecutorHeartbeat{.executor = engine::ExecutorId(m.executor_id()),
                                   .generation = engine::Generation(m.generation()),
                                   .running_call = engine::CallId(m.running_call_id()),
                                   .last_scheduler_active = m.last_scheduler_active_at_ms()};
}

engine::Event EventOf(const log::v1::ExecutorExited& m) {
  return engine::ExecutorExited{.executor = engine::ExecutorId(m.executor_id()),
                                .generation = engine::Generation(m.generation()),
                                .reason = m.reason()};
}

engine::Event EventOf(const log::v1::CallSucceeded& m) {
  return engine::CallSucceeded{.executor = engine::ExecutorId(m.executor_id()),
                               .call = engine::CallId(m.call_id()),
                               .attempt = engine::Attempt(m.attempt()),
                               .output = PayloadOf(m.output())};
}

engine::Event EventOf(const log::v1::CallFailed& m) {
  return engine::CallFailed{.executor = engine::ExecutorId(m.executor_id()),
                            .call = engine::CallId(m.call_id()),
                            .attempt = engine::Attempt(m.attempt()),
                            .failure = FailureOf(m)};
}

engine::Event EventOf(const log::v1::SubcallRequested& m) {
  return engine::SubcallRequested{.executor = engine::ExecutorId(m.executor_id()),
                                  .parent = engine::CallId(m.parent_call_id()),
                                  .parent_attempt = engine::Attempt(m.parent_attempt()),
                                  .ref = engine::SubcallRef(m.subcall_ref()),
                                  .spec = {.function = m.function(), .args = PayloadOf(m.args())}};
}

absl::Status Malformed(const std::string& path, const std::string& expected) {
  return absl::InvalidArgumentError(path + ": " + expected);
}

}  // namespace

absl::StatusOr<engine::Event> EventReader::Read(const log::v1::Event& message) {
  switch (message.event_case()) {
    case log::v1::Event::kRequestTaskSlot:
      return EventOf(message.request_task_slot());
    case log::v1::Event::kSubmitTask:
      return Read(message.submit_task());
    case log::v1::Event::kGetTaskResult:
      return EventOf(message.get_task_result());
    case log::v1::Event::kOpenWatch:
      return Read(message.open_watch());
    case log::v1::Event::kCloseWatch:
      return EventOf(message.close_watch());
    case log::v1::Event::kActivationPrepared:
      return EventOf(message.activation_prepared());
    case log::v1::Event::kActivationFailed:
      return EventOf(message.activation_failed());
    case log::v1::Event::kBuilderFinished:
      return Read(message.builder_finished());
    case log::v1::Event::kCallsAppended:
      return Read(message.calls_appended());
    case log::v1::Event::kCallStreamEnded:
      return EventOf(message.call_stream_ended());
    case log::v1::Event::kWriterFinished:
      return EventOf(message.writer_finished());
    case log::v1::Event::kExecutorConnected:
      return EventOf(message.executor_connected());
    case log::v1::Event::kExecutorHeartbeat:
      return EventOf(message.executor_heartbeat());
    case log::v1::Event::kExecutorExited:
      return EventOf(message.executor_exited());
    case log::v1::Event::kCallSucceeded:
      return EventOf(message.call_succeeded());
    case log::v1::Event::kCallFailed:
      return EventOf(message.call_failed());
    case log::v1::Event::kSubcallRequested:
      return EventOf(message.subcall_requested());
    case log::v1::Event::kStart:
      return engine::Start();
    case log::v1::Event::kTick:
      return engine::Tick();
    case log::v1::Event::kBeginDrain:
      return engine::BeginDrain();
    case log::v1::Event::kForceStop:
      return engine::ForceStop();
    case log::v1::Event::EVENT_NOT_SET:
      break;
  }
  return Malformed(
      "event",
      "missing; expected an object with one key, the event's name, such as {\"tick\": {}}");
}

absl::StatusOr<engine::Event> EventReader::Read(const log::v1::SubmitTask& message) {
  engine::SubmitTask event{.task_id = message.task_id(),
                           .slot_id = message.slot_id(),
                           .function = InvocationOf(message.function()),
                           .result_handler = InvocationOf(message.result_handler()),
                           .timeout = engine::Milliseconds(message.task_timeout_ms())};
  switch (message.call_failure_policy()) {
    case log::v1::CallFailurePolicy::FAIL_TASK:
      event.failure_policy = engine::CallFailurePolicy::kFailTask;
      break;
    case log::v1::CallFailurePolicy::CONTINUE:
      event.failure_policy = engine::CallFailurePolicy::kContinue;
      break;
    default:  // A message can carry any number here, also one that a later version gave a meaning.
      return Malformed("event.submitTask.callFailurePolicy",
                       "found " + std::to_string(message.call_failure_policy()) +
                           ", expected FAIL_TASK or CONTINUE");
  }
  if (message.has_call_retry_policy()) {
    const log::v1::CallRetryPolicy& policy = message.call_retry_policy();
    event.retry_policy =
        engine::RetryPolicy{.max_attempts = policy.max_attempts(),
                            .base_backoff = engine::Milliseconds(policy.base_backoff_ms()),
                            .jitter_percent = policy.jitter_percent()};
  }
  return event;
}

absl::StatusOr<engine::Event> EventReader::Read(const log::v1::BuilderFinished& message) {
  engine::BuilderFinished event{.task_id = message.task_id(), .run = engine::Run(message.run())};
  switch (message.outcome_case()) {
    case log::v1::BuilderFinished::kCallList:
      event.outcome = engine::CallList{.calls = ReadCalls(message.call_list().calls())};
      return event;
    case log::v1::BuilderFinished::kStream:
      event.outcome = engine::StreamMarker();
      return event;
    case log::v1::BuilderFinished::kFailure:
      event.outcome = FailureOf(message.failure());
      return event;
    case log::v1::BuilderFinished::OUTCOME_NOT_SET:
      break;
  }
  return Malformed("event.builderFinished",
                   "the outcome is missing; expected one of callList, stream, failure");
}

engine::Event EventReader::Read(const log::v1::OpenWatch& message) {
  task_ids_.assign(message.task_ids().begin(), message.task_ids().end());
  return engine::OpenWatch{.watch_id = engine::WatchId(message.watch_id()), .task_ids = task_ids_};
}

engine::Event EventReader::Read(const log::v1::CallsAppended& message) {
  return engine::CallsAppended{.task_id = message.task_id(),
                               .run = engine::Run(message.run()),
                               .calls = ReadCalls(message.calls())};
}

std::span<const engine::CallSpec> EventReader::ReadCalls(
    const google::protobuf::RepeatedPtrField<log::v1::Call>& calls) {
  calls_.clear();
  calls_.reserve(static_cast<std::size_t>(calls.size()));
  for (const log::v1::Call& call : calls) {
    calls_.push_back({.function = call.function(), .args = PayloadOf(call.args())});
  }
  return calls_;
}

}  // namespace blockx::replay
