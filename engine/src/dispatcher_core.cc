#include "dispatcher_core.h"
#include "emit.h"

#include <algorithm>

namespace blockx::engine {

namespace {

// 64-bit FNV-1a (Fowler, Noll, Vo), then the finaliser of splitmix64; both are fixed by R-CALL-4.
class RetryHash {
 public:
  void AddByte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }
  void AddNumber(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      AddByte(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> shift));
    }
  }
  [[nodiscard]] std::uint64_t Finish() const {
    std::uint64_t z = hash_;
    z ^= z >> 30;
    z *= 0xbf58476d1ce4e5b9;
    z ^= z >> 27;
    z *= 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

Failure FailureOf(const Call& call) {
  return {.code = call.code, .message = call.message, .retryable = call.retryable};
}

}  // namespace

Duration RetryDelay(const RetryPolicy& policy, Duration max_backoff, std::string_view task_id,
                    std::int64_t index, std::int64_t number) {
  __extension__ using Wide = __int128;
  Wide backoff = policy.base_backoff.count();
  for (std::int64_t doubled = 1; doubled < number && backoff < max_backoff.count() && backoff != 0;
       ++doubled) {
    backoff *= 2;
  }
  backoff = std::min<Wide>(backoff, max_backoff.count());
  RetryHash hash;
  for (const char c : task_id) hash.AddByte(static_cast<unsigned char>(c));
  hash.AddNumber(index);
  hash.AddNumber(number);
  const Wide spread = static_cast<Wide>(hash.Finish() % 20001) - 10000;
  return Duration(
      static_cast<std::int64_t>(backoff + backoff * policy.jitter_percent * spread / 1'000'000));
}

DispatcherCore::DispatcherCore(const Config& config)
    : config_(config), executors_(static_cast<std::size_t>(config.executor_count)) {
  GrowLoads(1);
}

// ---- A task's calls ----

TaskCalls& DispatcherCore::Of(Handle task) {
  if (task >= tasks_.size()) tasks_.resize(task + 1);
  return tasks_[task];
}

void DispatcherCore::Begin(Handle handle, bool by_stream) {
  TaskCalls& task = Of(handle);
  task.window = config_.ramp_up_initial_window;
  task.stream_ended = !by_stream;
}

Handle DispatcherCore::NewCall(Handle task, const CallSpec& spec) {
  const Handle handle = calls_.Allocate();
  Call& call = calls_[handle];
  call.id = CallId(++last_call_id_);
  call.task = task;
  call.asked_by = kNone;
  call.live = kNone;
  call.state = CallState::kWaiting;
  call.retryable = false;
  call.attempts = 0;
  call.depth = 0;
  call.ref = SubcallRef(0);
  call.code.clear();
  call.message.clear();
  call.function = spec.function;
  call.args = spec.args;
  ++tasks_[task].counts.total;
  ++waiting_;
  return handle;
}

bool DispatcherCore::Append(Handle handle, std::span<const CallSpec> calls) {
  TaskCalls& task = tasks_[handle];
  if (task.counts.total + calls.size() > static_cast<std::uint64_t>(config_.max_calls_per_task))
    return false;
  for (const CallSpec& spec : calls) {
    const Handle call = NewCall(handle, spec);
    calls_[call].index = static_cast<std::int64_t>(task.roots.size());
    task.roots.push_back(call);
  }
  Judge(handle);
  JoinLine(handle);
  return true;
}

void DispatcherCore::Grant(Handle task) {
  tasks_[task].granted = true;
  JoinLine(task);
}

void DispatcherCore::StartStream(Handle task) { tasks_[task].streaming = true; }

Verdict DispatcherCore::EndStream(Handle task) {
  tasks_[task].streaming = false;
  tasks_[task].stream_ended = true;
  return IfDone(task);
}

