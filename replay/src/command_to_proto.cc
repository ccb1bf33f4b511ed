#include <utility>
#include <variant>

#include "blockx/engine/names.h"
#include "blockx/replay/convert.h"
#include "convert_parts.h"
#include "output_parts.h"

namespace blockx::replay {
namespace {

log::v1::KillReason::Value ReasonOf(engine::KillReason reason) {
  switch (reason) {
    case engine::KillReason::kStartTimeout:
      return log::v1::KillReason::START_TIMEOUT;
    case engine::KillReason::kHeartbeatTimeout:
      return log::v1::KillReason::HEARTBEAT_TIMEOUT;
    case engine::KillReason::kWedged:
      return log::v1::KillReason::WEDGED;
    case engine::KillReason::kCancelGrace:
      return log::v1::KillReason::CANCEL_GRACE;
    case engine::KillReason::kStopped:
      return log::v1::KillReason::STOPPED;
  }
  return log::v1::KillReason::UNSPECIFIED;
}

// Of a message of its own, and of commands that carry the outcome's alternatives as fields.
template <class Message>
void SetOutcome(const engine::CallOutcome& outcome, PayloadMode payloads, Message& message) {
  if (outcome.output == nullptr) {
    SetFailure(outcome.failure, *message.mutable_failure());
    return;
  }
  SetPayload(
      *outcome.output, payloads, [&](std::string bytes) { message.set_output(std::move(bytes)); },
      [&]() -> log::v1::LeftOut& { return *message.mutable_output_left_out(); });
}

template <class Command, class Message>
void SetTask(const Command& command, Message& message) {
  message.set_task_id(Text(command.task_id));
  message.set_run(command.run.value());
}

template <class Command, class Message>
void SetExecutor(const Command& command, Message& message) {
  message.set_executor_id(command.executor.value());
  message.set_generation(command.generation.value());
}

void Fill(const engine::DispatchCall& command, PayloadMode payloads,
          log::v1::DispatchCall& message) {
  message.set_executor_id(command.executor.value());
  message.set_call_id(command.call.value());
  SetTask(command, message);
  message.set_attempt(command.attempt.value());
  message.set_deadline_us(engine::ToMicroseconds(command.deadline));
  message.set_function(Text(command.function));
  SetPayload(
      *command.args, payloads, [&](std::string bytes) { message.set_args(std::move(bytes)); },
      [&]() -> log::v1::LeftOut& { return *message.mutable_args_left_out(); });
  message.set_task_code_epoch(command.epoch.value());
}

void Fill(const engine::DeliverSubcall& command, PayloadMode payloads,
          log::v1::DeliverSubcall& message) {
  message.set_executor_id(command.executor.value());
  message.set_parent_call_id(command.parent.value());
  message.set_subcall_ref(command.ref.value());
  SetOutcome(command.outcome, payloads, message);
}

void Fill(const engine::NotifyWatch& command, PayloadMode payloads, log::v1::NotifyWatch& message) {
  message.set_watch_id(command.watch_id.value());
  message.set_task_id(Text(command.task_id));
  message.set_state(StateOf(command.state));
  message.set_phase(PhaseOf(command.phase));
  message.set_terminal(command.phase == engine::Phase::kTerminal);
  if (command.result != nullptr) SetResult(*command.result, payloads, *message.mutable_result());
}

}  // namespace

void ToProto(const engine::Command& command, log::v1::Command& message, PayloadMode payloads) {
  message.Clear();
  std::visit(
      Overloaded{
          [&](const engine::PrepareActivation& c) {
            SetTask(c, *message.mutable_prepare_activation());
            message.mutable_prepare_activation()->set_slot_id(SlotId(c.slot));
          },
          [&](const engine::StartBuilder& c) { SetTask(c, *message.mutable_start_builder()); },
          [&](const engine::StartCallStream& c) {
            SetTask(c, *message.mutable_start_call_stream());
          },
          [&](const engine::PauseCallStream& c) {
            SetTask(c, *message.mutable_pause_call_stream());
          },
          [&](const engine::ResumeCallStream& c) {
            SetTask(c, *message.mutable_resume_call_stream());
          },
          [&](const engine::DispatchCall& c) {
            Fill(c, payloads, *message.mutable_dispatch_call());
          },
          [&](const engine::CancelCall& c) {
            log::v1::CancelCall& m = *message.mutable_cancel_call();
            m.set_executor_id(c.executor.value());
            m.set_call_id(c.call.value());
            m.set_attempt(c.attempt.value());
          },
          [&](const engine::DeliverSubcall& c) {
            Fill(c, payloads, *message.mutable_deliver_subcall());
          },
          [&](const engine::StartWriter& c) {
            log::v1::StartWriter& m = *message.mutable_start_writer();
            SetTask(c, m);
            for (const engine::CallOutcome& outcome : c.outcomes)
              SetOutcome(outcome, payloads, *m.add_outcomes());
          },
          [&](const engine::ConvergeTask& c) {
            SetTask(c, *message.mutable_converge_task());
            SetResult(*c.result, payloads, *message.mutable_converge_task()->mutable_result());
          },
          [&](const engine::NotifyWatch& c) { Fill(c, payloads, *message.mutable_notify_watch()); },
          [&](const engine::EndWatch& c) {
            message.mutable_end_watch()->set_watch_id(c.watch_id.value());
            message.mutable_end_watch()->set_complete(c.complete);
          },
          [&](const engine::SpawnExecutor& c) {
            SetExecutor(c, *message.mutable_spawn_executor());
          },
          [&](const engine::KillExecutor& c) {
            SetExecutor(c, *message.mutable_kill_executor());
            message.mutable_kill_executor()->set_reason(ReasonOf(c.reason));
          },
          [&](const engine::RegisterWorker&) { message.mutable_register_worker(); },
          [&](const engine::DeregisterWorker&) { message.mutable_deregister_worker(); },
          [&](const engine::DrainComplete& c) {
            message.mutable_drain_complete()->set_clean(c.clean);
          },
      },
      command);
}

}  // namespace blockx::replay
