#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "blockx/sim/report.h"
#include "blockx/sim/slo.h"
#include "blockx/sim/units.h"
#include "report_names.h"

namespace blockx::sim {
namespace {

// Columns as wide as their widest cell; the first to the left, the others to the right.
class Table {
 public:
  void Row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  [[nodiscard]] std::string Text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::size_t blanks = widths[i] - row[i].size();
        if (i == 0) {
          text.append(row[i]).append(row.size() > 1 ? blanks : 0, ' ');
        } else {
          text.append(2 + blanks, ' ').append(row[i]);
        }
      }
      text += '\n';
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string Fixed(double value, int digits) {
  std::array<char, 400> text{};  // The longest double has 309 digits before the point.
  char* const end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits)
          .ptr;
  return {text.data(), end};
}

std::string Share(double part, double whole) {
  return whole > 0 ? Fixed(100 * part / whole, 2) + " %" : "-";
}

std::string Time(double microseconds) { return FormatDuration(ToDuration(microseconds)); }

std::string Header(const Report& report) {
  std::string text;
  if (!report.description.empty()) text += report.description + "\n";
  text += "seed " + std::to_string(report.seed) + ", simulated " + FormatDuration(report.simulated);
  if (report.measured < report.simulated) text += ", measured " + FormatDuration(report.measured);
  return text + ", digest " + DigestText(report.digest) + "\n";
}

void CodeRows(Table& table, const std::map<std::string, std::int64_t, std::less<>>& counts,
              double arrived) {
  for (const auto& [code, count] : counts) {
    table.Row({"  " + code, std::to_string(count), Share(static_cast<double>(count), arrived)});
  }
}

std::string Tasks(const Report& report) {
  const TaskCounts& tasks = report.tasks;
  const auto arrived = static_cast<double>(tasks.arrived);
  Table table;
  const auto row = [&](const char* name, std::int64_t count) {
    table.Row({name, std::to_string(count), Share(static_cast<double>(count), arrived)});
  };
  table.Row({"tasks", "number", "share"});
  row("arrived", tasks.arrived);
  row("admitted", tasks.admitted);
  row("refused", tasks.refused);
  CodeRows(table, tasks.refused_by, arrived);
  row("succeeded", tasks.succeeded);
  row("failed", tasks.failed);
  CodeRows(table, tasks.failed_by, arrived);
  if (report.unfinished > 0) row("unfinished", report.unfinished);
  if (tasks.retried_requests > 0) {
    table.Row({"retried requests", std::to_string(tasks.retried_requests)});
  }
  if (tasks.warmup > 0) table.Row({"not counted: warm-up", std::to_string(tasks.warmup)});
  if (report.skipped_trace_rows > 0) {
    table.Row({"trace rows left out", std::to_string(report.skipped_trace_rows)});
  }
  return table.Text();
}

constexpr std::array<std::string_view, kLatencySteps> kStepWords = {
    "total",      "  waiting for a slot",    "  activation", "  waiting for builder permit",
    "  building", "  waiting for executors", "  calls",      "  waiting for plugin permit",
    "  writing"};

std::string Latencies(const Report& report) {
  if (!report.latency) return "no task succeeded, so there are no latencies\n";
  Table table;
  table.Row({"latency", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"});
  for (std::size_t i = 0; i < kLatencySteps; ++i) {
    const LatencySummary& l = (*report.latency)[i];
    table.Row({std::string(kStepWords[i]), Time(l.mean), Time(l.p50), Time(l.p90), Time(l.p95),
               Time(l.p99), Time(l.p999), Time(l.max)});
  }
  return table.Text();
}

std::string LevelTables(const Report& report) {
  Table table;
  table.Row({"in use", "mean", "max", "of", "share"});
  for (const GaugeName& name : kInUse) {
    const LevelSummary& level = report.levels[static_cast<std::size_t>(name.gauge)];
    table.Row({std::string(name.words), Fixed(level.mean, 2), std::to_string(level.max),
               std::to_string(level.capacity),
               Share(level.mean, static_cast<double>(level.capacity))});
  }
  table.Row({});
  table.Row({"waiting", "mean", "max"});
  for (const GaugeName& name : kWaiting) {
    const LevelSummary& level = report.levels[static_cast<std::size_t>(name.gauge)];
    table.Row({std::string(name.words), Fixed(level.mean, 2), std::to_string(level.max)});
  }
  return table.Text();
}

std::string Measured(const SloVerdict& verdict) {
  if (!verdict.measured) return "nothing measured";
  if (std::holds_alternative<LatencyMetric>(verdict.slo.metric)) return Time(*verdict.measured);
  const auto* outcome = std::get_if<OutcomeMetric>(&verdict.slo.metric);
  if (outcome != nullptr && !outcome->share) return Fixed(*verdict.measured, 0);
  return Share(*verdict.measured, 1);
}

std::string Objectives(const Report& report) {
  Table table;
  table.Row({"objective", "measured", "verdict"});
  for (const SloVerdict& verdict : report.slo) {
    table.Row({verdict.slo.text, Measured(verdict), verdict.met ? "met" : "MISSED"});
  }
  return table.Text();
}

}  // namespace

std::string DigestText(std::uint64_t digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[digest >> shift & 15];
  return text;
}

std::string ReportText(const Report& report) {
  std::string text = Header(report);
  text.append("\n").append(Tasks(report));
  text.append("\n").append(Latencies(report));
  text.append("\n").append(LevelTables(report));
  if (!report.slo.empty()) text.append("\n").append(Objectives(report));
  return text;
}

}  // namespace blockx::sim