Verdict DispatcherCore::IfDone(Handle handle) {
  const TaskCalls& task = tasks_[handle];
  const bool done = task.stream_ended && task.done == static_cast<std::int64_t>(task.roots.size());
  return {.kind = done ? Verdict::Kind::kCallsDone : Verdict::Kind::kGoesOn, .task = handle};
}

void DispatcherCore::LeaveCalls(Handle task) { tasks_[task].granted = false; }

std::span<const CallOutcome> DispatcherCore::TakeOutcomes(Handle handle) {
  TaskCalls& task = tasks_[handle];
  task.outcomes.clear();
  for (const Handle root : task.roots) {
    const Call& call = calls_[root];
    const bool succeeded = call.state == CallState::kSucceeded;
    task.outcomes.push_back(succeeded ? CallOutcome{&call.output, {}}
                                      : CallOutcome{nullptr, FailureOf(call)});
    calls_.Free(root);
  }
  task.roots.clear();
  task.next_root = 0;
  task.done = 0;
  return task.outcomes;
}

void DispatcherCore::Abandon(Handle handle, Instant now, std::vector<Command>& out) {
  if (handle >= tasks_.size()) return;
  TaskCalls& task = tasks_[handle];
  const auto forget = [this](Handle call) {
    const CallState state = calls_[call].state;
    if (state == CallState::kWaiting || state == CallState::kRetryReady) --waiting_;
    retries_.Cancel(call);
    calls_.Free(call);
  };
  // Every live attempt of the task is in this list, those of subcalls too; so each subcall is
  // forgotten with the attempt that asked for it, and cancelled in its own turn.
  while (!task.live.empty()) {
    const Handle attempt = task.live.first;
    const List children = attempts_[attempt].children;
    Detach(attempt);
    OrderCancel(attempt, now, out);
    for (Handle child = children.first; child != kNone; child = calls_[child].sibling.next)
      forget(child);
  }
  for (const Handle root : task.roots) forget(root);
  if (task.in_line) Erase<&TaskCalls::line>(tasks_, line_, handle);
  task.Reset();
}

// ---- Reports ----

Handle DispatcherCore::FindAttempt(ExecutorId executor, CallId call, Attempt number) const {
  if (executor.value() < 0 || executor.value() >= config_.executor_count) return kNone;
  Handle attempt = executors_[static_cast<std::size_t>(executor.value())].attempts.first;
  while (attempt != kNone &&
         (attempts_[attempt].call_id != call || attempts_[attempt].number != number)) {
    attempt = attempts_[attempt].on_executor.next;
  }
  return attempt;
}

Verdict DispatcherCore::Succeed(Handle attempt, const Payload& output, Instant now,
                                std::vector<Command>& out) {
  if (!IsLive(attempt)) {
    Leave(attempt);
    return {};
  }
  const Handle handle = Detach(attempt);
  CancelChildren(attempt, now, out);
  Leave(attempt);
  Call& call = calls_[handle];
  call.state = CallState::kSucceeded;
  call.output = output;
  if (!call.is_root()) {
    Deliver(handle, out);
    return {};
  }
  TaskCalls& task = tasks_[call.task];
  ++task.done;
  if (__builtin_add_overflow(task.output_bytes, static_cast<std::int64_t>(output.size()),
                             &task.output_bytes) ||
      task.output_bytes > config_.max_task_output_bytes) {
    return {.kind = Verdict::Kind::kTaskFailed,
            .task = call.task,
            .failure = {.code = failure_code::kCallFailed,
                        .message = "the outputs of its calls are larger than maxTaskOutputBytes"}};
  }
  task.window = std::min(task.window + 1, config_.ramp_up_max_window);
  JoinLine(call.task);
  return IfDone(call.task);
}

Verdict DispatcherCore::Fail(Handle attempt, const Failure& failure, bool message_is_reported,
                             const WorkerCore& core, Instant now, std::vector<Command>& out) {
  if (!IsLive(attempt)) {
    Leave(attempt);
    return {};
  }
  const Handle call = Detach(attempt);
  CancelChildren(attempt, now, out);
  Leave(attempt);
  return JudgeFailure(call, failure, message_is_reported, core, now, out);
}

