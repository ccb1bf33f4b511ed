#include "page_data.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "columns.h"

namespace blockx::tools {
namespace {

using engine::Instant;
using engine::kNever;
using Cell = Columns::Cell;

// What is drawn needs no more points than this; above it, the highest of neighbours stands for
// them.
constexpr std::size_t kMostPoints = 200'000;

std::vector<LevelPoint> Thinned(const std::vector<LevelPoint>& points) {
  if (points.size() <= kMostPoints) return points;
  const std::size_t together = 2 * (points.size() / kMostPoints + 1);
  std::vector<LevelPoint> thinned;
  for (std::size_t i = 0; i < points.size(); i += together) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end =
        points.begin() + static_cast<std::ptrdiff_t>(std::min(i + together, points.size()));
    const auto highest = std::max_element(
        begin, end, [](const LevelPoint& a, const LevelPoint& b) { return a.level < b.level; });
    thinned.push_back({begin->at, highest->level});
    if (end - begin > 1) thinned.push_back(*(end - 1));
  }
  return thinned;
}

class PageData {
 public:
  PageData(const Timeline& timeline, Output& out) : timeline_(timeline), out_(out) {}

  void Write() {
    WriteHead();
    WriteTable("runs", Runs());
    WriteTable("calls", Calls());
    WriteTable("attempts", Attempts());
    WriteTable("leases", Leases());
    WriteTable("refusals", Refusals());
    WriteTable("holders", Holders());
    WriteTable("lives", Lives());
    WriteTable("marks", Marks());
    WriteTable("gaps", Gaps());
    WriteGauges();
    out_.Write(",\"texts\":");
    texts_.Write(out_);
    out_.Write("}");
  }

 private:
  // A time by its distance from another one.
  static Cell Since(Instant base, Instant at) {
    if (at == kNever) return std::nullopt;
    return engine::Elapsed(base, at).count();
  }

  void WriteHead() {
    out_.Write("{\"worker\":" + JsonString(timeline_.worker));
    out_.Write(std::string(",\"simulated\":") + (timeline_.simulated ? "true" : "false"));
    out_.Write(std::string(",\"oneTask\":") + (timeline_.one_task ? "true" : "false"));
    out_.Write(",\"zeroUs\":" + std::to_string(engine::ToMicroseconds(timeline_.zero)));
    out_.Write(",\"first\":" + std::to_string(timeline_.SinceZero(timeline_.first)));
    out_.Write(",\"last\":" + std::to_string(timeline_.SinceZero(timeline_.last.at)));
    out_.Write(",\"steps\":[");
    for (const std::string_view words : kStepWords) {
      out_.Write((words == kStepWords.front() ? "" : ",") + JsonString(words));
    }
    out_.Write("]");
  }

  void WriteTable(std::string_view name, const Columns& table) {
    out_.Write(",\"" + std::string(name) + "\":");
    table.Write(out_);
  }

  Columns Runs() {
    Columns table;
    for (const TimelineRun& run : timeline_.runs) {
      const engine::TaskResult& result = run.result;
      const Instant begin = run.begin.at;
      table.Add("task", texts_.NumberOf(run.task->id));
      table.Add("run", run.run->run.value());
      table.Add("slot", run.slot ? Cell(run.slot->value()) : std::nullopt);
      table.Add("lane", static_cast<std::int64_t>(run.lane));
      table.Add("state", texts_.NumberOf(NameOf(run.state)));
      table.Add("code", texts_.NumberOf(result.failure_code));
      table.Add("message", texts_.NumberOf(result.message));
      table.Add("retryable", result.retryable ? 1 : 0);
      table.Add("calls", result.calls.total);
      table.Add("failed", result.calls.failed);
      table.Add("retried", result.calls.retried);
      table.AddRising("begin", timeline_.SinceZero(begin));
      table.Add("length", Since(begin, run.end.at));
      AddSteps(run, table);
      table.EndRow();
    }
    return table;
  }

  // "step0" and so on: when each began, since the run's beginning.
  static void AddSteps(const TimelineRun& run, Columns& table) {
    static constexpr std::array<std::string_view, kStepWords.size()> kColumns = {
        "step0", "step1", "step2", "step3", "step4", "step5", "step6", "step7"};
    std::array<Cell, kStepWords.size()> begins{};
    for (const StepSpan& span : StepsOf(run)) {
      begins[static_cast<std::size_t>(span.step)] = Since(run.begin.at, span.begin);
    }
    for (std::size_t i = 0; i < begins.size(); ++i) table.Add(kColumns[i], begins[i]);
  }

  // In the order of runs, and of the calls of each.
  Columns Calls() {
    Columns table;
    std::int64_t number = 0;
    for (std::size_t r = 0; r < timeline_.runs.size(); ++r) {
      const TimelineRun& run = timeline_.runs[r];
      first_call_.push_back(number);
      for (const replay::CallHistory& call : run.run->calls) {
        table.AddRising("run", static_cast<std::int64_t>(r));
        table.AddRising("id", call.id.value());
        table.Add("function", texts_.NumberOf(call.function));
        table.Add("parent", call.is_root() ? Cell() : first_call_.back() + call.parent);
        table.Add("requested", Since(run.begin.at, call.requested.at));
        table.EndRow();
        ++number;
      }
    }
    return table;
  }

