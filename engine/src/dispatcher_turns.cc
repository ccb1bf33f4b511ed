#include <algorithm>
#include <memory>

#include "dispatcher_core.h"
#include "emit.h"

// Turns, executors' loads and streams: the part of the dispatcher that settles a step (R-EV-3).
namespace blockx::engine {

// ---- Turns (R-CALL-1) ----

bool DispatcherCore::IsStartable(const TaskCalls& task) const {
  if (!task.granted) return false;
  if (!task.subcalls.empty()) return true;
  return task.in_flight < task.window &&
         (!task.retries.empty() || task.next_root < task.roots.size());
}

void DispatcherCore::JoinLine(Handle handle) {
  TaskCalls& task = tasks_[handle];
  if (task.in_line || !IsStartable(task)) return;
  task.in_line = true;
  PushBack<&TaskCalls::line>(tasks_, line_, handle);
}

void DispatcherCore::RetryDue(Handle handle) {
  Call& call = calls_[handle];
  call.state = CallState::kRetryReady;
  ++waiting_;
  if (call.is_root()) {
    PushBack<&Call::ready>(calls_, tasks_[call.task].retries, handle);
  } else {
    WaitAgain(handle);
  }
  JoinLine(call.task);
}

void DispatcherCore::DispatchAll(const WorkerCore& core, Instant now, std::vector<Command>& out) {
  while (!line_.empty() && !loads_.empty()) {
    const Handle task = PopFront<&TaskCalls::line>(tasks_, line_);
    tasks_[task].in_line = false;
    if (!IsStartable(tasks_[task])) continue;
    DispatchNext(task, core, now, out);
    JoinLine(task);
  }
}

Handle DispatcherCore::TakeNextCall(TaskCalls& task) {
  if (!task.subcalls.empty()) return PopFront<&Call::ready>(calls_, task.subcalls);
  if (!task.retries.empty()) return PopFront<&Call::ready>(calls_, task.retries);
  return task.roots[task.next_root++];
}

void DispatcherCore::DispatchNext(Handle handle, const WorkerCore& core, Instant now,
                                  std::vector<Command>& out) {
  TaskCalls& task = tasks_[handle];
  const Handle call_handle = TakeNextCall(task);
  const Handle attempt_handle = attempts_.Allocate();
  Call& call = calls_[call_handle];
  CallAttempt& attempt = attempts_[attempt_handle];
  const std::size_t executor = by_load_[loads_.Lowest()].Lowest();

  std::construct_at(&attempt);
  attempt.call_id = call.id;
  attempt.number = Attempt(++call.attempts);
  attempt.call = call_handle;
  attempt.executor = static_cast<std::int64_t>(executor);
  PushBack<&CallAttempt::on_executor>(attempts_, executors_[executor].attempts, attempt_handle);
  PushBack<&CallAttempt::of_task>(attempts_, task.live, attempt_handle);
  Occupy(attempt.executor, +1);
  call.state = CallState::kRunning;
  call.live = attempt_handle;
  --waiting_;
  if (call.attempts > 1) ++task.counts.retried;
  if (call.is_root()) ++task.in_flight;
  Judge(handle);

  const ActiveTask& active = core.active(handle);
  const Instant deadline = std::min(AddSaturating(now, config_.call_deadline), active.deadline);
  call_deadlines_.Set(attempt_handle, deadline);
  Emit(out, DispatchCall{.executor = ExecutorId(attempt.executor),
                         .call = call.id,
                         .task_id = core.task_of(handle).id,
                         .run = active.run,
                         .attempt = attempt.number,
                         .deadline = deadline,
                         .function = call.function,
                         .args = &call.args,
                         .epoch = active.epoch});
}

// ---- Executors ----

void DispatcherCore::ExecutorUsable(ExecutorId executor) {
  executors_[static_cast<std::size_t>(executor.value())].usable = true;
  PlaceByLoad(executor.value());
}

void DispatcherCore::ExecutorUnusable(ExecutorId executor) {
  ExecutorLoad& load = executors_[static_cast<std::size_t>(executor.value())];
  load.usable = false;
  PlaceByLoad(executor.value());
  for (Handle i = load.attempts.first; i != kNone; i = attempts_[i].on_executor.next)
    cancel_graces_.Cancel(i);
}

std::span<const Handle> DispatcherCore::ExecutorGone(ExecutorId executor) {
  ExecutorUnusable(executor);
  ExecutorLoad& load = executors_[static_cast<std::size_t>(executor.value())];
  lost_.clear();
  while (!load.attempts.empty()) {
    const Handle attempt = PopFront<&CallAttempt::on_executor>(attempts_, load.attempts);
    attempts_[attempt].executor = CallAttempt::kGone;
    if (IsLive(attempt)) {
      lost_.push_back(attempt);
    } else {
      Leave(attempt);
    }
  }
  occupying_ -= load.occupying;
  load.occupying = 0;
  return lost_;
}

void DispatcherCore::Occupy(std::int64_t executor, std::int64_t change) {
  if (executor == CallAttempt::kGone) return;
  executors_[static_cast<std::size_t>(executor)].occupying += change;
  occupying_ += change;
  PlaceByLoad(executor);
}

void DispatcherCore::PlaceByLoad(std::int64_t executor) {
  const auto index = static_cast<std::size_t>(executor);
  ExecutorLoad& load = executors_[index];
  const bool takes = load.usable && load.occupying < config_.executor_max_concurrent_calls;
  const std::int64_t level = takes ? load.occupying : kUnlisted;
  if (level == load.level) return;
  if (load.level != kUnlisted) {
    LowestSet& left = by_load_[static_cast<std::size_t>(load.level)];
    left.Erase(index);
    if (left.empty()) loads_.Erase(static_cast<std::size_t>(load.level));
  }
  if (level != kUnlisted) {
    if (static_cast<std::size_t>(level) >= by_load_.size())
      GrowLoads(static_cast<std::size_t>(level) + 1);
    by_load_[static_cast<std::size_t>(level)].Insert(index);
    loads_.Insert(static_cast<std::size_t>(level));
  }
  load.level = level;
}

void DispatcherCore::GrowLoads(std::size_t levels) {
  by_load_.resize(std::max(levels, by_load_.size() * 2), LowestSet(executors_.size()));
  loads_ = LowestSet(by_load_.size());
  for (std::size_t level = 0; level < by_load_.size(); ++level) {
    if (!by_load_[level].empty()) loads_.Insert(level);
  }
}

// ---- Streams (R-STREAM) ----

void DispatcherCore::Judge(Handle task) {
  if (!tasks_[task].streaming || tasks_[task].to_judge) return;
  tasks_[task].to_judge = true;
  judged_.push_back(task);
}

void DispatcherCore::JudgeStreams(const WorkerCore& core, std::vector<Command>& out) {
  std::sort(judged_.begin(), judged_.end(),
            [&core](Handle a, Handle b) { return core.active(a).run < core.active(b).run; });
  for (const Handle handle : judged_) {
    TaskCalls& task = tasks_[handle];
    task.to_judge = false;
    if (!task.streaming) continue;  // Its stream or the task itself has ended in this step.
    const auto buffered = static_cast<std::int64_t>(task.roots.size() - task.next_root);
    if (!task.paused && buffered >= config_.stream_max_buffered_calls) {
      task.paused = true;
      Emit(out, PauseCallStream{core.task_of(handle).id, core.active(handle).run});
    } else if (task.paused && buffered <= config_.stream_max_buffered_calls / 2) {
      task.paused = false;
      Emit(out, ResumeCallStream{core.task_of(handle).id, core.active(handle).run});
    }
  }
  judged_.clear();
}

}  // namespace blockx::engine