Verdict DispatcherCore::TimeOut(Handle attempt, const WorkerCore& core, Instant now,
                                std::vector<Command>& out) {
  const Handle call = Detach(attempt);
  OrderCancel(attempt, now, out);
  CancelChildren(attempt, now, out);
  const Failure failure{.code = failure_code::kCallTimedOut,
                        .message = "the call's deadline passed",
                        .retryable = true};
  return JudgeFailure(call, failure, false, core, now, out);
}

Verdict DispatcherCore::JudgeFailure(Handle handle, const Failure& failure,
                                     bool message_is_reported, const WorkerCore& core, Instant now,
                                     std::vector<Command>& out) {
  Call& call = calls_[handle];
  TaskCalls& task = tasks_[call.task];
  const ActiveTask& active = core.active(call.task);
  if (call.is_root()) task.window = std::max(task.window / 2, config_.ramp_up_initial_window);
  if (failure.retryable && call.attempts < active.retry.max_attempts) {
    call.state = CallState::kBackingOff;
    const Duration delay = RetryDelay(active.retry, config_.max_backoff, core.task_of(call.task).id,
                                      call.index, call.attempts);
    retries_.Set(handle, AddSaturating(now, delay));
    JoinLine(call.task);
    return {};
  }
  ++task.counts.failed;
  call.state = CallState::kFailed;
  call.code = failure.code.empty() ? failure_code::kCallFailed : failure.code;
  call.message = failure.message;
  call.retryable = failure.retryable;
  if (!call.is_root()) {
    Deliver(handle, out);
    return {};
  }
  ++task.done;
  if (active.failure_policy == CallFailurePolicy::kFailTask) {
    return {.kind = Verdict::Kind::kTaskFailed,
            .task = call.task,
            .failure = FailureOf(call),
            .message_is_reported = message_is_reported};
  }
  JoinLine(call.task);
  return IfDone(call.task);
}

// ---- Subcalls ----

bool DispatcherCore::AskSubcall(const SubcallRequested& request, std::vector<Command>& out) {
  const Handle attempt_handle =
      FindAttempt(request.executor, request.parent, request.parent_attempt);
  if (attempt_handle == kNone || !IsLive(attempt_handle)) return false;
  CallAttempt& attempt = attempts_[attempt_handle];
  for (Handle child = attempt.children.first; child != kNone; child = calls_[child].sibling.next) {
    if (calls_[child].ref == request.ref) return false;
  }
  const Call& parent = calls_[attempt.call];
  const auto refuse = [&](std::string_view code, std::string_view message) {
    Emit(out, DeliverSubcall{request.executor, request.parent, request.ref,
                             CallOutcome{nullptr, {.code = code, .message = message}}});
    return true;
  };
  if (parent.depth + 1 > config_.max_subcall_depth) {
    return refuse(failure_code::kSubcallDepthExceeded,
                  "the subcall is deeper than maxSubcallDepth");
  }
  if (tasks_[parent.task].counts.total >= static_cast<std::uint64_t>(config_.max_calls_per_task)) {
    return refuse(failure_code::kCallFailed, "the task has maxCallsPerTask calls");
  }
  const Handle handle = NewCall(parent.task, request.spec);
  Call& call = calls_[handle];
  call.asked_by = attempt_handle;
  call.ref = request.ref;
  call.depth = parent.depth + 1;
  call.index = call.id.value();
  PushBack<&Call::sibling>(calls_, attempt.children, handle);
  if (++attempt.outstanding == 1) Occupy(attempt.executor, -1);
  WaitAgain(handle);
  JoinLine(call.task);
  return true;
}

