#include "blockx/sim/csv_writer.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace blockx::sim {
namespace {

using engine::Instant;

constexpr std::string_view kTaskColumns =
    "task,source,worker,attempts,measured,outcome,code,arrived_us,accepted_us,activated_us,"
    "builder_granted_us,built_us,scan_granted_us,executors_granted_us,first_dispatch_us,called_us,"
    "plugin_granted_us,ended_us,calls,calls_failed,calls_retried\n";

constexpr std::string_view kSeriesColumns =
    "second,arrived,admitted,refused,succeeded,failed,slots,executors,builder,scan,executor_tasks,"
    "plugin,slot_queue,builder_queue,scan_queue,executor_task_queue,call_queue,plugin_queue\n";

}  // namespace

std::variant<std::unique_ptr<CsvWriter>, std::string> CsvWriter::Open(
    const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return directory + ": cannot be made: " + error.message();
  std::unique_ptr<CsvWriter> writer(new CsvWriter(directory));
  if (!writer->tasks_ || !writer->series_) {
    return directory + ": tasks.csv and timeseries.csv cannot be written there";
  }
  return writer;
}

CsvWriter::CsvWriter(const std::string& directory)
    : directory_(directory),
      tasks_(directory + "/tasks.csv", std::ios::binary),
      series_(directory + "/timeseries.csv", std::ios::binary) {
  tasks_ << kTaskColumns;
  series_ << kSeriesColumns;
}

void CsvWriter::Field(std::string_view text) { row_.append(text).push_back(','); }

void CsvWriter::Field(std::int64_t number) {
  std::array<char, 24> text{};
  char* const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  Field(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

void CsvWriter::Field(Instant instant) {
  if (instant == engine::kNever) {
    row_.push_back(',');
  } else {
    Field(Elapsed(start_, instant).count());
  }
}

void CsvWriter::TaskRow(const Task& task, std::string_view outcome, std::string_view code,
                        const engine::StepTimes& times, const engine::CallCounts& calls) {
  row_.clear();
  Field(task.id());
  Field(task.spec->name);
  Field(task.worker);
  Field(task.attempts);
  Field(std::int64_t{task.measured});
  Field(outcome);
  Field(code);
  Field(task.arrived);
  Field(times.accepted);
  Field(times.activated);
  Field(times.builder_granted);
  Field(times.built);
  Field(times.scan_granted);
  Field(times.executors_granted);
  Field(task.first_dispatch);
  Field(times.called);
  Field(times.plugin_granted);
  Field(times.ended);
  Field(calls.total);
  Field(calls.failed);
  Field(calls.retried);
  row_.back() = '\n';
  tasks_ << row_;
}

void CsvWriter::OnEnded(const Task& task, const engine::TaskResult& result) {
  const bool succeeded = result.state == engine::TaskState::kSucceeded;
  TaskRow(task, succeeded ? "succeeded" : "failed", result.failure_code, result.times,
          result.calls);
}

void CsvWriter::OnRefused(const Task& task, std::string_view code, Instant now) {
  engine::StepTimes times;
  times.ended = now;
  TaskRow(task, "refused", code, times, {});
}

void CsvWriter::AdvanceTo(Instant next, const Metrics& metrics) {
  const std::int64_t second = Elapsed(start_, next) / std::chrono::seconds(1);
  if (second <= rows_until_) return;
  row_.clear();
  Field(rows_until_ + 1);
  rows_until_ = second;
  const TaskCounts& counts = metrics.counts();
  for (const std::int64_t count :
       {counts.arrived, counts.admitted, counts.refused, counts.succeeded, counts.failed}) {
    Field(count);
  }
  for (std::size_t i = 0; i < kGauges; ++i) Field(metrics.level(static_cast<Gauge>(i)).level());
  row_.back() = '\n';
  series_ << row_;
}

std::optional<std::string> CsvWriter::Close() {
  tasks_.close();
  series_.close();
  if (tasks_ && series_) return std::nullopt;
  return directory_ + ": writing tasks.csv and timeseries.csv failed; is the disk full?";
}

}  // namespace blockx::sim
