#include "state_json.h"

#include <map>
#include <optional>
#include <utility>

#include "blockx/engine/names.h"
#include "blockx/replay/log_text.h"

namespace blockx::tools {
namespace {

using Json = nlohmann::ordered_json;
using engine::Instant;
using engine::State;

// Sets a field that has a value other than the usual one.
void Set(Json& out, const char* name, Instant at) {
  if (at != engine::kNever) out[name] = engine::ToMicroseconds(at);
}
void Set(Json& out, const char* name, const std::optional<Instant>& at) {
  if (at) out[name] = engine::ToMicroseconds(*at);
}
void Set(Json& out, const char* name, const std::string& text) {
  if (!text.empty()) out[name] = text;
}
void Set(Json& out, const char* name, bool value) {
  if (value) out[name] = true;
}
void Set(Json& out, const char* name, const engine::Payload& payload) {
  if (payload.size() == 0) return;
  out[name] = {{"size", payload.size()},
               {"fingerprint", replay::DigestText(payload.fingerprint())}};
}

Json ToJson(const engine::CallCounts& counts) {
  return {{"total", counts.total}, {"failed", counts.failed}, {"retried", counts.retried}};
}

Json ToJson(const engine::TaskResult& result) {
  Json out = Json::object();
  Set(out, "failureCode", result.failure_code);
  Set(out, "message", result.message);
  Set(out, "retryable", result.retryable);
  out["calls"] = ToJson(result.calls);
  Set(out, "pluginResults", result.plugin_results);
  return out;
}

Json TimesJson(const engine::StepTimes& times) {
  Json out = Json::object();
  Set(out, "acceptedUs", times.accepted);
  Set(out, "activatedUs", times.activated);
  Set(out, "builderGrantedUs", times.builder_granted);
  Set(out, "builtUs", times.built);
  Set(out, "scanGrantedUs", times.scan_granted);
  Set(out, "executorsGrantedUs", times.executors_granted);
  Set(out, "calledUs", times.called);
  Set(out, "pluginGrantedUs", times.plugin_granted);
  Set(out, "endedUs", times.ended);
  return out;
}

Json ToJson(const State::Attempt& attempt) {
  Json out{{"callId", attempt.call.value()}, {"attempt", attempt.number.value()}};
  if (attempt.executor) out["executorId"] = attempt.executor->value();
  if (!attempt.live) out["cancelled"] = true;
  if (attempt.outstanding > 0) out["waitsForSubcalls"] = attempt.outstanding;
  Set(out, "deadlineUs", attempt.deadline);
  Set(out, "killAtUs", attempt.kill_at);
  return out;
}

Json ToJson(const State::Call& call) {
  Json out{{"callId", call.id.value()},
           {"index", call.index},
           {"state", NameOf(call.state)},
           {"function", call.function}};
  if (call.parent.value() != 0) {
    out["parentCallId"] = call.parent.value();
    out["subcallRef"] = call.ref.value();
    out["depth"] = call.depth;
  }
  if (call.attempts > 0) out["attempts"] = call.attempts;
  Set(out, "retryAtUs", call.retry_at);
  Set(out, "args", call.args);
  Set(out, "output", call.output);
  Set(out, "failureCode", call.failure_code);
  Set(out, "message", call.failure_message);
  Set(out, "retryable", call.retryable);
  return out;
}

template <class T>
Json ListOf(const std::vector<T>& items) {
  Json out = Json::array();
  for (const T& item : items) out.push_back(ToJson(item));
  return out;
}

Json ToJson(const State::Active& active) {
  Json out{{"phase", NameOf(active.phase)}, {"work", NameOf(active.owed)}};
  Set(out, "hasResultHandler", active.has_result_handler);
  Set(out, "holdsScanPermit", active.holds_scan);
  Set(out, "holdsExecutorTaskPermit", active.holds_executors);
  out["callFailurePolicy"] =
      active.failure_policy == engine::CallFailurePolicy::kContinue ? "CONTINUE" : "FAIL_TASK";
  out["retry"] = {{"maxAttempts", active.retry.max_attempts},
                  {"baseBackoffUs", active.retry.base_backoff.count()},
                  {"jitterPercent", active.retry.jitter_percent}};
  out["epoch"] = active.epoch.value();
  Set(out, "deadlineUs", active.deadline);
  Set(out, "graceEndsUs", active.grace_ends);
  if (active.phase != engine::Phase::kCalls && active.phase != engine::Phase::kPlugin) return out;
  out["window"] = active.window;
  out["inFlight"] = active.in_flight;
  out["outputBytes"] = active.output_bytes;
  out["counts"] = ToJson(active.counts);
  Set(out, "granted", active.granted);
  Set(out, "streaming", active.streaming);
  Set(out, "streamEnded", active.stream_ended);
  Set(out, "paused", active.paused);
  out["calls"] = ListOf(active.calls);
  out["attempts"] = ListOf(active.attempts);
  out["retriesDue"] = Json::array();
  for (const engine::CallId id : active.retries) out["retriesDue"].push_back(id.value());
  return out;
}

Json ToJson(const State::Task& task) {
  Json out{{"state", NameOf(task.state)}};
  if (task.slot) out["slotId"] = engine::SlotId(*task.slot);
  out["run"] = task.run.value();
  Set(out, "leaseExpiresAtUs", task.lease_expires_at);
  Set(out, "purgeAtUs", task.purge_at);
  out["content"] = replay::DigestText(task.content);
  Set(out, "messageIsReported", task.message_is_reported);
  out["times"] = TimesJson(task.result.times);
  if (task.active) {
    out["active"] = ToJson(*task.active);
  } else if (task.state != engine::TaskState::kAllocated) {
    out["result"] = ToJson(task.result);
  }
  return out;
}

Json ToJson(const State::Executor& executor) {
  Json out{{"state", NameOf(executor.state)}, {"generation", executor.generation.value()}};
  if (executor.activity != 0) out["stallBeganWith"] = executor.activity;
  Set(out, "startTimeoutUs", executor.start_timeout);
  Set(out, "heartbeatTimeoutUs", executor.heartbeat_timeout);
  Set(out, "wedgedAtUs", executor.wedged_at);
  Set(out, "restartAtUs", executor.restart_at);
  if (!executor.restarted_at.empty()) {
    for (const Instant at : executor.restarted_at) {
      out["restartedAtUs"].push_back(engine::ToMicroseconds(at));
    }
  }
  out["attempts"] = ListOf(executor.attempts);
  return out;
}

Json WorkerJson(const State& state) {
  Json out = Json::object();
  Set(out, "started", state.started);
  Set(out, "ready", state.ready);
  Set(out, "registered", state.registered);
  Set(out, "outage", state.outage);
  Set(out, "draining", state.draining);
  Set(out, "drainCompleted", state.drain_completed);
  Set(out, "stopped", state.stopped);
  Set(out, "lastTickUs", state.last_tick);
  Set(out, "outageAtUs", state.outage_at);
  Set(out, "drainTimeoutUs", state.drain_timeout);
  Set(out, "nextDeadlineUs", state.next_deadline);
  out["lastRun"] = state.last_run.value();
  out["lastCallId"] = state.last_call_id.value();
  return out;
}

Json HeartbeatJson(const engine::Heartbeat& heartbeat) {
  return {{"taskSlots", heartbeat.task_slots},
          {"freeSlots", heartbeat.free_slots},
          {"reservedSlots", heartbeat.reserved_slots},
          {"runningTasks", heartbeat.running_tasks},
          {"healthyExecutors", heartbeat.healthy_executors},
          {"ready", heartbeat.ready},
          {"draining", heartbeat.draining}};
}

}  // namespace

Json StateJson(const engine::Engine& engine) {
  const State state = engine::Inspect(engine);
  // An ordered_json keeps its members in a vector: a reference to one does not outlive the next.
  Json slots = Json::object();
  Json tasks = Json::object();
  Json retained = Json::array();
  for (const State::Task& task : state.tasks) {
    if (task.slot) slots[engine::SlotId(*task.slot)] = task.id;
    if (!task.slot) retained.push_back(task.id);
    tasks[task.id] = ToJson(task);
  }
  Json orphans = Json::object();
  for (const State::Orphan& orphan : state.orphans) {
    orphans[std::to_string(orphan.run.value())] = {{"taskId", orphan.task_id},
                                                   {"work", NameOf(orphan.work)}};
  }
  Json queues = Json::object();
  for (const State::Queue& queue : state.queues) {
    queues[std::string(NameOf(queue.stage))] = {
        {"limit", queue.limit}, {"inUse", queue.in_use}, {"waiting", queue.waiting}};
  }
  Json executors = Json::object();
  for (const State::Executor& executor : state.executors) {
    executors[std::to_string(executor.id.value())] = ToJson(executor);
  }
  Json watches = Json::object();
  for (const State::Watch& watch : state.watches) {
    watches[std::to_string(watch.id.value())] = {{"named", watch.named},
                                                 {"taskIds", watch.task_ids}};
  }
  Json timers = Json::object();
  for (const State::Timer& timer : state.timers) {
    timers[std::string(NameOf(timer.kind))].push_back(
        {{"atUs", engine::ToMicroseconds(timer.at)}, {"of", timer.subject}});
  }
  Json out{{"worker", WorkerJson(state)}, {"heartbeat", HeartbeatJson(engine.DeriveHeartbeat())}};
  out["slots"] = std::move(slots);
  out["tasks"] = std::move(tasks);
  out["retained"] = std::move(retained);
  out["orphans"] = std::move(orphans);
  out["queues"] = std::move(queues);
  out["turns"] = state.turns;
  out["executors"] = std::move(executors);
  out["watches"] = std::move(watches);
  out["timers"] = std::move(timers);
  return out;
}

std::vector<Difference> Differences(const Json& a, const Json& b) {
  const auto leaves = [](const Json& json) {
    std::map<std::string, std::string> out;
    for (const auto& [path, value] : json.flatten().items()) {
      out[path] = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return out;
  };
  const auto in_a = leaves(a);
  const auto in_b = leaves(b);
  std::vector<Difference> out;
  for (const auto& [path, value] : in_a) {
    const auto other = in_b.find(path);
    if (other == in_b.end()) {
      out.push_back({path, value, "(absent)"});
    } else if (other->second != value) {
      out.push_back({path, value, other->second});
    }
  }
  for (const auto& [path, value] : in_b) {
    if (!in_a.contains(path)) out.push_back({path, "(absent)", value});
  }
  return out;
}

}  // namespace blockx::tools
