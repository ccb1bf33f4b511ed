// A Worker's steady state as the benchmarks have it: whole lives of tasks, interleaved.
#ifndef BLOCKX_TESTS_BENCHMARKS_LIVES_H_
#define BLOCKX_TESTS_BENCHMARKS_LIVES_H_

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <queue>
#include <string>
#include <variant>
#include <vector>

#include "blockx/engine/driver.h"
#include "blockx/engine/engine.h"

namespace blockx::benchmarks {

// The loss system's steady state: 45 tasks active, 45 a second, each result kept for 300 seconds.
inline constexpr std::size_t kActive = 45;
inline constexpr std::size_t kRetained = 13'500;
inline constexpr std::int64_t kGapUs = 1'000'000 / 45;

// Ids as clients make them: 36 bytes, like a UUID. Enough of them that each is long forgotten when
// it comes again.
inline std::vector<std::string> TaskIds() {
  std::vector<std::string> ids;
  for (std::uint64_t i = 0; i < kRetained + 4 * kActive; ++i) {
    const std::uint64_t mixed = i * 0x9e3779b97f4a7c15;
    char text[37];
    std::snprintf(text, sizeof(text), "%08x-%04x-%04x-%04x-%012llx",
                  static_cast<unsigned>(mixed >> 32), static_cast<unsigned>(mixed >> 16 & 0xffff),
                  0x4000u, 0x8000u, static_cast<unsigned long long>(i));
    ids.emplace_back(text);
  }
  return ids;
}

inline engine::Config SteadyConfig() {
  engine::Config config;
  config.builder_slots = config.executor_task_slots = config.plugin_slots = 100;
  config.executor_count = 50;
  // Nobody sends heartbeats here.
  config.executor_heartbeat_timeout = engine::Milliseconds(std::int64_t{1} << 35);
  return config;
}

inline const engine::Engine& EngineOf(const engine::Engine& engine) { return engine; }
inline const engine::Engine& EngineOf(const engine::Driver& driver) { return driver.engine(); }

// Each Next brings a new task up to its running call and the oldest one from there to its end. The
// door is an Engine or a Driver, which must outlive it.
template <class Door>
class Lives {
 public:
  explicit Lives(Door& door) : door_(door), ids_(TaskIds()) {
    door_.Apply(engine::Start{}, now_);
    for (std::int64_t i = 0; i < EngineOf(door_).config().executor_count; ++i) {
      door_.Apply(engine::ExecutorConnected{engine::ExecutorId(i), engine::Generation(1), 1}, now_);
    }
    for (std::size_t i = 0; i < kActive; ++i) Begin();
  }

  void Next() {
    Begin();
    Finish();
  }

 private:
  void Begin() {
    const std::string& id = ids_[begun_ % ids_.size()];
    const engine::Run run(static_cast<std::int64_t>(++begun_));
    now_ = engine::AddSaturating(now_, engine::Microseconds(kGapUs));
    if (const auto deadline = EngineOf(door_).NextDeadline(); deadline && *deadline <= now_) {
      door_.Apply(engine::Tick{}, now_);
    }
    benchmark::DoNotOptimize(door_.Apply(engine::RequestTaskSlot{.task_id = id}, now_));
    benchmark::DoNotOptimize(door_.Apply(
        engine::SubmitTask{
            .task_id = id, .function = {.type = "f"}, .result_handler = {.type = "log"}},
        now_));
    door_.Apply(
        engine::ActivationPrepared{.task_id = id, .run = run, .epoch = engine::CodeEpoch(1)}, now_);
    door_.Apply(
        engine::BuilderFinished{.task_id = id, .run = run, .outcome = engine::CallList{calls_}},
        now_);
    executors_.push(std::get<engine::DispatchCall>(EngineOf(door_).commands().front()).executor);
  }
  void Finish() {
    const std::string& id = ids_[finished_ % ids_.size()];
    const auto number = static_cast<std::int64_t>(++finished_);
    door_.Apply(engine::CallSucceeded{.executor = executors_.front(),
                                      .call = engine::CallId(number),
                                      .attempt = engine::Attempt(1)},
                now_);
    executors_.pop();
    door_.Apply(engine::WriterFinished{.task_id = id, .run = engine::Run(number)}, now_);
    benchmark::DoNotOptimize(door_.Apply(engine::GetTaskResult{id}, now_));
  }

  Door& door_;
  std::vector<std::string> ids_;
  std::vector<engine::CallSpec> calls_ = {engine::CallSpec{.function = "f"}};
  std::queue<engine::ExecutorId> executors_;
  engine::Instant now_ = engine::AtMicroseconds(1'700'000'000'000'000);
  std::size_t begun_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace blockx::benchmarks

#endif  // BLOCKX_TESTS_BENCHMARKS_LIVES_H_
