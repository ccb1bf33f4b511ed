#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "export_forms.h"

namespace blockx::tools {
namespace {

constexpr std::string_view kColumns =
    "task_id,run,slot,state,request,failure_code,message,retryable,"
    "calls_total,calls_failed,calls_retried,"
    "requested_us,accepted_us,activated_us,builder_granted_us,built_us,scan_granted_us,"
    "executors_granted_us,first_dispatch_us,called_us,plugin_granted_us,ended_us,"
    "waiting_for_slot_us,activation_us,waiting_for_builder_permit_us,building_us,"
    "waiting_for_executors_us,calls_us,waiting_for_plugin_permit_us,writing_us,total_us\n";

// The fields of one row, one after the other. What does not apply is an empty field.
class Row {
 public:
  explicit Row(const Timeline& timeline) : timeline_(timeline) {}

  void Text(std::string_view text) {
    Begin();
    if (text.find_first_of("\",\r\n") == std::string_view::npos) {
      row_ += text;
      return;
    }
    row_ += '"';
    for (const char c : text) row_.append(c == '"' ? 2 : 1, c);
    row_ += '"';
  }
  void Number(std::int64_t number) { Text(std::to_string(number)); }
  void Time(engine::Instant at) {
    if (at == engine::kNever) {
      Nothing();
    } else {
      Number(timeline_.SinceZero(at));
    }
  }
  void Nothing(int fields = 1) {
    for (; fields > 0; --fields) Begin();
  }
  [[nodiscard]] std::string Line() && { return std::move(row_) + '\n'; }

 private:
  void Begin() {
    if (!std::exchange(first_, false)) row_ += ',';
  }

  const Timeline& timeline_;
  std::string row_;
  bool first_ = true;
};

void WriteDurations(const TimelineRun& run, Row& row) {
  std::array<engine::Duration, kStepWords.size()> durations{};
  std::array<bool, kStepWords.size()> known{};
  for (const StepSpan& span : StepsOf(run)) {
    if (span.end == engine::kNever) continue;
    const auto step = static_cast<std::size_t>(span.step);
    durations[step] = engine::Elapsed(span.begin, span.end);
    known[step] = true;
  }
  for (std::size_t i = 0; i < durations.size(); ++i) {
    if (known[i]) {
      row.Number(durations[i].count());
    } else {
      row.Nothing();
    }
  }
  const engine::Instant ended = run.result.times.ended;
  if (run.requested == engine::kNever || ended == engine::kNever) {
    row.Nothing();
  } else {
    row.Number(engine::Elapsed(run.requested, ended).count());
  }
}

void WriteRun(const Timeline& timeline, const TimelineRun& run, Output& out) {
  const engine::TaskResult& result = run.result;
  const engine::StepTimes& times = result.times;
  Row row(timeline);
  row.Text(Utf8(run.task->id));
  row.Number(run.run->run.value());
  if (run.slot) {
    row.Number(run.slot->value());
  } else {
    row.Nothing();
  }
  row.Text(NameOf(run.state));
  row.Nothing();
  row.Text(Utf8(result.failure_code));
  row.Text(Utf8(result.message));
  row.Text(run.state != RunState::kFailed ? "" : result.retryable ? "true" : "false");
  row.Number(result.calls.total);
  row.Number(result.calls.failed);
  row.Number(result.calls.retried);
  for (const engine::Instant at :
       {run.requested, times.accepted, times.activated, times.builder_granted, times.built,
        times.scan_granted, times.executors_granted, run.first_dispatch, times.called,
        times.plugin_granted, times.ended}) {
    row.Time(at);
  }
  WriteDurations(run, row);
  out.Write(std::move(row).Line());
}

void WriteRefusal(const Timeline& timeline, const TimelineRefusal& refusal, Output& out) {
  Row row(timeline);
  row.Text(Utf8(refusal.task->id));
  row.Nothing(2);
  row.Text("REFUSED");
  row.Text(NameOf(refusal.request->kind));
  row.Text(NameOf(*refusal.request->refused));
  row.Text(Utf8(refusal.request->refusal));
  row.Nothing(4);
  row.Time(refusal.request->at.at);
  row.Nothing(19);
  out.Write(std::move(row).Line());
}

}  // namespace

void WriteCsv(const Timeline& timeline, Output& out) {
  out.Write(kColumns);
  auto refusal = timeline.refusals.begin();
  const auto write_refusals_before = [&](engine::Instant at) {
    for (; refusal != timeline.refusals.end() && refusal->request->at.at < at; ++refusal) {
      WriteRefusal(timeline, *refusal, out);
    }
  };
  for (const TimelineRun& run : timeline.runs) {
    write_refusals_before(run.begin.at);
    WriteRun(timeline, run, out);
  }
  write_refusals_before(engine::Instant::max());
}

}  // namespace blockx::tools
