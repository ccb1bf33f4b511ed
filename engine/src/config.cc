#include "blockx/engine/config.h"

#include <algorithm>
#include <array>

namespace blockx::engine {

namespace {

constexpr std::int64_t kManyMost = std::int64_t{1} << 40;               // for what is only counted
constexpr std::int64_t kTenYearsMs = std::int64_t{3'653} * 86'400'000;  // R-CFG
constexpr std::int64_t kBytesMost = std::int64_t{1} << 50;

constexpr ConfigField Count(std::string_view path, std::int64_t Config::*member,
                            std::string_view meaning, std::int64_t min = 1,
                            std::int64_t max = kManyMost) {
  return {path, ConfigUnit::kCount, member, nullptr, nullptr, min, max, meaning};
}
constexpr ConfigField Time(std::string_view path, Duration Config::*member,
                           std::string_view meaning) {
  return {path, ConfigUnit::kMilliseconds, nullptr, member, nullptr, 0, kTenYearsMs, meaning};
}
constexpr ConfigField Bytes(std::string_view path, std::int64_t Config::*member,
                            std::string_view meaning) {
  return {path, ConfigUnit::kBytes, member, nullptr, nullptr, 0, kBytesMost, meaning};
}

constexpr std::array kFields = {
    Count("worker.taskSlots", &Config::task_slots, "task slots", 1, 10'000'000),
    Time("worker.defaultTTLMs", &Config::default_ttl, "lease of a slot whose request names no ttl"),
    Time("worker.maxTTLMs", &Config::max_ttl, "longest lease that a request may ask for"),
    Time("worker.taskDeadlineMs", &Config::task_deadline,
         "time for a task whose submission names none"),
    Time("worker.maxTaskTimeoutMs", &Config::max_task_timeout,
         "longest time that a submission may ask for"),
    Time("worker.resultRetentionMs", &Config::result_retention,
         "how long an ended task's result is kept"),
    Time("worker.watchDisconnectGraceMs", &Config::watch_disconnect_grace,
         "how long a task runs on after its last watcher left; 0: as long as it likes"),
    Time("worker.tickIntervalMs", &Config::tick_interval,
         "grid of the coarse timers; 0: every tick"),
    Count("worker.defaultMaxAttempts", &Config::default_max_attempts,
          "attempts of a call, the first one included"),
    Time("worker.defaultBaseBackoffMs", &Config::default_base_backoff,
         "delay before a call's first retry"),
    ConfigField{"worker.defaultRetryJitterPercent", ConfigUnit::kPercent,
                &Config::default_retry_jitter_percent, nullptr, nullptr, 0, 5,
                "spread of a retry's delay, both ways"},
    Bytes("worker.maxRetainedResultBytes", &Config::max_retained_result_bytes,
          "kept results at which no new slot is given out"),
    Count("worker.maxCallsPerTask", &Config::max_calls_per_task,
          "calls of a task, subcalls included"),
    Bytes("worker.maxTaskOutputBytes", &Config::max_task_output_bytes, "outputs of a task's calls"),
    Count("worker.maxWatches", &Config::max_watches, "open watches"),
    Count("worker.maxWatchedIds", &Config::max_watched_ids, "task ids named by all open watches"),
    Count("admission.builderSlots", &Config::builder_slots, "tasks in their builder at once"),
    Count("admission.executorTaskSlots", &Config::executor_task_slots,
          "tasks with calls on executors at once"),
    Count("admission.pluginSlots", &Config::plugin_slots, "tasks in their writer at once"),
    Count("admission.scanSlots", &Config::scan_slots, "streaming builders at once"),
    Time("dispatcher.callDeadlineMs", &Config::call_deadline, "time for one attempt of a call"),
    Time("dispatcher.maxBackoffMs", &Config::max_backoff, "longest delay before a retry"),
    Count("dispatcher.rampUpInitialWindow", &Config::ramp_up_initial_window,
          "calls of a new task in flight at once"),
    Count("dispatcher.rampUpMaxWindow", &Config::ramp_up_max_window,
          "calls of any task in flight at once"),
    Count("dispatcher.maxSubcallDepth", &Config::max_subcall_depth, "how deep subcalls may nest", 0,
          1'000),
    Time("dispatcher.cancelGraceMs", &Config::cancel_grace,
         "time for a cancelled call to end before its executor is killed"),
    Count("streamBuild.maxBufferedCalls", &Config::stream_max_buffered_calls,
          "unstarted calls that pause a stream"),
    Count("executorCount", &Config::executor_count, "executor processes", 1, 100'000),
    Count("executorMaxConcurrentCalls", &Config::executor_max_concurrent_calls,
          "calls on one executor at once"),
    Time("executorStartTimeoutMs", &Config::executor_start_timeout,
         "time for an executor to connect"),
    Time("executorHeartbeatIntervalMs", &Config::executor_heartbeat_interval,
         "how often an executor sends a heartbeat"),
    Time("executorHeartbeatTimeoutMs", &Config::executor_heartbeat_timeout,
         "silence after which an executor is killed"),
    Time("schedulerStallTimeoutMs", &Config::scheduler_stall_timeout,
         "unchanged activity after which a busy executor is killed; 0: callDeadlineMs and 10 s, at "
         "least 30 s"),
    ConfigField{"executorRestartEnabled", ConfigUnit::kBoolean, nullptr, nullptr,
                &Config::executor_restart_enabled, 0, 1,
                "whether an executor that exited is spawned again"},
    Time("executorRestartDelayMs", &Config::executor_restart_delay, "pause before a restart"),
    Count("executorMaxRestarts", &Config::executor_max_restarts,
          "restarts within the window that bring the back-off"),
    Time("executorRestartWindowMs", &Config::executor_restart_window,
         "how far back restarts are counted"),
    Time("executorRestartBackoffMs", &Config::executor_restart_backoff,
         "pause before a restart when there were many"),
    Time("heartbeatIntervalMs", &Config::heartbeat_interval,
         "how often the worker tells the registry its load"),
    Time("drainTimeoutMs", &Config::drain_timeout, "time for a drain before it is forced"),
    Time("phaseIoTimeoutMs", &Config::phase_io_timeout, "time for the I/O of builders and writers"),
};

}  // namespace

std::span<const ConfigField> ConfigFields() { return kFields; }

std::int64_t GetField(const Config& config, const ConfigField& field) {
  if (field.duration != nullptr) return (config.*field.duration).count() / 1000;
  if (field.boolean != nullptr) return config.*field.boolean ? 1 : 0;
  return config.*field.number;
}

void SetField(Config& config, const ConfigField& field, std::int64_t value) {
  if (field.duration != nullptr) {
    config.*field.duration = Milliseconds(value);
  } else if (field.boolean != nullptr) {
    config.*field.boolean = value != 0;
  } else {
    config.*field.number = value;
  }
}

std::optional<ConfigProblem> Validate(const Config& config) {
  for (const ConfigField& field : kFields) {
    const std::int64_t value = GetField(config, field);
    // Durations are checked in microseconds too: a fraction of a millisecond below zero is still
    // below zero.
    const bool negative = field.duration != nullptr && config.*field.duration < Duration::zero();
    if (value >= field.min && value <= field.max && !negative) continue;
    return ConfigProblem{std::string(field.path), "is " + std::to_string(value) + "; allowed are " +
                                                      std::to_string(field.min) + " to " +
                                                      std::to_string(field.max)};
  }
  if (config.ramp_up_initial_window > config.ramp_up_max_window) {
    return ConfigProblem{"dispatcher.rampUpInitialWindow", "is above dispatcher.rampUpMaxWindow"};
  }
  if (config.task_deadline > config.max_task_timeout) {
    return ConfigProblem{"worker.taskDeadlineMs", "is above worker.maxTaskTimeoutMs"};
  }
  return std::nullopt;
}

Duration SchedulerStallTimeout(const Config& config) {
  if (config.scheduler_stall_timeout != Duration::zero()) return config.scheduler_stall_timeout;
  return std::max(config.call_deadline + Milliseconds(10'000), Milliseconds(30'000));
}

}  // namespace blockx::engine
