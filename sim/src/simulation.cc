#include "blockx/sim/simulation.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "blockx/engine/fingerprint.h"
#include "blockx/sim/units.h"

namespace blockx::sim {
namespace {

using engine::AddSaturating;
using engine::Duration;
using engine::Instant;

constexpr Duration kLatestStart = std::chrono::minutes(10);

// What comes back so often at one instant, every time after no time at all, will do so for ever.
constexpr std::int64_t kMostReturnsAtOnce = 1'000'000;

// A registry that hears from a Worker more often than that would hear of nothing else.
constexpr Duration kShortestHeartbeat = engine::Milliseconds(1);

}  // namespace

// What the worlds have to say, passed on to whom it concerns.
class Simulation::Ears final : public WorldListener {
 public:
  explicit Ears(Simulation& simulation) : simulation_(simulation) {}

  void OnTaskEnded(std::uint32_t task, const engine::TaskResult& result, Instant) override {
    simulation_.clients_.OnTaskEnded(task, result);
  }
  void OnWatchNotified(std::uint32_t, bool) override { ++simulation_.watch_notifications_; }
  void OnWatchEnded(std::uint32_t task, Instant) override {
    simulation_.clients_.OnWatchEnded(task);
  }
  void OnRegistered(std::uint32_t worker) override {
    simulation_.is_registered_[worker] = true;
    simulation_.queue_.Push(simulation_.queue_.now(), Rank::kClient, DueKind::kPublish, worker, 0,
                            0);
  }
  void OnDeregistered(std::uint32_t worker) override {
    simulation_.is_registered_[worker] = false;
    simulation_.coordinator_.Withdraw(worker);
  }

