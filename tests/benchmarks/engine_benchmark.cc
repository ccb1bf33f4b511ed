// What a decision costs, beside the bare data structures that no Worker could do without.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "blockx/engine/engine.h"

namespace {

using namespace blockx::engine;  // NOLINT(google-build-using-namespace): the subject of the whole file

// The loss system's steady state: 45 tasks active, 45 a second, each result kept for 300 seconds.
constexpr std::size_t kActive = 45;
constexpr std::size_t kRetained = 13'500;
constexpr std::int64_t kGapUs = 1'000'000 / 45;

// Ids as clients make them: 36 bytes, like a UUID. Enough of them that each is long forgotten when it comes again.
std::vector<std::string> TaskIds() {
  std::vector<std::string> ids;
  for (std::uint64_t i = 0; i < kRetained + 4 * kActive; ++i) {
    const std::uint64_t mixed = i * 0x9e3779b97f4a7c15;
    char text[37];
    std::snprintf(text, sizeof(text), "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(mixed >> 32),
                  static_cast<unsigned>(mixed >> 16 & 0xffff), 0x4000u, 0x8000u, static_cast<unsigned long long>(i));
    ids.emplace_back(text);
  }
  return ids;
}

Config SteadyConfig() {
  Config config;
  config.builder_slots = config.executor_task_slots = config.plugin_slots = 100;
  config.executor_count = 50;
  config.executor_heartbeat_timeout = Milliseconds(std::int64_t{1} << 35);  // Nobody sends heartbeats here.
  return config;
}

// Whole lives, interleaved: each Next brings a new task up to its running call and the oldest one from there to its end.
class Lives {
 public:
  Lives() : engine_(SteadyConfig()), ids_(TaskIds()) {
    engine_.Apply(Start{}, now_);
    for (std::int64_t i = 0; i < engine_.config().executor_count; ++i) {
      engine_.Apply(ExecutorConnected{ExecutorId(i), Generation(1), 1}, now_);
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
    const Run run(static_cast<std::int64_t>(++begun_));
    now_ = AddSaturating(now_, Microseconds(kGapUs));
    if (const auto deadline = engine_.NextDeadline(); deadline && *deadline <= now_) engine_.Apply(Tick{}, now_);
    benchmark::DoNotOptimize(engine_.Apply(RequestTaskSlot{.task_id = id}, now_));
    benchmark::DoNotOptimize(
        engine_.Apply(SubmitTask{.task_id = id, .function = {.type = "f"}, .result_handler = {.type = "log"}}, now_));
    engine_.Apply(ActivationPrepared{.task_id = id, .run = run, .epoch = CodeEpoch(1)}, now_);
    engine_.Apply(BuilderFinished{.task_id = id, .run = run, .outcome = CallList{calls_}}, now_);
    executors_.push(std::get<DispatchCall>(engine_.commands().front()).executor);
  }
  void Finish() {
    const std::string& id = ids_[finished_ % ids_.size()];
    const auto number = static_cast<std::int64_t>(++finished_);
    engine_.Apply(CallSucceeded{.executor = executors_.front(), .call = CallId(number), .attempt = Attempt(1)}, now_);
    executors_.pop();
    engine_.Apply(WriterFinished{.task_id = id, .run = Run(number)}, now_);
    benchmark::DoNotOptimize(engine_.Apply(GetTaskResult{id}, now_));
  }

  Engine engine_;
  std::vector<std::string> ids_;
  std::vector<CallSpec> calls_ = {CallSpec{.function = "f"}};
  std::queue<ExecutorId> executors_;
  Instant now_ = AtMicroseconds(1'700'000'000'000'000);
  std::size_t begun_ = 0;
  std::size_t finished_ = 0;
};

void BM_TaskLife(benchmark::State& state) {
  Lives lives;
  for (std::size_t i = 0; i < 2 * kRetained; ++i) lives.Next();
  for (auto _ : state) lives.Next();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_TaskLife);

// One life's worth of bare structures in the same steady state: an index of the known ids, a heap of the deadlines of
// active tasks (lease, task, call) and one of the kept results' ends.
void BM_BareTaskLife(benchmark::State& state) {
  const std::vector<std::string> ids = TaskIds();
  constexpr std::size_t kKnown = kRetained + kActive;
  absl::flat_hash_map<std::string, std::uint64_t> index;
  using Deadline = std::pair<std::int64_t, std::uint64_t>;
  using Heap = std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>>;
  Heap active;
  Heap retained;
  std::int64_t now = 0;
  std::uint64_t next = 0;
  for (; next < kKnown; ++next) {
    index.emplace(ids[next], next);
    if (next < kRetained) retained.emplace(now += kGapUs, next);
  }
  for (std::uint64_t i = 0; i < 3 * kActive; ++i) active.emplace(now + static_cast<std::int64_t>(i), i);
  std::uint64_t sum = 0;
  const auto turn = [&sum](Heap& heap, std::int64_t at, std::uint64_t task) {
    sum += heap.top().second;
    heap.pop();
    heap.emplace(at, task);
  };
  for (auto _ : state) {
    const std::string& id = ids[next % ids.size()];
    const std::string& running = ids[(next - kActive) % ids.size()];
    now += kGapUs;
    index.emplace(id, next);
    for (int i = 0; i < 3; ++i) sum += index.find(id)->second;
    for (int i = 0; i < 3; ++i) sum += index.find(running)->second;
    turn(active, now + 5'000'000, next);
    turn(active, now + 300'000'000, next);
    turn(active, now + 60'000'000, next);
    turn(retained, now + 300'000'000, next);
    index.erase(ids[(next - kKnown) % ids.size()]);
    ++next;
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_BareTaskLife);

// O(1) at any size: nothing is due, and nothing idle is looked at.
void BM_IdleTick(benchmark::State& state) {
  Config config = SteadyConfig();
  config.executor_count = 1;
  config.task_slots = state.range(0);
  config.max_ttl = Milliseconds(std::int64_t{1} << 35);
  Instant now = AtMicroseconds(1'700'000'000'000'000);
  Engine engine(config);
  engine.Apply(Start{}, now);
  engine.Apply(ExecutorConnected{ExecutorId(0), Generation(1), 1}, now);
  for (std::int64_t i = 0; state.range(1) == 1 && i < config.task_slots; ++i) {
    const std::string id = "task-" + std::to_string(i);
    benchmark::DoNotOptimize(engine.Apply(RequestTaskSlot{.task_id = id, .ttl = config.max_ttl}, now));
  }
  for (auto _ : state) {
    now = AddSaturating(now, config.tick_interval);
    engine.Apply(Tick{}, now);
    benchmark::DoNotOptimize(engine.NextDeadline());
  }
}
BENCHMARK(BM_IdleTick)->ArgNames({"slots", "reserved"})->ArgsProduct({{10, 1'000'000}, {0, 1}});

}  // namespace
