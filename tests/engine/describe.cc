#include "engine/describe.h"

#include <cstdint>
#include <string_view>
#include <variant>

namespace blockx::engine {
namespace {

std::string Number(std::int64_t value) { return std::to_string(value); }

std::string Of(std::string_view task_id, Run run) {
  return std::string(task_id) + "#" + Number(run.value());
}

std::string Of(CallId call, Attempt attempt) {
  return Number(call.value()) + "." + Number(attempt.value());
}

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
  std::string operator()(const StartBuilder& c) const {
    return "start-builder " + Of(c.task_id, c.run);
  }
  std::string operator()(const StartCallStream& c) const {
    return "start-stream " + Of(c.task_id, c.run);
  }
  std::string operator()(const PauseCallStream& c) const {
    return "pause-stream " + Of(c.task_id, c.run);
  }
  std::string operator()(const ResumeCallStream& c) const {
    return "resume-stream " + Of(c.task_id, c.run);
  }
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
    for (const CallOutcome& outcome : c.outcomes)
      text += (text.back() == '[' ? "" : ", ") + Of(outcome);
    return text + "]";
  }
  std::string operator()(const ConvergeTask& c) const {
    return "converge " + Of(c.task_id, c.run) + " " + Of(*c.result);
  }
  std::string operator()(const NotifyWatch& c) const {
    const std::string whom =
        "notify " + Number(c.watch_id.value()) + ": " + std::string(c.task_id) + " ";
    return whom + (c.result != nullptr
                       ? Of(*c.result)
                       : std::string(NameOf(c.state)) + " " + std::string(NameOf(c.phase)));
  }
  std::string operator()(const EndWatch& c) const {
    return "end-watch " + Number(c.watch_id.value()) + (c.complete ? " complete" : " incomplete");
  }
  std::string operator()(const SpawnExecutor& c) const {
    return "spawn " + Of(c.executor, c.generation);
  }
  std::string operator()(const KillExecutor& c) const {
    return "kill " + Of(c.executor, c.generation) + " " + std::string(NameOf(c.reason));
  }
  std::string operator()(const RegisterWorker&) const { return "register"; }
  std::string operator()(const DeregisterWorker&) const { return "deregister"; }
  std::string operator()(const DrainComplete& c) const {
    return c.clean ? "drain-complete clean" : "drain-complete unclean";
  }
};

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
  return "slots " + Number(heartbeat.task_slots) + ": " + Number(heartbeat.reserved_slots) +
         " reserved, " + Number(heartbeat.running_tasks) + " running, " +
         Number(heartbeat.free_slots) + " free; " + Number(heartbeat.healthy_executors) +
         " healthy" + (heartbeat.ready ? ", ready" : "") + (heartbeat.draining ? ", draining" : "");
}

}  // namespace blockx::engine