 private:
  Simulation& simulation_;
};

Simulation::Simulation(Scenario scenario, SimulationOptions options)
    : scenario_(std::move(scenario)),
      csv_(OpenTables(options.csv_directory)),
      queue_(static_cast<std::size_t>(scenario_.fleet.workers)),
      coordinator_(scenario_.coordinator.policy, scenario_.seed,
                   static_cast<std::size_t>(scenario_.fleet.workers)),
      metrics_(scenario_, csv_.get()),
      ears_(std::make_unique<Ears>(*this)),
      clients_(scenario_, queue_, tasks_, coordinator_, fleet_, metrics_) {
  const auto workers = static_cast<std::uint32_t>(scenario_.fleet.workers);
  is_touched_.resize(workers);
  is_without_tick_.resize(workers);
  is_registered_.resize(workers);
  if (options.check_invariants) watches_.resize(workers);
  for (std::uint32_t i = 0; i < workers; ++i) {
    InvariantWatch* const watch = options.check_invariants ? &watches_[i] : nullptr;
    fleet_.push_back(std::make_unique<Worker>(scenario_, i, queue_, tasks_, *ears_, watch));
    if (options.observe) {
      fleet_[i]->driver.SetObserver(options.observe(i, fleet_[i]->driver));
    }
  }
  queue_.Push(AddSaturating(queue_.now(), kLatestStart), Rank::kClient, DueKind::kLatestStart, 0, 0,
              0);
  for (std::uint32_t i = 0; i < workers; ++i) {
    fleet_[i]->driver.Apply(engine::Start{}, queue_.now());
    Touch(i);
  }
}

Simulation::~Simulation() = default;

std::unique_ptr<CsvWriter> Simulation::OpenTables(const std::string& directory) {
  if (directory.empty()) return nullptr;
  auto opened = CsvWriter::Open(directory);
  if (auto* problem = std::get_if<std::string>(&opened)) {
    error_ = RunError{RunError::Cause::kOutput, *problem};
    return nullptr;
  }
  return std::get<std::unique_ptr<CsvWriter>>(std::move(opened));
}

std::optional<RunError> Simulation::Run() {
  while (!ended_ && !error_) Advance(std::numeric_limits<std::int64_t>::max());
  return error_;
}

std::optional<RunError> Simulation::Advance(std::int64_t dues) {
  for (std::int64_t i = 0; i < dues && !ended_ && !error_; ++i) {
    // Where a report goes first in any case, the deadlines that it moves need not be asked for yet.
    if (!queue_.HasReportNow()) SetTicks();
    const std::optional<Due> due = queue_.PopBefore(horizon_);
    if (!due) {
      // Nothing can happen any more; without a horizon, because no executor is left.
      End(horizon_ == Instant::max() ? instant_ : horizon_);
      break;
    }
    if (due->at() != instant_) CloseInstant(due->at());
    Step(*due);
    if (clients_.done()) End(instant_);
    if (returns_at_once_ > kMostReturnsAtOnce || clients_.error() || !watches_.empty()) {
      FindProblem();
    }
  }
  return error_;
}

void Simulation::Step(const Due& due) {
  switch (due.kind) {
    case DueKind::kWork:
    case DueKind::kCall:
    case DueKind::kExecutor:
    case DueKind::kExecutorHeartbeat:
      fleet_[due.owner]->world.Report(due, fleet_[due.owner]->driver);
      return Touch(due.owner);
    case DueKind::kTick:
      ++returns_at_once_;
      fleet_[due.owner]->driver.Apply(engine::Tick{}, due.at());
      return Touch(due.owner);
    case DueKind::kThought:
    case DueKind::kRetry:
      ++returns_at_once_;
      [[fallthrough]];
    case DueKind::kArrival:
      if (const auto worker = clients_.Handle(due)) Touch(*worker);
      return;
    case DueKind::kPublish:
      return Publish(due.owner);
    case DueKind::kLatestStart:
      if (!start_) StartSources();
      return;
  }
}

// Steps of this worker's engine were made at the present instant.
void Simulation::Touch(std::uint32_t worker) {
  if (is_without_tick_[worker] == 0) {
    is_without_tick_[worker] = 1;
    without_tick_.push_back(worker);
  }
  if (is_touched_[worker] == 0) {
    is_touched_[worker] = 1;
    touched_.push_back(worker);
  }
}

void Simulation::SetTicks() {
  for (const std::uint32_t worker : without_tick_) {
    queue_.SetTick(worker, fleet_[worker]->driver.engine().NextDeadline());
    is_without_tick_[worker] = 0;
  }
  without_tick_.clear();
}

void Simulation::CloseInstant(Instant next) {
  for (const std::uint32_t worker : touched_) {
    metrics_.SetLoad(worker, fleet_[worker]->driver.engine().load(), instant_);
    is_touched_[worker] = 0;
  }
  touched_.clear();
  metrics_.AdvanceTo(next);
  instant_ = next;
  returns_at_once_ = 0;
}

void Simulation::Publish(std::uint32_t worker) {
  if (!is_registered_[worker]) return;
  coordinator_.Publish(worker, fleet_[worker]->driver.engine().DeriveHeartbeat());
  const Duration interval = std::max(scenario_.config.heartbeat_interval, kShortestHeartbeat);
  queue_.Push(AddSaturating(instant_, interval), Rank::kClient, DueKind::kPublish, worker, 0, 0,
              Lane::kPublishing);
  if (!start_ && coordinator_.registered() == fleet_.size()) StartSources();
}

void Simulation::StartSources() {
  start_ = instant_;
  if (scenario_.until) horizon_ = AddSaturating(instant_, *scenario_.until);
  metrics_.Start(instant_);
  clients_.Start();
}

void Simulation::End(Instant at) {
  CloseInstant(at);
  ended_ = true;
  if (csv_ == nullptr) return;
  if (const auto problem = csv_->Close()) error_ = RunError{RunError::Cause::kOutput, *problem};
}

void Simulation::FindProblem() {
  if (clients_.error()) error_ = RunError{RunError::Cause::kInput, *clients_.error()};
  if (returns_at_once_ > kMostReturnsAtOnce) {
    error_ =
        RunError{RunError::Cause::kInput,
                 "virtual time stands still at " + FormatDuration(elapsed()) +
                     ": something is tried again after no time at all, without end; expected a "
                     "thinkTime, client.retry.backoff or executorRestartDelayMs above 0"};
  }
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    if (!watches_[i].broken()) continue;
    error_ = RunError{RunError::Cause::kInternal,
                      "worker " + std::to_string(i) + ": " + *watches_[i].broken()};
    return;
  }
}

Duration Simulation::elapsed() const {
  return start_ ? Elapsed(*start_, instant_) : Duration::zero();
}

Report Simulation::MakeReport() const {
  Report report = sim::MakeReport(scenario_, metrics_, start_.value_or(instant_), instant_);
  for (const auto& worker : fleet_) report.engine_events += worker->driver.sequence();
  report.watch_notifications = watch_notifications_;
  report.skipped_trace_rows = clients_.skipped_rows();
  report.digest = Digest(report);
  return report;
}

std::uint64_t Simulation::Digest(const Report& report) const {
  engine::Fingerprint chain;
  for (const auto& worker : fleet_) {
    chain.Add(worker->driver.digest());
    chain.Add(worker->driver.sequence());
  }
  const TaskCounts& counts = report.tasks;
  for (const std::int64_t count : {counts.arrived, counts.admitted, counts.refused,
                                   counts.succeeded, counts.failed, counts.warmup}) {
    chain.Add(static_cast<std::uint64_t>(count));
  }
  return chain.value();
}

}  // namespace blockx::sim
