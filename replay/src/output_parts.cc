#include "output_parts.h"

#include <utility>

#include "blockx/engine/time.h"
#include "convert_parts.h"

namespace blockx::replay {
namespace {

void SetTimes(const engine::StepTimes& times, log::v1::StepTimes& message) {
  using engine::kNever;
  using engine::ToMicroseconds;
  if (times.accepted != kNever) message.set_accepted_us(ToMicroseconds(times.accepted));
  if (times.activated != kNever) message.set_activated_us(ToMicroseconds(times.activated));
  if (times.builder_granted != kNever)
    message.set_builder_granted_us(ToMicroseconds(times.builder_granted));
  if (times.built != kNever) message.set_built_us(ToMicroseconds(times.built));
  if (times.scan_granted != kNever) message.set_scan_granted_us(ToMicroseconds(times.scan_granted));
  if (times.executors_granted != kNever) {
    message.set_executors_granted_us(ToMicroseconds(times.executors_granted));
  }
  if (times.called != kNever) message.set_called_us(ToMicroseconds(times.called));
  if (times.plugin_granted != kNever)
    message.set_plugin_granted_us(ToMicroseconds(times.plugin_granted));
  if (times.ended != kNever) message.set_ended_us(ToMicroseconds(times.ended));
}

}  // namespace

log::v1::TaskState::Value StateOf(engine::TaskState state) {
  switch (state) {
    case engine::TaskState::kAllocated:
      return log::v1::TaskState::ALLOCATED;
    case engine::TaskState::kRunning:
      return log::v1::TaskState::RUNNING;
    case engine::TaskState::kSucceeded:
      return log::v1::TaskState::SUCCEEDED;
    case engine::TaskState::kFailed:
      return log::v1::TaskState::FAILED;
  }
  return log::v1::TaskState::UNSPECIFIED;
}

log::v1::Phase::Value PhaseOf(engine::Phase phase) {
  switch (phase) {
    case engine::Phase::kPreparing:
      return log::v1::Phase::PREPARING;
    case engine::Phase::kBuilder:
      return log::v1::Phase::BUILDER;
    case engine::Phase::kCalls:
      return log::v1::Phase::CALLS;
    case engine::Phase::kPlugin:
      return log::v1::Phase::PLUGIN;
    case engine::Phase::kTerminal:
      return log::v1::Phase::TERMINAL;
  }
  return log::v1::Phase::UNSPECIFIED;
}

void SetResult(const engine::TaskResult& result, PayloadMode payloads,
               log::v1::TaskResult& message) {
  message.set_state(StateOf(result.state));
  message.set_failure_code(result.failure_code);
  message.set_message(result.message);
  message.set_retryable(result.retryable);
  SetPayload(
      result.plugin_results, payloads,
      [&](std::string bytes) { message.set_plugin_results(std::move(bytes)); },
      [&]() -> log::v1::LeftOut& { return *message.mutable_plugin_results_left_out(); });
  message.mutable_calls()->set_total(result.calls.total);
  message.mutable_calls()->set_failed(result.calls.failed);
  message.mutable_calls()->set_retried(result.calls.retried);
  SetTimes(result.times, *message.mutable_times());
}

}  // namespace blockx::replay
