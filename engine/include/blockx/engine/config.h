#ifndef BLOCKX_ENGINE_CONFIG_H_
#define BLOCKX_ENGINE_CONFIG_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "blockx/engine/time.h"

namespace blockx::engine {

// Everything that the engine's decisions depend on besides its events. The defaults are
// production's. Each field's JSON name, unit, range and meaning stand in ConfigFields(), the one
// table that reads, checks, prints and documents them.
struct Config {
  std::int64_t task_slots = 50;
  Duration default_ttl = Milliseconds(5'000);
  Duration max_ttl = Milliseconds(300'000);
  Duration task_deadline = Milliseconds(300'000);
  Duration max_task_timeout = Milliseconds(28'800'000);
  Duration result_retention = Milliseconds(300'000);
  Duration watch_disconnect_grace = Milliseconds(0);
  Duration tick_interval = Milliseconds(500);
  std::int64_t default_max_attempts = 3;
  Duration default_base_backoff = Milliseconds(10);
  std::int64_t default_retry_jitter_percent = 5;
  std::int64_t max_retained_result_bytes = std::int64_t{1} << 30;
  std::int64_t max_calls_per_task = 1'000'000;
  std::int64_t max_task_output_bytes = std::int64_t{256} << 20;
  std::int64_t max_watches = 20'000;
  std::int64_t max_watched_ids = 1'000'000;

  std::int64_t builder_slots = 16;
  std::int64_t executor_task_slots = 32;
  std::int64_t plugin_slots = 16;
  std::int64_t scan_slots = 8;

  Duration call_deadline = Milliseconds(60'000);
  Duration max_backoff = Milliseconds(10'000);
  std::int64_t ramp_up_initial_window = 4;
  std::int64_t ramp_up_max_window = 64;
  std::int64_t max_subcall_depth = 8;
  Duration cancel_grace = Milliseconds(5'000);
  std::int64_t stream_max_buffered_calls = 1'024;

  std::int64_t executor_count = 8;
  std::int64_t executor_max_concurrent_calls = 1;
  Duration executor_start_timeout = Milliseconds(10'000);
  Duration executor_heartbeat_interval = Milliseconds(1'000);
  Duration executor_heartbeat_timeout = Milliseconds(10'000);
  Duration scheduler_stall_timeout = Milliseconds(0);  // 0: see SchedulerStallTimeout()
  bool executor_restart_enabled = true;
  Duration executor_restart_delay = Milliseconds(1'000);
  std::int64_t executor_max_restarts = 10;
  Duration executor_restart_window = Milliseconds(60'000);
  Duration executor_restart_backoff = Milliseconds(30'000);

  Duration heartbeat_interval = Milliseconds(200);
  Duration drain_timeout = Milliseconds(30'000);
  Duration phase_io_timeout = Milliseconds(10'000);

  friend bool operator==(const Config&, const Config&) = default;
};

// What a number in a configuration file counts.
enum class ConfigUnit { kCount, kMilliseconds, kBytes, kPercent, kBoolean };

// One line of the table. Exactly one of the three members is set, as the unit says.
struct ConfigField {
  std::string_view path;  // "worker.taskSlots"
  ConfigUnit unit = ConfigUnit::kCount;
  std::int64_t Config::*number = nullptr;
  Duration Config::*duration = nullptr;
  bool Config::*boolean = nullptr;
  std::int64_t min = 0;  // in the field's own unit, both ends allowed
  std::int64_t max = 0;
  std::string_view meaning;
};

// All fields, grouped as in the configuration file.
std::span<const ConfigField> ConfigFields();

// A field's value as the file writes it: a count, milliseconds, bytes, percent, or 0 and 1.
std::int64_t GetField(const Config& config, const ConfigField& field);
void SetField(Config& config, const ConfigField& field, std::int64_t value);

struct ConfigProblem {
  std::string path;     // the field's, as in the file
  std::string message;  // what stands there and what is allowed
};

// The first field that breaks R-CFG, in the table's order, then what holds between fields. Nothing:
// the Config is sound.
std::optional<ConfigProblem> Validate(const Config& config);

// The wedge check's patience: as configured, or by default the call deadline and ten seconds, at
// least thirty (R-EX-4).
Duration SchedulerStallTimeout(const Config& config);

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_CONFIG_H_
