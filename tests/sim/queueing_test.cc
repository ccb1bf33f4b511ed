// The simulator against formulas of queueing theory. Each test runs independent replications (seeds
// 1, 2, ...), and the formula's value must lie in the 99 % confidence interval of their mean.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/runs.h"

namespace blockx::sim {
namespace {

constexpr int kReplications = 10;
constexpr double kStudent99 = 3.2498;  // Student's t, 9 degrees of freedom, two-sided 99 %.

struct Estimate {
  double mean = 0;
  double half_width = 0;  // Of the 99 % confidence interval.
};

Estimate Replicate(Scenario scenario, const std::function<double(const Report&)>& measure) {
  std::vector<double> values;
  for (int i = 1; i <= kReplications; ++i) {
    scenario.seed = static_cast<std::uint64_t>(i);
    values.push_back(measure(RunToEnd(scenario)));
  }
  Estimate estimate;
  for (const double value : values) estimate.mean += value / kReplications;
  double squares = 0;
  for (const double value : values) squares += std::pow(value - estimate.mean, 2);
  estimate.half_width = kStudent99 * std::sqrt(squares / (kReplications - 1) / kReplications);
  return estimate;
}

// The interval must hold the truth, and be narrow enough to mean something.
void ExpectCovers(const Estimate& estimate, double truth) {
  EXPECT_NEAR(estimate.mean, truth, estimate.half_width);
  EXPECT_LT(estimate.half_width, 0.12 * truth);
}

double RefusedShare(const Report& report) {
  return static_cast<double>(report.tasks.refused) / static_cast<double>(report.tasks.arrived);
}
double MeanWaitSeconds(const Report& report) {
  return LatencyOf(report, LatencyStep::kExecutors).mean / 1e6;
}

// Erlang's loss formula B(c, a), by its recursion (Erlang 1917; Cooper, "Introduction to queueing
// theory", section 3.3).
double ErlangB(int servers, double load) {
  double blocking = 1;
  for (int n = 1; n <= servers; ++n) blocking = load * blocking / (n + load * blocking);
  return blocking;
}

// Erlang's delay formula C(c, a): the probability to wait in M/M/c (Cooper, section 3.4).
double ErlangC(int servers, double load) {
  const double blocking = ErlangB(servers, load);
  return servers * blocking / (servers - load * (1 - blocking));
}

// The stationary distribution of a birth-death process, from its ratios p(n) / p(n - 1).
std::vector<double> BirthDeath(int states, const std::function<double(int)>& ratio) {
  std::vector<double> p{1};
  for (int n = 1; n < states; ++n) p.push_back(p.back() * ratio(n));
  double sum = 0;
  for (const double value : p) sum += value;
  for (double& value : p) value /= sum;
  return p;
}

Scenario WithWarmUp(Scenario scenario, std::int64_t seconds) {
  scenario.warmup = std::chrono::seconds(seconds);
  return scenario;
}

TEST(QueueingTest, LossSystemRefusesTheShareOfErlangB) {
  const Scenario scenario =
      WithWarmUp(Station(50, 50, PoissonSource(45, ExponentialSeconds(1), 60'000)), 20);
  ExpectCovers(Replicate(scenario, RefusedShare), ErlangB(50, 45));
}

// Erlang's loss formula depends on the mean service time alone (Sevastyanov 1957).
TEST(QueueingTest, LossSystemIsInsensitiveToTheServiceDistribution) {
  const auto service = Distribution(LogNormalWithMean(1e6, 1.5));
  const Scenario scenario = WithWarmUp(Station(10, 10, PoissonSource(8, service, 60'000)), 50);
  ExpectCovers(Replicate(scenario, RefusedShare), ErlangB(10, 8));
}

TEST(QueueingTest, TasksWaitForExecutorsAsInErlangC) {
  const Scenario scenario =
      WithWarmUp(Station(2'000, 5, PoissonSource(4, ExponentialSeconds(1), 60'000)), 200);
  // W = C(c, a) / (c mu - lambda)
  ExpectCovers(Replicate(scenario, MeanWaitSeconds), ErlangC(5, 4) / (5 - 4));
}

TEST(QueueingTest, TheShareThatWaitsIsThatOfErlangC) {
  Scenario scenario =
      WithWarmUp(Station(2'000, 5, PoissonSource(3, ExponentialSeconds(1), 60'000)), 200);
  // Waits are exponential with rate c mu - lambda, once one waits at all: P(W > t) = C e^(-2 t).
  const double p95 = std::log(ErlangC(5, 3) / 0.05) / 2;
  ExpectCovers(Replicate(scenario,
                         [](const Report& report) {
                           return LatencyOf(report, LatencyStep::kExecutors).p95 / 1e6;
                         }),
               p95);
}

// Pollaczek and Khinchine: W = lambda E[S^2] / (2 (1 - rho)) (Cooper, section 5.8).
double PollaczekKhinchine(double rate, double mean, double variance) {
  return rate * (variance + mean * mean) / (2 * (1 - rate * mean));
}

TEST(QueueingTest, ConstantServiceWaitsAsInMD1) {
  const Scenario scenario =
      WithWarmUp(Station(5'000, 1, PoissonSource(0.7, Milliseconds(1'000), 60'000)), 500);
  ExpectCovers(Replicate(scenario, MeanWaitSeconds), PollaczekKhinchine(0.7, 1, 0));
}

TEST(QueueingTest, GammaServiceWaitsAsPollaczekAndKhinchineSay) {
  const Scenario scenario =
      WithWarmUp(Station(5'000, 1, PoissonSource(0.7, Distribution(Gamma{1e6, 0.5}), 60'000)), 500);
  ExpectCovers(Replicate(scenario, MeanWaitSeconds), PollaczekKhinchine(0.7, 1, 2));
}

TEST(QueueingTest, LogNormalServiceWaitsAsPollaczekAndKhinchineSay) {
  const auto service = Distribution(LogNormalWithMean(1e6, 1.2));
  const Scenario scenario = WithWarmUp(Station(5'000, 1, PoissonSource(0.6, service, 60'000)), 500);
  ExpectCovers(Replicate(scenario, MeanWaitSeconds), PollaczekKhinchine(0.6, 1, 1.44));
}

// M/G/infinity: the number in service is Poisson with mean lambda E[S], whatever the service.
TEST(QueueingTest, UnlimitedServersAreOccupiedAsInMGInfinity) {
  const auto service = Distribution(Weibull{1e6, 2});
  Scenario scenario = Station(200, 200, PoissonSource(30, service, 1));
  scenario.workload[0].tasks.reset();
  scenario.until = std::chrono::minutes(20);
  scenario = WithWarmUp(scenario, 30);
  const double load = 30 * service.Mean() / 1e6;
  const auto busy = [](const Report& report) { return LevelOf(report, Gauge::kSlots).mean; };
  ExpectCovers(Replicate(scenario, busy), load);
}

// M/M/c/K: c executors and K slots; who finds all slots taken is refused.
TEST(QueueingTest, AFiniteWaitingRoomRefusesAndDelaysAsInMMcK) {
  constexpr int kServers = 3;
  constexpr int kPlaces = 8;
  constexpr double kRate = 3.2;
  const Scenario scenario = WithWarmUp(
      Station(kPlaces, kServers, PoissonSource(kRate, ExponentialSeconds(1), 60'000)), 100);
  const auto p = BirthDeath(kPlaces + 1, [&](int n) { return kRate / std::min(n, kServers); });
  ExpectCovers(Replicate(scenario, RefusedShare), p[kPlaces]);
  double waiting = 0;
  for (int n = kServers; n <= kPlaces; ++n) waiting += (n - kServers) * p.at(n);
  ExpectCovers(Replicate(scenario, MeanWaitSeconds), waiting / (kRate * (1 - p[kPlaces])));
}

// Machine repair: closed clients think, and then ask one of few executors (Cooper, section 3.8).
TEST(QueueingTest, ClosedClientsWaitAsMachinesForRepair) {
  constexpr int kMachines = 10;
  constexpr int kRepairers = 2;
  Scenario scenario = Station(kMachines, kRepairers, PoissonSource(1, ExponentialSeconds(1), 1));
  WorkloadSource& source = scenario.workload[0];
  source.arrivals = ClosedArrivals{kMachines, ExponentialSeconds(4)};
  source.tasks = 60'000;
  scenario = WithWarmUp(scenario, 200);
  const auto p = BirthDeath(
      kMachines + 1, [&](int n) { return (kMachines - n + 1) / 4.0 / std::min(n, kRepairers); });
  double down = 0;
  double rate = 0;
  for (int n = 0; n <= kMachines; ++n) {
    down += n * p.at(n);
    rate += std::min(n, kRepairers) * p.at(n);
  }
  ExpectCovers(Replicate(scenario, MeanWaitSeconds), down / rate - 1);
}

// Stations in a row: what leaves M/M/c is Poisson again (Burke 1956), so builder, call and writer
// wait as if each were alone.
TEST(QueueingTest, BuilderCallsAndWriterWaitAsATandemOfMMcQueues) {
  Scenario scenario = Station(5'000, 3, PoissonSource(2, ExponentialSeconds(1), 60'000));
  scenario.config.builder_slots = 1;
  scenario.config.plugin_slots = 2;
  TaskSpec& task = scenario.workload[0].task;
  task.builder.duration = ExponentialSeconds(0.3);
  task.writer.emplace().duration = ExponentialSeconds(0.7);
  scenario = WithWarmUp(scenario, 300);
  const auto wait = [](LatencyStep step) {
    return [step](const Report& report) { return LatencyOf(report, step).mean / 1e6; };
  };
  ExpectCovers(Replicate(scenario, wait(LatencyStep::kBuilderPermit)),
               ErlangC(1, 0.6) / (1 / 0.3 - 2));
  ExpectCovers(Replicate(scenario, wait(LatencyStep::kExecutors)), ErlangC(3, 2) / (3 - 2));
  ExpectCovers(Replicate(scenario, wait(LatencyStep::kPluginPermit)),
               ErlangC(2, 1.4) / (2 / 0.7 - 2));
}

// Little: the mean number in the Worker is the rate times the mean time there. It holds for each
// run that starts and ends empty, so exactly.
TEST(QueueingTest, LittlesLawHoldsExactly) {
  Scenario scenario = Station(2'000, 5, PoissonSource(4, ExponentialSeconds(1), 5'000));
  scenario.workload[0].arrivals = ArrivalPattern(ConstantArrivals{250'000});
  const Report report = RunToEnd(scenario);
  const double seconds = static_cast<double>(report.measured.count()) / 1e6;
  EXPECT_NEAR(LevelOf(report, Gauge::kSlots).mean * seconds,
              5'000 * LatencyOf(report, LatencyStep::kTotal).mean / 1e6, 1e-6);
}

}  // namespace
}  // namespace blockx::sim
