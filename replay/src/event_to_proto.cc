#include <cstdint>
#include <span>
#include <variant>

#include "blockx/replay/convert.h"
#include "convert_parts.h"

namespace blockx::replay {
namespace {

// The inverse of engine::Milliseconds, saturated values included.
std::int64_t ToMilliseconds(engine::Duration duration) {
  if (duration == engine::Duration::max()) return INT64_MAX;
  if (duration == engine::Duration::min()) return INT64_MIN;
  return duration.count() / 1000;
}

void SetInvocation(const engine::Invocation& invocation, log::v1::Invocation& message) {
  message.set_type(Text(invocation.type));
  message.set_payload(Bytes(invocation.payload));
}

template <class Message>
void AddCalls(std::span<const engine::CallSpec> calls, Message& message) {
  for (const engine::CallSpec& call : calls) {
    log::v1::Call& added = *message.add_calls();
    added.set_function(Text(call.function));
    added.set_args(Bytes(call.args));
  }
}

template <class Event, class Message>
void SetTask(const Event& event, Message& message) {
  message.set_task_id(Text(event.task_id));
  message.set_run(event.run.value());
}

template <class Event, class Message>
void SetExecutor(const Event& event, Message& message) {
  message.set_executor_id(event.executor.value());
  message.set_generation(event.generation.value());
}

template <class Event, class Message>
void SetAttempt(const Event& event, Message& message) {
  message.set_executor_id(event.executor.value());
  message.set_call_id(event.call.value());
  message.set_attempt(event.attempt.value());
}

void Fill(const engine::SubmitTask& event, log::v1::SubmitTask& message) {
  message.set_task_id(Text(event.task_id));
  message.set_slot_id(Text(event.slot_id));
  SetInvocation(event.function, *message.mutable_function());
  if (!event.result_handler.type.empty()) {
    SetInvocation(event.result_handler, *message.mutable_result_handler());
  }
  message.set_task_timeout_ms(ToMilliseconds(event.timeout));
  switch (event.failure_policy) {
    case engine::CallFailurePolicy::kFailTask:
      message.set_call_failure_policy(log::v1::CallFailurePolicy::FAIL_TASK);
      break;
    case engine::CallFailurePolicy::kContinue:
      message.set_call_failure_policy(log::v1::CallFailurePolicy::CONTINUE);
      break;
  }
  if (event.retry_policy) {
    log::v1::CallRetryPolicy& policy = *message.mutable_call_retry_policy();
    policy.set_max_attempts(event.retry_policy->max_attempts);
    policy.set_base_backoff_ms(ToMilliseconds(event.retry_policy->base_backoff));
    policy.set_jitter_percent(event.retry_policy->jitter_percent);
  }
}

void Fill(const engine::BuilderFinished& event, log::v1::BuilderFinished& message) {
  SetTask(event, message);
  std::visit(
      Overloaded{
          [&](const engine::CallList& list) { AddCalls(list.calls, *message.mutable_call_list()); },
          [&](const engine::StreamMarker&) { message.mutable_stream(); },
          [&](const engine::Failure& failure) { SetFailure(failure, *message.mutable_failure()); },
      },
      event.outcome);
}

void Fill(const engine::WriterFinished& event, log::v1::WriterFinished& message) {
  SetTask(event, message);
  std::visit(
      Overloaded{
          [&](const engine::Payload& results) { message.set_plugin_results(Bytes(results)); },
          [&](const engine::Failure& failure) { SetFailure(failure, *message.mutable_failure()); },
      },
      event.outcome);
}

void Fill(const engine::SubcallRequested& event, log::v1::SubcallRequested& message) {
  message.set_executor_id(event.executor.value());
  message.set_parent_call_id(event.parent.value());
  message.set_parent_attempt(event.parent_attempt.value());
  message.set_subcall_ref(event.ref.value());
  message.set_function(Text(event.spec.function));
  message.set_args(Bytes(event.spec.args));
}

}  // namespace

void ToProto(const engine::Event& event, log::v1::Event& message) {
  message.Clear();
  std::visit(
      Overloaded{
          [&](const engine::RequestTaskSlot& e) {
            log::v1::RequestTaskSlot& m = *message.mutable_request_task_slot();
            m.set_task_id(Text(e.task_id));
            m.set_ttl_ms(ToMilliseconds(e.ttl));
          },
          [&](const engine::SubmitTask& e) { Fill(e, *message.mutable_submit_task()); },
          [&](const engine::GetTaskResult& e) {
            message.mutable_get_task_result()->set_task_id(Text(e.task_id));
          },
          [&](const engine::OpenWatch& e) {
            log::v1::OpenWatch& m = *message.mutable_open_watch();
            m.set_watch_id(e.watch_id.value());
            for (const std::string_view task_id : e.task_ids) m.add_task_ids(Text(task_id));
          },
          [&](const engine::CloseWatch& e) {
            message.mutable_close_watch()->set_watch_id(e.watch_id.value());
          },
          [&](const engine::ActivationPrepared& e) {
            log::v1::ActivationPrepared& m = *message.mutable_activation_prepared();
            SetTask(e, m);
            m.set_slot_id(Text(e.slot_id));
            m.set_task_code_epoch(e.epoch.value());
          },
          [&](const engine::ActivationFailed& e) {
            SetTask(e, *message.mutable_activation_failed());
            SetFailure(e.failure, *message.mutable_activation_failed());
          },
          [&](const engine::BuilderFinished& e) { Fill(e, *message.mutable_builder_finished()); },
          [&](const engine::CallsAppended& e) {
            SetTask(e, *message.mutable_calls_appended());
            AddCalls(e.calls, *message.mutable_calls_appended());
          },
          [&](const engine::CallStreamEnded& e) {
            log::v1::CallStreamEnded& m = *message.mutable_call_stream_ended();
            SetTask(e, m);
            if (e.failure) SetFailure(*e.failure, *m.mutable_failure());
          },
          [&](const engine::WriterFinished& e) { Fill(e, *message.mutable_writer_finished()); },
          [&](const engine::ExecutorConnected& e) {
            SetExecutor(e, *message.mutable_executor_connected());
            message.mutable_executor_connected()->set_pid(e.pid);
          },
          [&](const engine::ExecutorHeartbeat& e) {
            log::v1::ExecutorHeartbeat& m = *message.mutable_executor_heartbeat();
            SetExecutor(e, m);
            m.set_running_call_id(e.running_call.value());
            m.set_last_scheduler_active_at_ms(e.last_scheduler_active);
          },
          [&](const engine::ExecutorExited& e) {
            SetExecutor(e, *message.mutable_executor_exited());
            message.mutable_executor_exited()->set_reason(Text(e.reason));
          },
          [&](const engine::CallSucceeded& e) {
            SetAttempt(e, *message.mutable_call_succeeded());
            message.mutable_call_succeeded()->set_output(Bytes(e.output));
          },
          [&](const engine::CallFailed& e) {
            SetAttempt(e, *message.mutable_call_failed());
            SetFailure(e.failure, *message.mutable_call_failed());
          },
          [&](const engine::SubcallRequested& e) { Fill(e, *message.mutable_subcall_requested()); },
          [&](const engine::Start&) { message.mutable_start(); },
          [&](const engine::Tick&) { message.mutable_tick(); },
          [&](const engine::BeginDrain&) { message.mutable_begin_drain(); },
          [&](const engine::ForceStop&) { message.mutable_force_stop(); },
      },
      event);
}

}  // namespace blockx::replay
