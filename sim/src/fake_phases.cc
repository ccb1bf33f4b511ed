#include "blockx/sim/fake_phases.h"

#include <algorithm>

#include "blockx/sim/draws.h"

namespace blockx::sim {
namespace {

using engine::AddSaturating;
using engine::Duration;
using engine::Instant;

constexpr engine::Failure kCancelled{"", "cancelled", false};

engine::Failure Simulated(std::string_view message) { return {"", message, false}; }

}  // namespace

FakePhases::FakePhases(const Scenario& scenario, std::uint32_t worker, EventQueue& queue,
                       TaskTable& tasks)
    : seed_(scenario.seed),
      worker_(worker),
      io_timeout_(scenario.config.phase_io_timeout),
      most_calls_(scenario.config.max_calls_per_task),
      queue_(queue),
      tasks_(tasks) {}

void FakePhases::Begin(std::uint32_t index, Work work, Instant reports_at) {
  Task& task = tasks_[index];
  task.work = work;
  task.work_ends = reports_at;
  queue_.Push(reports_at, Rank::kReport, DueKind::kWork, worker_, index, tasks_.NewStamp(index));
}

void FakePhases::PrepareActivation(std::uint32_t index, Instant now) {
  const Task& task = tasks_[index];
  const Duration takes = DrawDuration(task.spec->task.activation, KeyOf(task, Choice::kActivation));
  Begin(index, Work::kActivation, AddSaturating(now, takes));
}

void FakePhases::StartBuilder(std::uint32_t index, Instant now) {
  const Task& task = tasks_[index];
  const Duration takes = ToDuration(DrawAmount(
      task.spec->task.builder.duration, task.planned.builder, KeyOf(task, Choice::kBuilder)));
  Begin(index, Work::kBuilder, AddSaturating(now, takes));
}

void FakePhases::StartStream(std::uint32_t index, Instant now) {
  tasks_[index].calls_left = CallCountOf(tasks_[index]);
  NextBatch(index, now);
}

void FakePhases::NextBatch(std::uint32_t index, Instant now) {
  Task& task = tasks_[index];
  const auto batch = static_cast<std::uint64_t>(++task.batches);
  const Duration takes = task.calls_left == 0
                             ? Duration::zero()
                             : DrawDuration(task.spec->task.builder.stream->batch_gap,
                                            KeyOf(task, Choice::kBuilder, batch));
  Begin(index, Work::kStream, AddSaturating(now, takes));
}

void FakePhases::PauseStream(std::uint32_t index) { tasks_[index].stream_is_paused = true; }

void FakePhases::ResumeStream(std::uint32_t index, Instant now) {
  Task& task = tasks_[index];
  task.stream_is_paused = false;
  if (!task.batch_is_held) return;
  task.batch_is_held = false;
  Begin(index, Work::kStream, now);
}

void FakePhases::StartWriter(std::uint32_t index, Instant now) {
  const Task& task = tasks_[index];
  const Duration takes = ToDuration(DrawAmount(task.spec->task.writer->duration,
                                               task.planned.writer, KeyOf(task, Choice::kWriter)));
  Begin(index, Work::kWriter, AddSaturating(now, takes));
}

void FakePhases::Cancel(std::uint32_t index, Instant now) {
  const Task& task = tasks_[index];
  if (task.work == Work::kNone || task.work == Work::kActivation) return;
  const TaskSpec& spec = task.spec->task;
  const Distribution& latency =
      task.work == Work::kWriter ? spec.writer->cancel_latency : spec.builder.cancel_latency;
  const Duration takes =
      std::min(DrawDuration(latency, KeyOf(task, Choice::kCancelLatency)), io_timeout_);
  const Instant stops = AddSaturating(now, takes);
  if (stops < task.work_ends) Begin(index, task.work, stops);
}

void FakePhases::Report(const Due& due, engine::Driver& driver) {
  Task& task = tasks_[due.index];
  if (due.stamp != tasks_.stamp(due.index)) return;
  if (task.work == Work::kStream) return ReportStream(due.index, driver, due.at());
  const Work work = task.work;
  const bool client_is_gone = task.resolved;
  task.work = Work::kNone;  // Before the step, whose commands may begin the next work.
  if (work == Work::kActivation) ReportActivation(task, driver, due.at());
  if (work == Work::kBuilder) ReportBuilder(task, driver, due.at());
  if (work == Work::kWriter) ReportWriter(task, driver, due.at());
  // A task that ends in this very step has been removed with its end.
  if (client_is_gone) tasks_.RemoveIfDone(due.index);
}

void FakePhases::ReportActivation(const Task& task, engine::Driver& driver, Instant now) {
  if (Happens(task.spec->task.activation_failure, KeyOf(task, Choice::kActivationFailure))) {
    driver.Apply(engine::ActivationFailed{task.id(), task.run, Simulated("simulated failure")},
                 now);
  } else {
    driver.Apply(engine::ActivationPrepared{task.id(), task.run, "", engine::CodeEpoch(1)}, now);
  }
}

void FakePhases::ReportBuilder(const Task& task, engine::Driver& driver, Instant now) {
  const BuilderSpec& builder = task.spec->task.builder;
  engine::BuilderFinished report{task.id(), task.run, {}};
  if (task.converged) {
    report.outcome = kCancelled;
  } else if (Happens(builder.failure, KeyOf(task, Choice::kBuilderFailure))) {
    report.outcome = Simulated("simulated failure");
  } else if (builder.stream) {
    report.outcome = engine::StreamMarker();
  } else {
    report.outcome = engine::CallList{MakeCalls(task, 0, CallCountOf(task))};
  }
  driver.Apply(report, now);
}

void FakePhases::ReportStream(std::uint32_t index, engine::Driver& driver, Instant now) {
  Task& task = tasks_[index];
  if (!task.converged && task.stream_is_paused && task.calls_left > 0) {
    task.batch_is_held = true;
    task.work_ends = Instant::max();
    return;
  }
  if (!task.converged && task.calls_left > 0) {
    const std::int64_t size = std::min(task.calls_left, task.spec->task.builder.stream->batch_size);
    const std::int64_t first = CallCountOf(task) - task.calls_left;
    task.calls_left -= size;
    driver.Apply(engine::CallsAppended{task.id(), task.run, MakeCalls(task, first, size)}, now);
    if (task.converged) return;  // The step ended the task, and Cancel() has seen to the end.
    if (task.calls_left > 0) return NextBatch(index, now);
  }
  const bool client_is_gone = task.resolved;
  engine::CallStreamEnded report{task.id(), task.run, {}};
  if (task.converged) report.failure = kCancelled;
  task.work = Work::kNone;
  driver.Apply(report, now);
  if (client_is_gone) tasks_.RemoveIfDone(index);
}

void FakePhases::ReportWriter(const Task& task, engine::Driver& driver, Instant now) {
  engine::WriterFinished report{task.id(), task.run, {}};
  if (task.converged) {
    report.outcome = kCancelled;
  } else if (Happens(task.spec->task.writer->failure, KeyOf(task, Choice::kWriterFailure))) {
    report.outcome = Simulated("simulated failure");
  }
  driver.Apply(report, now);
}

std::int64_t FakePhases::CallCountOf(const Task& task) const {
  const std::int64_t count = ToCount(DrawAmount(
      task.spec->task.calls.count, task.planned.call_count, KeyOf(task, Choice::kTaskShape)));
  return std::min(count, most_calls_ + 1);  // One too many is refused as surely as any number.
}

// A call's arguments carry its entity as their fingerprint: the engine hands it back with each
// DispatchCall, and so an attempt's luck needs no memory of the call.
std::span<const engine::CallSpec> FakePhases::MakeCalls(const Task& task, std::int64_t first,
                                                        std::int64_t count) {
  calls_.clear();
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::uint64_t entity = EntityWithin(task.entity, static_cast<std::uint64_t>(i));
    calls_.push_back({kCallFunction, engine::Payload::LeftOut(sizeof entity, entity)});
  }
  return calls_;
}

}  // namespace blockx::sim