  Columns Attempts() {
    Columns table;
    for (const TimelineAttempt& line : timeline_.attempts) {
      const replay::AttemptHistory& attempt = AttemptOf(timeline_, line);
      table.Add("call", first_call_[line.run] + static_cast<std::int64_t>(line.call));
      table.Add("number", attempt.number.value());
      table.Add("executor", attempt.executor.value());
      table.Add("generation", attempt.generation.value());
      table.Add("lane", static_cast<std::int64_t>(line.lane));
      table.AddRising("begin", timeline_.SinceZero(line.begin.at));
      table.Add("length", Since(line.begin.at, line.end.at));
      table.Add("cancelled", Since(line.begin.at, attempt.cancelled.at));
      table.Add("outcome", texts_.NumberOf(OutcomeOf(timeline_, line)));
      table.Add("code", texts_.NumberOf(attempt.failure.code));
      table.Add("message", texts_.NumberOf(attempt.failure.message));
      table.EndRow();
    }
    return table;
  }

  Columns Leases() {
    Columns table;
    for (const TimelineLease& lease : timeline_.leases) {
      table.Add("task", texts_.NumberOf(lease.task_id));
      table.Add("slot", lease.slot.value());
      table.Add("lane", static_cast<std::int64_t>(lease.lane));
      table.AddRising("begin", timeline_.SinceZero(lease.begin.at));
      table.Add("length", Since(lease.begin.at, lease.end.at));
      table.Add("expired", lease.expired ? 1 : 0);
      table.EndRow();
    }
    return table;
  }

  Columns Refusals() {
    Columns table;
    for (const TimelineRefusal& refusal : timeline_.refusals) {
      table.Add("task", texts_.NumberOf(refusal.task->id));
      table.AddRising("at", timeline_.SinceZero(refusal.request->at.at));
      table.Add("request", texts_.NumberOf(NameOf(refusal.request->kind)));
      table.Add("code", texts_.NumberOf(NameOf(*refusal.request->refused)));
      table.Add("message", texts_.NumberOf(refusal.request->refusal));
      table.Add("held", static_cast<std::int64_t>(refusal.holder_count));
      table.Add("holders", static_cast<std::int64_t>(refusal.holders.size()));
      table.EndRow();
    }
    return table;
  }

  // Those of all refusals, one after the other.
  Columns Holders() {
    Columns table;
    for (const TimelineRefusal& refusal : timeline_.refusals) {
      for (const SlotHolder& holder : refusal.holders) {
        table.Add("task", texts_.NumberOf(holder.task_id));
        table.EndRow();
      }
    }
    return table;
  }

  Columns Lives() {
    Columns table;
    for (const TimelineLife& life : timeline_.lives) {
      const replay::ExecutorHistory& executor = *life.executor;
      const Instant begin = life.begin.at;
      table.Add("executor", executor.executor.value());
      table.Add("generation", executor.generation.value());
      table.Add("pid", executor.connected.happened() ? Cell(executor.pid) : std::nullopt);
      table.AddRising("begin", timeline_.SinceZero(begin));
      table.Add("length", Since(begin, life.end.at));
      table.Add("spawned", Since(begin, executor.spawned.at));
      table.Add("connected", Since(begin, executor.connected.at));
      table.Add("killed", Since(begin, executor.killed.at));
      table.Add("killReason",
                texts_.NumberOf(executor.kill_reason ? NameOf(*executor.kill_reason) : ""));
      table.Add("exited", Since(begin, executor.exited.at));
      table.Add("exitReason", texts_.NumberOf(executor.exit_reason));
      table.EndRow();
    }
    return table;
  }

  // What happened to the Worker as a whole.
  Columns Marks() {
    Columns table;
    const auto mark = [&](const replay::Moment& moment, std::string_view text) {
      if (moment.at < timeline_.first || moment.at > timeline_.last.at) return;
      table.Add("at", timeline_.SinceZero(moment.at));
      table.Add("text", texts_.NumberOf(text));
      table.EndRow();
    };
    mark(timeline_.history->started(), "start");
    mark(timeline_.history->drain_begun(), "drain begins");
    mark(timeline_.history->force_stopped(), "stopped by force");
    return table;
  }

  Columns Gaps() {
    Columns table;
    for (const LostRecords& gap : timeline_.gaps) {
      table.AddRising("begin", timeline_.SinceZero(gap.before.at));
      table.Add("length", Since(gap.before.at, gap.behind.at));
      table.EndRow();
    }
    return table;
  }

  void WriteGauges() {
    out_.Write(",\"gauges\":[");
    for (std::size_t i = 0; i < kGaugeNames.size(); ++i) {
      const GaugeName& name = kGaugeNames[i];
      Columns table;
      for (const LevelPoint& point : Thinned(timeline_.gauges[i].points)) {
        table.AddRising("at", timeline_.SinceZero(point.at));
        table.Add("level", point.level);
        table.EndRow();
      }
      out_.Write((i == 0 ? "{\"key\":" : ",{\"key\":") + JsonString(name.key));
      out_.Write(",\"words\":" + JsonString(name.words));
      out_.Write(std::string(",\"waits\":") + (name.waits ? "true" : "false"));
      out_.Write(",\"capacity\":" + std::to_string(timeline_.gauges[i].capacity));
      out_.Write(",\"points\":");
      table.Write(out_);
      out_.Write("}");
    }
    out_.Write("]");
  }

  const Timeline& timeline_;
  Output& out_;
  Texts texts_;
  std::vector<std::int64_t> first_call_;  // By run: the row of its first call.
};

}  // namespace

void WritePageData(const Timeline& timeline, Output& out) { PageData(timeline, out).Write(); }

}  // namespace blockx::tools
