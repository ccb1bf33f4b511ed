#include "worker_core.h"

#include <charconv>
#include <memory>
#include <utility>

#include "blockx/engine/fingerprint.h"

namespace blockx::engine {

std::optional<SlotIndex> SlotTable::Parse(std::string_view slot_id) const {
  constexpr std::string_view kPrefix = "slot-";
  if (!slot_id.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = slot_id.substr(kPrefix.size());
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool canonical = digits == "0" || !digits.starts_with('0');
  if (failure != std::errc() || end != digits.data() + digits.size() || !canonical ||
      number >= size()) {
    return std::nullopt;
  }
  return SlotIndex(static_cast<std::int64_t>(number));
}

Handle WorkerCore::FindActive(std::string_view task_id, Run run) const {
  const Handle task = Find(task_id);
  if (task == kNone) return kNone;
  const Handle active = tasks_[task].active;
  return active != kNone && active_[active].run == run ? active : kNone;
}

Handle WorkerCore::FindOwing(std::string_view task_id, Run run, Work work) const {
  const Handle active = FindActive(task_id, run);
  return active != kNone && active_[active].owed == work ? active : kNone;
}

Handle WorkerCore::NewTask(std::string_view task_id) {
  const Handle handle = tasks_.Allocate();
  Task& task = tasks_[handle];
  task.id = task_id;
  task.state = TaskState::kAllocated;
  task.message_is_reported = false;
  task.active = kNone;
  task.next_retained = kNone;
  task.run = Run(0);
  task.purge_at = kNever;
  task.content = 0;
  task.result.state = TaskState::kSucceeded;
  task.result.retryable = false;
  task.result.calls = CallCounts();
  task.result.failure_code.clear();
  task.result.message.clear();
  task.result.times = StepTimes();
  index_.Insert(tasks_, handle);
  return handle;
}

Handle WorkerCore::Reserve(std::string_view task_id, Instant lease_expires_at) {
  const Handle handle = NewTask(task_id);
  tasks_[handle].slot = slots_.Allocate(handle, lease_expires_at);
  return handle;
}

void WorkerCore::DropReservation(Handle task) {
  slots_.Free(tasks_[task].slot);
  index_.Erase(tasks_, task);
  tasks_.Free(task);
}

Handle WorkerCore::NewActive(Handle task) {
  const Handle handle = active_.Allocate();
  ActiveTask& active = active_[handle];
  std::construct_at(&active);
  active.task = task;
  tasks_[task].active = handle;
  tasks_[task].state = TaskState::kRunning;
  return handle;
}

Handle WorkerCore::Accept(Handle task, const SubmitTask& request, const Config& config,
                          Instant now) {
  const Handle handle = NewActive(task);
  ActiveTask& active = active_[handle];
  active.run = tasks_[task].run = Run(++last_run_);
  active.has_result_handler = !request.result_handler.type.empty();
  active.failure_policy = request.failure_policy;
  active.retry = request.retry_policy.value_or(RetryPolicy{config.default_max_attempts,
                                                           config.default_base_backoff,
                                                           config.default_retry_jitter_percent});
  const Duration timeout =
      request.timeout == Duration::zero() ? config.task_deadline : request.timeout;
  active.deadline = AddSaturating(now, timeout);
  deadlines_.Set(handle, active.deadline);
  PushBack<&ActiveTask::by_acceptance>(active_, by_acceptance_, handle);
  tasks_[task].content = ContentOf(request);
  tasks_[task].result.times.accepted = now;
  return handle;
}

void WorkerCore::Activate(Handle active, CodeEpoch epoch, Instant now) {
  slots_.Run(task_of(active).slot);
  active_[active].epoch = epoch;
  times_of(active).activated = now;
}

void WorkerCore::Converge(Handle handle, const Ending& ending, const CallCounts& calls, Instant now,
                          Duration retention) {
  ActiveTask& active = active_[handle];
  Task& task = tasks_[active.task];
  slots_.Free(task.slot);
  task.slot = SlotIndex(-1);
  deadlines_.Cancel(handle);
  graces_.Cancel(handle);
  Erase<&ActiveTask::by_acceptance>(active_, by_acceptance_, handle);
  if (active.owed != Work::kNone) orphans_[active.run] = Orphan{task.id, active.owed};
  active.phase = Phase::kTerminal;
  active_.Free(handle);

  task.active = kNone;
  task.state = task.result.state = ending.state;
  task.message_is_reported = ending.message_is_reported;
  if (ending.state == TaskState::kFailed) {
    task.result.retryable = ending.failure.retryable;
    task.result.failure_code = ending.failure.code;
    task.result.message = ending.failure.message;
  }
  task.result.plugin_results = ending.plugin_results;
  task.result.calls = calls;
  task.result.times.ended = now;
  task.purge_at = AddSaturating(now, retention);
  Retain(active.task);
}

std::int64_t WorkerCore::RetainedSize(const Task& task) {
  constexpr std::int64_t kRecord = 400;  // R-SLOT-2
  const std::size_t message = task.message_is_reported ? task.result.message.size() : 0;
  return kRecord +
         static_cast<std::int64_t>(task.result.plugin_results.size() + task.id.size() + message);
}

void WorkerCore::Retain(Handle task) {
  retained_bytes_ += RetainedSize(tasks_[task]);
  (oldest_retained_ == kNone ? oldest_retained_ : tasks_[newest_retained_].next_retained) = task;
  newest_retained_ = task;
}

void WorkerCore::Purge(Handle task) {
  retained_bytes_ -= RetainedSize(tasks_[task]);
  oldest_retained_ = tasks_[task].next_retained;
  // The next one has not been touched for as long as it was kept, and is likely to be purged in the
  // same Tick.
  if (oldest_retained_ != kNone) __builtin_prefetch(&tasks_[oldest_retained_]);
  index_.Erase(tasks_, task);
  tasks_.Free(task);
}

bool WorkerCore::SettleOrphan(std::string_view task_id, Run run, Work work) {
  const auto found = orphans_.find(run);
  if (found == orphans_.end() || found->second.work != work || found->second.task_id != task_id)
    return false;
  orphans_.erase(found);
  return true;
}

TaskView WorkerCore::View(Handle handle) const {
  const Task& task = tasks_[handle];
  TaskView view{.task_id = task.id, .state = task.state};
  if (task.ended()) {
    view.phase = Phase::kTerminal;
    view.result = &task.result;
    return view;
  }
  view.slot = task.slot;
  if (task.active != kNone) view.phase = active_[task.active].phase;
  if (slots_.IsLeased(task.slot)) view.lease_expires_at = slots_.LeaseOf(task.slot);
  return view;
}

std::uint64_t WorkerCore::ContentOf(const SubmitTask& request) {
  Fingerprint content;
  for (const Invocation* invocation : {&request.function, &request.result_handler}) {
    content.Add(invocation->type);
    if (invocation->type.empty()) continue;
    content.Add(invocation->payload.size(), invocation->payload.fingerprint());
  }
  const auto policy = static_cast<std::uint64_t>(request.failure_policy);
  content.Add(static_cast<std::uint64_t>(request.timeout.count()),
              policy << 1 | (request.retry_policy ? 1 : 0));
  if (request.retry_policy) {
    content.Add(static_cast<std::uint64_t>(request.retry_policy->max_attempts));
    content.Add(static_cast<std::uint64_t>(request.retry_policy->base_backoff.count()),
                static_cast<std::uint64_t>(request.retry_policy->jitter_percent));
  }
  return content.value();
}

}  // namespace blockx::engine
