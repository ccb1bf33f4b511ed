#include "blockx/sim/client.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "blockx/engine/events.h"
#include "blockx/sim/draws.h"

namespace blockx::sim {
namespace {

using engine::AddSaturating;
using engine::Duration;
using engine::ErrorCode;
using engine::Instant;

// What simulated tasks name as their function and result handler.
constexpr std::string_view kBuilderType = "simulated";
constexpr std::string_view kWriterType = "simulated";

// a ... z, aa, ab ...
std::string LetterOf(std::size_t source) {
  std::string letter;
  for (std::size_t n = source + 1; n > 0; n = (n - 1) / 26) {
    letter.insert(letter.begin(), static_cast<char>('a' + (n - 1) % 26));
  }
  return letter;
}

void WriteId(Task& task, std::string_view letter, std::int64_t number) {
  char* const begin = task.id_text.data();
  char* const end = begin + task.id_text.size();
  char* const at = std::copy(letter.begin(), letter.end(), begin);
  task.id_size = static_cast<std::uint8_t>(std::to_chars(at, end, number).ptr - begin);
}

double PlannedAmount(const Amount& amount, const std::vector<double>& row) {
  const auto* form = std::get_if<LinearForm>(&amount);
  return form == nullptr ? 0 : form->Evaluate(row);
}

PlannedAmounts Plan(const TaskSpec& spec, const std::vector<double>& row) {
  PlannedAmounts planned;
  planned.builder = PlannedAmount(spec.builder.duration, row);
  planned.call_count = PlannedAmount(spec.calls.count, row);
  planned.call = PlannedAmount(spec.calls.duration, row);
  if (spec.calls.subcalls) {
    planned.subcall_count = PlannedAmount(spec.calls.subcalls->count, row);
    planned.subcall = PlannedAmount(spec.calls.subcalls->duration, row);
  }
  if (spec.writer) planned.writer = PlannedAmount(spec.writer->duration, row);
  return planned;
}

engine::SubmitTask SubmissionOf(const Task& task, std::string_view slot_id) {
  engine::SubmitTask submission;
  submission.task_id = task.id();
  submission.slot_id = slot_id;
  submission.function.type = kBuilderType;
  const TaskSpec& spec = task.spec->task;
  if (spec.writer) submission.result_handler.type = kWriterType;
  submission.timeout = spec.timeout;
  submission.failure_policy = spec.failure_policy;
  submission.retry_policy = spec.retry;
  return submission;
}

// "slot-7", as the public protocol names slots.
class SlotName {
 public:
  SlotName() = default;
  explicit SlotName(engine::SlotIndex slot) {
    char* const end = text_.data() + text_.size();
    const char* const last = std::to_chars(text_.data() + kPrefix, end, slot.value()).ptr;
    size_ = static_cast<std::size_t>(last - text_.data());
  }
  [[nodiscard]] std::string_view view() const { return {text_.data(), size_}; }

