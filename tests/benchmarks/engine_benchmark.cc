// What a decision costs, beside the bare data structures that no Worker could do without.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "benchmarks/lives.h"
#include "blockx/engine/engine.h"

namespace {

using namespace blockx::benchmarks;  // NOLINT(google-build-using-namespace)
using namespace blockx::engine;  // NOLINT(google-build-using-namespace): the subject of the whole
                                 // file

void BM_TaskLife(benchmark::State& state) {
  Engine engine(SteadyConfig());
  Lives lives(engine);
  for (std::size_t i = 0; i < 2 * kRetained; ++i) lives.Next();
  for (auto _ : state) lives.Next();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_TaskLife);

// One life's worth of bare structures in the same steady state: an index of the known ids, a heap
// of the deadlines of active tasks (lease, task, call) and one of the kept results' ends.
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
  for (std::uint64_t i = 0; i < 3 * kActive; ++i)
    active.emplace(now + static_cast<std::int64_t>(i), i);
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
    benchmark::DoNotOptimize(
        engine.Apply(RequestTaskSlot{.task_id = id, .ttl = config.max_ttl}, now));
  }
  for (auto _ : state) {
    now = AddSaturating(now, config.tick_interval);
    engine.Apply(Tick{}, now);
    benchmark::DoNotOptimize(engine.NextDeadline());
  }
}
BENCHMARK(BM_IdleTick)->ArgNames({"slots", "reserved"})->ArgsProduct({{10, 1'000'000}, {0, 1}});

}  // namespace
