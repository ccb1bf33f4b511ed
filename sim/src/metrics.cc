#include "blockx/sim/metrics.h"

#include <utility>

#include "blockx/engine/names.h"
#include "blockx/sim/csv_writer.h"

namespace blockx::sim {
namespace {

using engine::Elapsed;
using engine::Instant;
using engine::kNever;

template <std::size_t... I>
std::array<TimeWeighted, sizeof...(I)> ZeroLevels(std::index_sequence<I...>) {
  return {((void)I, TimeWeighted(engine::AtMicroseconds(0)))...};
}

void Count(std::map<std::string, std::int64_t, std::less<>>& counts, std::string_view name) {
  const auto found = counts.find(name);
  if (found == counts.end()) {
    counts.emplace(name, 1);
  } else {
    ++found->second;
  }
}

}  // namespace

Levels LevelsOf(const engine::Load& load) {
  return {load.allocated_slots + load.running_slots,
          load.calls_occupying,
          load.builder.in_use,
          load.scan.in_use,
          load.executor_tasks.in_use,
          load.plugin.in_use,
          0,
          load.builder.waiting,
          load.scan.waiting,
          load.executor_tasks.waiting,
          load.calls_waiting,
          load.plugin.waiting};
}

StepDurations StepsOf(const Task& task, const engine::StepTimes& times) {
  const Instant first_call = task.first_dispatch == kNever ? times.called : task.first_dispatch;
  const Instant writing = times.plugin_granted == kNever ? times.called : times.plugin_granted;
  return {Elapsed(task.arrived, times.ended),
          Elapsed(task.arrived, times.accepted),
          Elapsed(times.accepted, times.activated),
          Elapsed(times.activated, times.builder_granted),
          Elapsed(times.builder_granted, times.built),
          Elapsed(times.built, first_call),
          Elapsed(first_call, times.called),
          Elapsed(times.called, writing),
          Elapsed(writing, times.ended)};
}

Metrics::Metrics(const Scenario& scenario, CsvWriter* tables)
    : warmup_(scenario.warmup),
      tables_(tables),
      levels_(ZeroLevels(std::make_index_sequence<kGauges>())),
      loads_(static_cast<std::size_t>(scenario.fleet.workers), Levels()) {}

void Metrics::Start(Instant now) {
  warm_at_ = AddSaturating(now, warmup_);
  if (tables_ != nullptr) tables_->Start(now);
}

void Metrics::AdvanceTo(Instant next) {
  if (tables_ != nullptr) tables_->AdvanceTo(next, *this);
  if (next < warm_at_) return;
  for (TimeWeighted& level : levels_) level.ResetAt(warm_at_);
  warm_at_ = Instant::max();
}

void Metrics::SetLoad(std::uint32_t worker, const engine::Load& load, Instant now) {
  Levels& before = loads_[worker];
  const Levels after = LevelsOf(load);
  for (std::size_t i = 0; i < kGauges; ++i) {
    if (after[i] == before[i]) continue;
    levels_[i].Add(now, after[i] - before[i]);
    before[i] = after[i];
  }
}

void Metrics::Change(Gauge gauge, std::int64_t change, Instant now) {
  levels_[static_cast<std::size_t>(gauge)].Add(now, change);
}

void Metrics::OnArrived(const Task& task) { ++(task.measured ? counts_.arrived : counts_.warmup); }

void Metrics::OnAdmitted(const Task& task, Instant now) {
  if (task.attempts > 1) Change(Gauge::kSlotQueue, -1, now);
  if (task.measured) ++counts_.admitted;
}

void Metrics::OnBackoff(const Task& task, Instant now) {
  if (task.attempts == 1) Change(Gauge::kSlotQueue, 1, now);
  if (task.measured) ++counts_.retried_requests;
}

void Metrics::OnRefused(const Task& task, engine::ErrorCode code, Instant now) {
  if (task.attempts > 1) Change(Gauge::kSlotQueue, -1, now);
  if (tables_ != nullptr) tables_->OnRefused(task, NameOf(code), now);
  if (!task.measured) return;
  ++counts_.refused;
  Count(counts_.refused_by, NameOf(code));
}

void Metrics::OnEnded(const Task& task, const engine::TaskResult& result) {
  if (tables_ != nullptr) tables_->OnEnded(task, result);
  if (!task.measured) return;
  if (result.state != engine::TaskState::kSucceeded) {
    ++counts_.failed;
    Count(counts_.failed_by, result.failure_code);
    return;
  }
  ++counts_.succeeded;
  const StepDurations steps = StepsOf(task, result.times);
  for (std::size_t i = 0; i < kLatencySteps; ++i) latencies_[i].Add(steps[i]);
}

}  // namespace blockx::sim