 private:
  static constexpr std::size_t kPrefix = 5;
  std::array<char, 32> text_{'s', 'l', 'o', 't', '-'};
  std::size_t size_ = 0;  // 0: no slot is named.
};

}  // namespace

Clients::Clients(const Scenario& scenario, EventQueue& queue, TaskTable& tasks,
                 Coordinator& coordinator, const Fleet& fleet, Metrics& metrics)
    : scenario_(scenario),
      queue_(queue),
      tasks_(tasks),
      coordinator_(coordinator),
      fleet_(fleet),
      metrics_(metrics) {}

// ---- Arrivals ----

void Clients::Start() {
  started_ = true;
  start_ = queue_.now();
  for (const WorkloadSource& spec : scenario_.workload) {
    const std::uint64_t entity = EntityNamed(spec.name);
    Source source{&spec, entity, LetterOf(sources_.size()), ClosedClients(), {}, 0, true};
    if (const auto* pattern = std::get_if<ArrivalPattern>(&spec.arrivals)) {
      source.arrivals = ArrivalProcess(*pattern, scenario_.seed, entity);
    } else if (const auto* trace = std::get_if<TraceSpec>(&spec.arrivals)) {
      auto reader = TraceReader::Open(*trace);
      if (auto* error = std::get_if<TraceError>(&reader)) {
        error_ = error->message;
        return;
      }
      source.arrivals = std::get<TraceReader>(std::move(reader));
    }
    sources_.push_back(std::move(source));
    ++open_sources_;
  }
  for (std::uint32_t i = 0; i < sources_.size(); ++i) {
    if (const auto* closed = std::get_if<ClosedArrivals>(&sources_[i].spec->arrivals)) {
      std::get<ClosedClients>(sources_[i].arrivals) = {
          closed, std::vector<std::uint64_t>(static_cast<std::size_t>(closed->clients)), 0};
      for (std::uint32_t client = 0; client < closed->clients; ++client) Think(i, client);
    } else {
      ScheduleNext(i);
    }
  }
}

bool Clients::IsOver(const Source& source, Duration at) const {
  return (source.spec->duration && at >= *source.spec->duration) ||
         (source.spec->tasks && source.tasks >= *source.spec->tasks);
}

void Clients::Close(Source& source) {
  if (source.open) --open_sources_;
  source.open = false;
}

std::optional<Duration> Clients::NextArrival(Source& source) {
  if (auto* process = std::get_if<ArrivalProcess>(&source.arrivals)) return process->Next();
  auto next = std::get<TraceReader>(source.arrivals).Next();
  if (auto* error = std::get_if<TraceError>(&next)) {
    error_ = error->message;
    return std::nullopt;
  }
  const auto& row = std::get<std::optional<TraceRow>>(next);
  if (!row) return std::nullopt;
  source.row.assign(row->values.begin(), row->values.end());
  return row->arrival;
}

void Clients::ScheduleNext(std::uint32_t index) {
  Source& source = sources_[index];
  // Not even looked at when the task limit is reached: a trace may have a bad row further on.
  const bool enough = source.spec->tasks && source.tasks >= *source.spec->tasks;
  const std::optional<Duration> next = enough ? std::nullopt : NextArrival(source);
  if (!next || IsOver(source, *next)) return Close(source);
  queue_.Push(AddSaturating(start_, *next), Rank::kClient, DueKind::kArrival, index, 0, 0,
              Lane::kArrivals);
}

void Clients::Think(std::uint32_t index, std::uint32_t client) {
  Source& source = sources_[index];
  auto& closed = std::get<ClosedClients>(source.arrivals);
  const Duration takes =
      DrawDuration(closed.spec->think_time, {scenario_.seed, EntityWithin(source.entity, client),
                                             Choice::kThinkTime, ++closed.pauses[client]});
  const Instant at = AddSaturating(queue_.now(), takes);
  if (IsOver(source, Elapsed(start_, at))) {
    if (++closed.stopped == closed.spec->clients) Close(source);
    return;
  }
  queue_.Push(at, Rank::kClient, DueKind::kThought, index, client, 0);
}

std::optional<std::uint32_t> Clients::Handle(const Due& due) {
  if (due.kind == DueKind::kRetry) return Attempt(due.index);
  Source& source = sources_[due.owner];
  if (!source.open) return std::nullopt;  // Other clients have used up the source's tasks.
  const std::uint32_t task = AddTask(due.owner, due.index);
  if (due.kind == DueKind::kArrival) {
    ScheduleNext(due.owner);
  } else if (source.spec->tasks && source.tasks >= *source.spec->tasks) {
    Close(source);
  }
  return Attempt(task);
}

std::uint32_t Clients::AddTask(std::uint32_t index, std::uint32_t client) {
  Source& source = sources_[index];
  const std::uint32_t number = tasks_.Add();
  Task& task = tasks_[number];
  ++source.tasks;
  // A closed client's tasks are its own, whatever the others do.
  const auto* closed = std::get_if<ClosedClients>(&source.arrivals);
  task.entity = closed == nullptr
                    ? EntityWithin(source.entity, static_cast<std::uint64_t>(source.tasks))
                    : EntityWithin(EntityWithin(source.entity, client), closed->pauses[client]);
  WriteId(task, source.letter, source.tasks);
  task.spec = source.spec;
  task.source = index;
  task.client = client;
  task.arrived = queue_.now();
  task.measured = Elapsed(start_, task.arrived) >= scenario_.warmup;
  if (std::holds_alternative<TraceReader>(source.arrivals)) {
    task.planned = Plan(source.spec->task, source.row);
  }
  ++unresolved_;
  metrics_.OnArrived(task);
  return number;
}

std::int64_t Clients::skipped_rows() const {
  std::int64_t rows = 0;
  for (const Source& source : sources_) {
    if (const auto* trace = std::get_if<TraceReader>(&source.arrivals))
      rows += trace->skipped_rows();
  }
  return rows;
}

// ---- Requests ----

std::optional<std::uint32_t> Clients::Attempt(std::uint32_t index) {
  Task& task = tasks_[index];
  ++task.attempts;
  const std::optional<std::uint32_t> worker = coordinator_.Choose(task.entity, task.attempts);
  if (!worker) {
    Refused(index, ErrorCode::kUnavailable);
    return std::nullopt;
  }
  task.worker = *worker;
  if (const auto code = Ask(index, *fleet_[*worker])) {
    Refused(index, *code);
  } else {
    metrics_.OnAdmitted(task, queue_.now());
  }
  return worker;
}

std::optional<ErrorCode> Clients::Ask(std::uint32_t index, Worker& worker) {
  const Instant now = queue_.now();
  Task& task = tasks_[index];
  const ClientSpec& client = task.spec->client;
  SlotName slot;
  if (client.reserve) {
    const auto reserved = worker.driver.Apply(engine::RequestTaskSlot{task.id(), {}}, now);
    if (!reserved.ok()) return reserved.error().code;
    slot = SlotName(*reserved.value().slot);
  }
  if (client.watch) {
    const std::string_view id = task.id();
    const auto watch = worker.driver.Apply(engine::OpenWatch{WatchOf(index), {&id, 1}}, now);
    if (!watch.ok()) return watch.error().code;
    task.watch_is_open = true;
  }
  worker.world.ExpectSubmission(index);
  const auto accepted = worker.driver.Apply(SubmissionOf(task, slot.view()), now);
  if (accepted.ok()) return std::nullopt;
  if (task.watch_is_open) {
    worker.driver.Apply(engine::CloseWatch{WatchOf(index)}, now);
    task.watch_is_open = false;
  }
  return accepted.error().code;
}

void Clients::Refused(std::uint32_t index, ErrorCode code) {
  const Task& task = tasks_[index];
  const ClientRetrySpec& retry = task.spec->client.retry;
  if (task.attempts >= retry.max_attempts) {
    metrics_.OnRefused(task, code, queue_.now());
    return Resolve(index);
  }
  metrics_.OnBackoff(task, queue_.now());
  const Duration wait =
      DrawDuration(retry.backoff, {scenario_.seed, task.entity, Choice::kRetryBackoff,
                                   static_cast<std::uint64_t>(task.attempts)});
  queue_.Push(AddSaturating(queue_.now(), wait), Rank::kClient, DueKind::kRetry, task.source, index,
              0);
}

// ---- Ends ----

void Clients::OnTaskEnded(std::uint32_t index, const engine::TaskResult& result) {
  metrics_.OnEnded(tasks_[index], result);
  if (!tasks_[index].watch_is_open) Resolve(index);
}

void Clients::OnWatchEnded(std::uint32_t index) {
  tasks_[index].watch_is_open = false;
  if (tasks_[index].converged) Resolve(index);
}

void Clients::Resolve(std::uint32_t index) {
  Task& task = tasks_[index];
  task.resolved = true;
  --unresolved_;
  if (std::holds_alternative<ClosedClients>(sources_[task.source].arrivals)) {
    Think(task.source, task.client);
  }
  tasks_.RemoveIfDone(index);
}

}  // namespace blockx::sim
