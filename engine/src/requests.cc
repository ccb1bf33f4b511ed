#include <algorithm>

#include "blockx/engine/utf8.h"
#include "emit.h"
#include "parts.h"

// Requests: arguments, idempotency, admission of new tasks, watches (rules of the groups SLOT, SUB,
// IDEM, ARG, LIM, W).
namespace blockx::engine {

namespace {

constexpr std::size_t kMaxTaskIdBytes = 256;
constexpr std::size_t kMaxIdsInWatch = 10'000;
constexpr std::int64_t kMaxJitterPercent = 5;

Error InvalidArgument(std::string_view message) { return {ErrorCode::kInvalidArgument, message}; }

std::optional<Error> CheckTaskId(std::string_view task_id) {
  if (task_id.empty()) return InvalidArgument("the task id is empty");
  if (task_id.size() > kMaxTaskIdBytes)
    return InvalidArgument("the task id is longer than 256 bytes");
  if (!IsUtf8(task_id)) return InvalidArgument("the task id is not UTF-8");
  return std::nullopt;
}

std::optional<Error> CheckArguments(const RequestTaskSlot& request, const Config& config) {
  if (auto error = CheckTaskId(request.task_id)) return error;
  if (request.ttl < Duration::zero()) return InvalidArgument("the ttl is negative");
  if (request.ttl > config.max_ttl) return InvalidArgument("the ttl is above maxTTLMs");
  return std::nullopt;
}

std::optional<Error> CheckArguments(const SubmitTask& request, const Config& config) {
  if (auto error = CheckTaskId(request.task_id)) return error;
  if (request.function.type.empty()) return InvalidArgument("the function type is empty");
  if (request.timeout < Duration::zero()) return InvalidArgument("the task timeout is negative");
  if (request.timeout > config.max_task_timeout)
    return InvalidArgument("the task timeout is above maxTaskTimeoutMs");
  if (!request.retry_policy) return std::nullopt;
  const RetryPolicy& retry = *request.retry_policy;
  if (retry.max_attempts < 1)
    return InvalidArgument("the retry policy allows less than one attempt");
  if (retry.base_backoff < Duration::zero())
    return InvalidArgument("the retry policy's back-off is negative");
  if (retry.jitter_percent < 0 || retry.jitter_percent > kMaxJitterPercent) {
    return InvalidArgument("the retry policy's jitter is outside 0 to 5 percent");
  }
  return std::nullopt;
}

std::optional<Error> CheckArguments(const OpenWatch& request) {
  if (request.task_ids.empty()) return InvalidArgument("the watch names no task");
  if (request.task_ids.size() > kMaxIdsInWatch)
    return InvalidArgument("the watch names more than 10,000 tasks");
  for (const std::string_view task_id : request.task_ids) {
    if (auto error = CheckTaskId(task_id)) return error;
  }
  return std::nullopt;
}

constexpr Error kStopped{ErrorCode::kUnavailable, "the worker has stopped"};

}  // namespace

std::optional<Error> Engine::Parts::RefuseNewTask() const {
  if (!ready)
    return Error{ErrorCode::kUnavailable, "the worker is not ready: no executor has connected yet"};
  if (outage) return Error{ErrorCode::kUnavailable, "the worker has no healthy executor"};
  if (draining) return Error{ErrorCode::kUnavailable, "the worker is draining"};
  return std::nullopt;
}

std::optional<Error> Engine::Parts::RefuseNewSlot() const {
  if (core.slots().full()) return Error{ErrorCode::kNoSlot, "all task slots are taken"};
  if (core.retained_bytes() >= config.max_retained_result_bytes) {
    return Error{ErrorCode::kNoSlot, "the retained results have reached maxRetainedResultBytes"};
  }
  return std::nullopt;
}

Result<TaskView> Engine::Parts::On(const RequestTaskSlot& request) {
  if (const auto error = CheckArguments(request, config)) return *error;
  if (stopped) return kStopped;
  if (const Handle known = core.Find(request.task_id); known != kNone) return core.View(known);
  if (const auto error = RefuseNewTask()) return *error;
  if (const auto error = RefuseNewSlot()) return *error;
  const Duration ttl = request.ttl == Duration::zero() ? config.default_ttl : request.ttl;
  return core.View(core.Reserve(request.task_id, AddSaturating(now, ttl)));
}

Result<TaskView> Engine::Parts::On(const SubmitTask& request) {
  if (const auto error = CheckArguments(request, config)) return *error;
  if (stopped) return kStopped;
  Handle task = core.Find(request.task_id);
  if (task != kNone && core.task(task).run != Run(0)) {
    if (WorkerCore::ContentOf(request) != core.task(task).content)
      ++counters.idempotency_mismatches;
    return core.View(task);
  }
  if (const auto error = RefuseNewTask()) return *error;
  if (!request.slot_id.empty()) {
    if (const auto error = CheckNamedSlot(request.slot_id, task)) return *error;
  }
  if (task == kNone) {
    if (const auto error = RefuseNewSlot()) return *error;
    task = core.Reserve(request.task_id, AddSaturating(now, config.default_ttl));
  }
  const Handle active = core.Accept(task, request, config, now);
  if (const Handle watched = watches.Find(request.task_id); watched != kNone)
    Attach(active, watched);
  Emit(commands,
       PrepareActivation{core.task(task).id, core.active(active).run, core.task(task).slot});
  return core.View(task);
}

std::optional<Error> Engine::Parts::CheckNamedSlot(std::string_view slot_id, Handle task) const {
  const std::optional<SlotIndex> slot = core.slots().Parse(slot_id);
  if (!slot) return Error{ErrorCode::kInvalidSlot, "there is no such slot"};
  if (task == kNone)
    return Error{ErrorCode::kInvalidSlot,
                 "the task holds no slot: its reservation may have run out"};
  if (core.task(task).slot != *slot)
    return Error{ErrorCode::kSlotUncertain, "the task holds another slot"};
  return std::nullopt;
}

Result<TaskView> Engine::Parts::On(const GetTaskResult& request) {
  if (const auto error = CheckTaskId(request.task_id)) return *error;
  const Handle task = core.Find(request.task_id);
  if (task == kNone)
    return Error{ErrorCode::kNotFound, "no such task, or its result is no longer kept"};
  return core.View(task);
}

// ---- Watches ----

Result<WatchView> Engine::Parts::On(const OpenWatch& request) {
  if (const auto error = CheckArguments(request)) return *error;
  if (stopped) return kStopped;
  unique_ids.assign(request.task_ids.begin(), request.task_ids.end());
  std::sort(unique_ids.begin(), unique_ids.end());
  unique_ids.erase(std::unique(unique_ids.begin(), unique_ids.end()), unique_ids.end());
  const auto named = static_cast<std::int64_t>(unique_ids.size());
  const bool reopens = watches.IsOpen(request.watch_id);
  if (watches.open_count() - (reopens ? 1 : 0) >= config.max_watches) {
    return Error{ErrorCode::kNoSlot, "maxWatches watches are open"};
  }
  if (watches.named_count() - watches.NamedBy(request.watch_id) + named > config.max_watched_ids) {
    return Error{ErrorCode::kNoSlot, "the open watches would name more than maxWatchedIds tasks"};
  }
  CloseAndDetach(request.watch_id);
  watches.Open(request.watch_id, named);
  views.clear();
  seen.assign(unique_ids.size(), false);
  for (const std::string_view task_id : request.task_ids) {
    const auto place =
        std::lower_bound(unique_ids.begin(), unique_ids.end(), task_id) - unique_ids.begin();
    if (seen[static_cast<std::size_t>(place)]) continue;
    seen[static_cast<std::size_t>(place)] = true;
    const Handle task = core.Find(task_id);
    if (task != kNone) views.push_back(core.View(task));
    if (task == kNone || !core.task(task).ended()) {
      const Handle watched = watches.Subscribe(request.watch_id, task_id);
      if (task != kNone && core.task(task).active != kNone) Attach(core.task(task).active, watched);
    }
  }
  watches.EndIfComplete(request.watch_id, commands);
  return WatchView{views};
}

void Engine::Parts::On(const CloseWatch& event) { CloseAndDetach(event.watch_id); }

// The first attach clears the grace; a task that is accepted while watched counts as attached
// (R-W-3).
void Engine::Parts::Attach(Handle active, Handle watched) {
  core.active(active).watched = watched;
  watches.SetActive(watched, active);
  core.graces().Cancel(active);
}

void Engine::Parts::CloseAndDetach(WatchId watch) {
  unwatched.clear();
  watches.Close(watch, unwatched);
  for (const Handle active : unwatched) {
    core.active(active).watched = kNone;
    if (config.watch_disconnect_grace > Duration::zero()) {
      core.graces().Set(active, AddSaturating(now, config.watch_disconnect_grace));
    }
  }
}

}  // namespace blockx::engine
