#include "common.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <span>
#include <variant>

#include "blockx/proto/event_log.pb.h"
#include "blockx/replay/brief.h"
#include "blockx/sim/suggest.h"
#include "blockx/sim/units.h"

namespace blockx::tools {
namespace {

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string DidYouMean(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view nearest = sim::Nearest(name, known);
  return nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?";
}

// "2026-12-05T15:00:00.25Z"
std::optional<engine::Instant> ParseDate(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  unsigned hour = 0;
  unsigned minute = 0;
  double second = 0;
  char z = 0;
  char more = 0;
  const int fields = std::sscanf(text.c_str(), "%4d-%2u-%2uT%2u:%2u:%lf%c%c", &year, &month, &day,
                                 &hour, &minute, &second, &z, &more);
  const bool has_second = second >= 0 && second < 61;  // And is a number at all.
  if (fields != 7 || z != 'Z' || hour > 23 || minute > 59 || !has_second) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  const std::chrono::sys_days days(date);
  const auto of_day = std::chrono::hours(hour) + std::chrono::minutes(minute);
  return engine::AtMicroseconds(std::chrono::microseconds(days.time_since_epoch()).count() +
                                std::chrono::microseconds(of_day).count() +
                                static_cast<std::int64_t>(second * 1e6 + 0.5));
}

std::optional<engine::Instant> ParseInstant(std::string_view text, replay::LogReader& log) {
  if (text.starts_with('+')) {
    const auto since = sim::ParseDuration(text.substr(1));
    if (!since) return std::nullopt;
    return engine::AddSaturating(StartOf(log), *since);
  }
  if (text.ends_with("us")) {
    const auto us = ParseInteger(text.substr(0, text.size() - 2));
    if (us) return engine::AtMicroseconds(*us);
  }
  return ParseDate(std::string(text));
}

}  // namespace

void Complain(std::string_view text) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

int ExitCodeOf(const absl::Status& status) {
  if (absl::IsResourceExhausted(status) || absl::IsUnavailable(status)) return kFailed;
  return absl::IsDataLoss(status) ? kDamaged : kBadUse;
}

int ComplainOf(const absl::Status& status) {
  Complain(std::string(status.message()));
  return ExitCodeOf(status);
}

void PrintDamage(const replay::LogReader& log, std::FILE* out) {
  for (const replay::Damage& damage : log.damage()) {
    std::fprintf(out, "  %s, byte %llu: %s\n", damage.file.c_str(),
                 static_cast<unsigned long long>(damage.offset), damage.what.c_str());
  }
  for (const replay::SegmentInfo& segment : log.segments()) {
    if (segment.ended) continue;
    std::fprintf(out,
                 "  %s: was not ended: records may be missing behind its last one, or are still "
                 "being written\n",
                 segment.file.c_str());
  }
}

void AddDamage(const replay::LogReader& log, nlohmann::ordered_json& out) {
  out["damage"] = nlohmann::ordered_json::array();
  for (const replay::Damage& damage : log.damage()) {
    out["damage"].push_back(
        {{"file", damage.file}, {"offset", damage.offset}, {"what", damage.what}});
  }
  out["notEnded"] = nlohmann::ordered_json::array();
  for (const replay::SegmentInfo& segment : log.segments()) {
    if (!segment.ended) out["notEnded"].push_back(segment.file);
  }
}

void PrintJson(const nlohmann::ordered_json& json) {
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  std::printf("%s\n", json.dump(2, ' ', false, replace).c_str());
}

engine::Instant StartOf(replay::LogReader& log) {
  if (log.header().world() == log::v1::World::SIMULATION) return engine::AtMicroseconds(0);
  for (const replay::SegmentInfo& segment : log.segments()) {
    for (const replay::BlockPlace& block : segment.blocks) {
      if (!block.is_snapshot) return block.now;
    }
  }
  return engine::AtMicroseconds(log.header().recorded_at_us());
}

std::optional<std::uint64_t> ParseMoment(std::string_view text, replay::LogReader& log,
                                         Bound bound) {
  if (const auto sequence = ParseInteger(text)) {
    const auto number = static_cast<std::uint64_t>(*sequence);
    if (*sequence >= 0 && number >= log.first_sequence() && number <= log.last_sequence()) {
      return bound == Bound::kFrom ? std::max(number, log.first_sequence() + 1) : number;
    }
    Complain(std::string(text) + ": no such record; the log has the moments " +
             std::to_string(log.first_sequence()) + " to " + std::to_string(log.last_sequence()));
    return std::nullopt;
  }
  if (const auto at = ParseInstant(text, log)) {
    if (bound == Bound::kFrom) return log.FindTime(*at);
    const std::uint64_t next = log.FindTime(engine::AddSaturating(*at, engine::Microseconds(1)));
    return std::max(next - 1, log.first_sequence());
  }
  Complain(std::string(text) +
           ": no moment; expected a record's number (1200), a time since the log's start (+1.5s), "
           "a date (2026-12-05T15:00:00Z) or microseconds (1700000000000000us)");
  return std::nullopt;
}

void AddSpanOptions(CLI::App& command, RecordFilter& filter) {
  command.add_option("--task", filter.task, "Only what concerns this task")->type_name("ID");
  command
      .add_option("--from", filter.from,
                  "Only from this moment on: a record's number, +1.5s since the start, or a date")
      ->type_name("MOMENT");
  command.add_option("--to", filter.to, "Only up to this moment, it included")->type_name("MOMENT");
}

void AddFilterOptions(CLI::App& command, RecordFilter& filter) {
  AddSpanOptions(command, filter);
  command
      .add_option("--kind", filter.kinds,
                  "Only events of this name, such as submitTask; repeatable")
      ->type_name("NAME")
      ->take_all()
      ->allow_extra_args(false)
      ->check([](const std::string& name) -> std::string {
        std::vector<std::string_view> names;
        for (std::size_t i = 0; i < std::variant_size_v<engine::Event>; ++i) {
          if (EventName(i) == name) return {};
          names.push_back(EventName(i));
        }
        return "no event is called " + name + DidYouMean(name, names);
      });
}

std::optional<engine::Config> ChangedConfig(const replay::LogReader& log,
                                            const std::vector<std::string>& changes) {
  absl::StatusOr<engine::Config> config = replay::ConfigOf(log.header());
  if (!config.ok()) {
    Complain(std::string(config.status().message()));
    return std::nullopt;
  }
  for (const std::string& change : changes) {
    const std::size_t equals = change.find('=');
    const std::string path = change.substr(0, equals);
    const auto fields = engine::ConfigFields();
    const auto field =
        std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.path == path; });
    if (field == fields.end() || equals == std::string::npos) {
      std::vector<std::string_view> known;
      for (const auto& f : fields) known.push_back(f.path);
      Complain("--set " + change + ": expected PATH=VALUE with a field of the configuration" +
               DidYouMean(path, known));
      return std::nullopt;
    }
    const std::string value = change.substr(equals + 1);
    std::optional<std::int64_t> number = ParseInteger(value);
    if (field->unit == engine::ConfigUnit::kBoolean && (value == "true" || value == "false")) {
      number = value == "true" ? 1 : 0;
    }
    if (!number) {
      Complain("--set " + change + ": expected a whole number" +
               (field->unit == engine::ConfigUnit::kMilliseconds ? " of milliseconds" : ""));
      return std::nullopt;
    }
    engine::SetField(*config, *field, *number);
  }
  if (const auto problem = engine::Validate(*config)) {
    Complain("--set: " + problem->path + ": " + problem->message);
    return std::nullopt;
  }
  return *config;
}

ReplayProgress::ReplayProgress(std::uint64_t first, std::uint64_t last)
    : first_(first), last_(last), began_(isatty(STDERR_FILENO) == 1 ? Seconds() : 0) {}

ReplayProgress::~ReplayProgress() {
  if (shown_ > 0) std::fprintf(stderr, "\r\033[K");
}

void ReplayProgress::Show(std::uint64_t sequence) {
  if (began_ == 0) return;
  const double now = Seconds();
  if (now - std::max(began_, shown_) < 1) return;
  shown_ = now;
  const auto done = static_cast<double>(sequence - first_);
  std::fprintf(stderr, "\r\033[Krecord %llu of %llu, %.1f million records per second",
               static_cast<unsigned long long>(sequence), static_cast<unsigned long long>(last_),
               done / 1e6 / (now - began_));
}

std::string_view EventName(std::size_t index) {
  return log::v1::Event::descriptor()->field(static_cast<int>(index))->json_name();
}

}  // namespace blockx::tools