void DispatcherCore::WaitAgain(Handle handle) {
  List& waiting = tasks_[calls_[handle].task].subcalls;
  if (waiting.empty() || calls_[waiting.last].id < calls_[handle].id) {
    PushBack<&Call::ready>(calls_, waiting, handle);
    return;
  }
  // A retry: few that asked before it still wait.
  Handle before = kNone;
  for (Handle i = waiting.first; calls_[i].id < calls_[handle].id; i = calls_[i].ready.next)
    before = i;
  InsertAfter<&Call::ready>(calls_, waiting, before, handle);
}

void DispatcherCore::Deliver(Handle handle, std::vector<Command>& out) {
  const Call& call = calls_[handle];
  CallAttempt& asker = attempts_[call.asked_by];
  const CallOutcome outcome = call.state == CallState::kSucceeded
                                  ? CallOutcome{&call.output, {}}
                                  : CallOutcome{nullptr, FailureOf(call)};
  Emit(out, DeliverSubcall{ExecutorId(asker.executor), asker.call_id, call.ref, outcome});
  Erase<&Call::sibling>(calls_, asker.children, handle);
  if (--asker.outstanding == 0)
    Occupy(asker.executor, +1);  // Resumed there, without waiting for a place.
  calls_.Free(handle);
}

// ---- The end of attempts ----

Handle DispatcherCore::Detach(Handle handle) {
  CallAttempt& attempt = attempts_[handle];
  const Handle call = attempt.call;
  TaskCalls& task = tasks_[calls_[call].task];
  Erase<&CallAttempt::of_task>(attempts_, task.live, handle);
  call_deadlines_.Cancel(handle);
  if (calls_[call].is_root()) --task.in_flight;
  if (attempt.suspended()) Occupy(attempt.executor, +1);
  attempt.outstanding = 0;
  attempt.call = kNone;
  calls_[call].live = kNone;
  return call;
}

void DispatcherCore::Leave(Handle handle) {
  const CallAttempt& attempt = attempts_[handle];
  cancel_graces_.Cancel(handle);
  if (attempt.executor != CallAttempt::kGone) {
    Erase<&CallAttempt::on_executor>(
        attempts_, executors_[static_cast<std::size_t>(attempt.executor)].attempts, handle);
    Occupy(attempt.executor, -1);
  }
  attempts_.Free(handle);
}

void DispatcherCore::OrderCancel(Handle handle, Instant now, std::vector<Command>& out) {
  const CallAttempt& attempt = attempts_[handle];
  if (attempt.executor == CallAttempt::kGone) {
    Leave(handle);
    return;
  }
  Emit(out, CancelCall{ExecutorId(attempt.executor), attempt.call_id, attempt.number});
  if (executors_[static_cast<std::size_t>(attempt.executor)].usable) {
    cancel_graces_.Set(handle, AddSaturating(now, config_.cancel_grace));
  }
}

void DispatcherCore::Cancel(Handle attempt, Instant now, std::vector<Command>& out) {
  Detach(attempt);
  OrderCancel(attempt, now, out);
  CancelChildren(attempt, now, out);
}

void DispatcherCore::CancelChildren(Handle attempt, Instant now, std::vector<Command>& out) {
  for (Handle child = attempts_[attempt].children.first; child != kNone;
       child = calls_[child].sibling.next) {
    switch (calls_[child].state) {
      case CallState::kRunning:
        Cancel(calls_[child].live, now, out);
        break;
      case CallState::kBackingOff:
        retries_.Cancel(child);
        break;
      case CallState::kWaiting:
      case CallState::kRetryReady:
        Erase<&Call::ready>(calls_, tasks_[calls_[child].task].subcalls, child);
        --waiting_;
        break;
      case CallState::kSucceeded:
      case CallState::kFailed:
        break;  // Delivered at once, and no child any more.
    }
    calls_.Free(child);
  }
  attempts_[attempt].children = List();
}

}  // namespace blockx::engine
