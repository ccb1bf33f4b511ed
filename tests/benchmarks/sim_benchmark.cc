// What a simulation costs, beside the least that any simulator of the same system must do.
#include <benchmark/benchmark.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <variant>
#include <vector>

#include "blockx/sim/scenario_reader.h"
#include "blockx/sim/simulation.h"

namespace {

// The shipped scenario, from reading the file to the report.
void BM_ErlangB(benchmark::State& state) {
  const std::vector<std::string> overrides = {"workload.0.tasks=" + std::to_string(state.range(0)),
                                              "executorHeartbeatIntervalMs=2000"};
  for (auto _ : state) {
    auto scenario =
        blockx::sim::LoadScenario(BLOCKX_SOURCE_DIR "/scenarios/erlang-b.json", overrides);
    if (!std::holds_alternative<blockx::sim::Scenario>(scenario))
      return state.SkipWithError("the scenario is unsound");
    blockx::sim::Simulation simulation(std::get<blockx::sim::Scenario>(std::move(scenario)));
    if (simulation.Run()) return state.SkipWithError("the run failed");
    benchmark::DoNotOptimize(simulation.MakeReport().digest);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_ErlangB)
    ->ArgName("arrivals")
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond);

// xoshiro256++ (Blackman and Vigna), seeded by splitmix64.
class Xoshiro {
 public:
  explicit Xoshiro(std::uint64_t seed) {
    for (std::uint64_t& word : words_) {
      std::uint64_t z = seed += 0x9e3779b97f4a7c15;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      word = z ^ (z >> 31);
    }
  }
  double Exponential(double mean) {
    return -mean * std::log(static_cast<double>((Next() >> 11) + 1) * 0x1.0p-53);
  }

 private:
  std::uint64_t Next() {
    const std::uint64_t next = std::rotl(words_[0] + words_[3], 23) + words_[0];
    const std::uint64_t shifted = words_[1] << 17;
    words_[2] ^= words_[0];
    words_[3] ^= words_[1];
    words_[1] ^= words_[2];
    words_[0] ^= words_[3];
    words_[2] ^= shifted;
    words_[3] = std::rotl(words_[3], 45);
    return next;
  }
  std::uint64_t words_[4];
};

// M/M/50/50 at 45 erlangs and nothing else: all events in one binary heap, exponential variates, a
// counter.
void BM_BareLoop(benchmark::State& state) {
  struct Event {
    double at;
    std::uint32_t sequence;
    bool is_departure;
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };
  constexpr int kSlots = 50;
  constexpr double kPerSecond = 45;
  for (auto _ : state) {
    Xoshiro random(42);
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    std::uint32_t sequence = 0;
    std::int64_t arrivals = 0;
    std::int64_t refused = 0;
    int busy = 0;
    events.push({random.Exponential(1 / kPerSecond), sequence++, false});
    while (!events.empty()) {
      const Event event = events.top();
      events.pop();
      if (event.is_departure) {
        --busy;
        continue;
      }
      if (busy < kSlots) {
        ++busy;
        events.push({event.at + random.Exponential(1), sequence++, true});
      } else {
        ++refused;
      }
      if (++arrivals < state.range(0))
        events.push({event.at + random.Exponential(1 / kPerSecond), sequence++, false});
    }
    benchmark::DoNotOptimize(refused);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_BareLoop)->ArgName("arrivals")->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
