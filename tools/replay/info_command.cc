#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "blockx/engine/fingerprint.h"
#include "blockx/replay/brief.h"
#include "blockx/replay/log_reader.h"
#include "commands.h"
#include "common.h"

namespace blockx::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string log;
  bool json = false;
};

// What a log holds, counted by reading it through once.
struct Contents {
  std::uint64_t records = 0;
  std::vector<std::uint64_t> by_kind = std::vector<std::uint64_t>(std::variant_size_v<engine::Event>);
  std::uint64_t task_ids = 0;
  engine::Instant first = engine::kNever;
  engine::Instant last = engine::kNever;
};

Contents Count(replay::LogReader& log) {
  Contents contents;
  std::vector<std::uint64_t> tasks;  // Fingerprints of their ids, each once or more.
  replay::Record record;
  ReplayProgress progress(log.first_sequence(), log.last_sequence());
  for (;;) {
    const auto found = log.Next(record);
    if (found == replay::LogReader::Found::kEnd) break;
    if (found != replay::LogReader::Found::kRecord) continue;
    ++contents.records;
    ++contents.by_kind[record.event.index()];
    if (contents.records == 1) contents.first = record.now;
    contents.last = record.now;
    const auto add = [&](std::string_view id) { tasks.push_back(engine::Fingerprint::Of(id)); };
    if (const auto* e = std::get_if<engine::SubmitTask>(&record.event)) add(e->task_id);
    if (const auto* e = std::get_if<engine::RequestTaskSlot>(&record.event)) add(e->task_id);
    progress.At(record.sequence);
  }
  std::sort(tasks.begin(), tasks.end());
  contents.task_ids = static_cast<std::uint64_t>(
      std::unique(tasks.begin(), tasks.end()) - tasks.begin());
  return contents;
}

std::int64_t SizeOf(const replay::LogReader& log) {
  std::int64_t size = 0;
  for (const replay::SegmentInfo& segment : log.segments()) {
    size += static_cast<std::int64_t>(segment.size);
  }
  return size;
}

Json ToJson(const replay::LogReader& log, const Contents& contents) {
  const log::v1::Header& header = log.header();
  Json out;
  out["format"] = header.format();
  out["engineVersion"] = header.engine_version();
  out["world"] = log::v1::World::Value_Name(header.world());
  out["worker"] = header.worker();
  out["host"] = header.host();
  out["recordedAtUs"] = header.recorded_at_us();
  out["payloads"] = log::v1::Payloads::Value_Name(header.payloads());
  out["outputs"] = header.outputs();
  out["records"] = contents.records;
  out["firstSequence"] = log.first_sequence() + 1;
  out["lastSequence"] = log.last_sequence();
  if (contents.records > 0) {
    out["firstUs"] = engine::ToMicroseconds(contents.first);
    out["lastUs"] = engine::ToMicroseconds(contents.last);
  }
  out["tasks"] = contents.task_ids;
  for (std::size_t i = 0; i < contents.by_kind.size(); ++i) {
    if (contents.by_kind[i] > 0) out["events"][std::string(EventName(i))] = contents.by_kind[i];
  }
  out["bytes"] = SizeOf(log);
  out["snapshots"] = log.snapshot_count();
  out["segments"] = Json::array();
  for (const replay::SegmentInfo& segment : log.segments()) {
    out["segments"].push_back(
        {{"file", segment.file}, {"bytes", segment.size}, {"ended", segment.ended}});
  }
  AddDamage(log, out);
  for (const log::v1::Setting& setting : header.config()) {
    out["config"][setting.path()] = setting.value();
  }
  return out;
}

// Fields of the configuration that are not as they come.
void PrintConfig(const log::v1::Header& header) {
  const engine::Config defaults;
  std::string text;
  for (const engine::ConfigField& field : engine::ConfigFields()) {
    for (const log::v1::Setting& setting : header.config()) {
      if (setting.path() != field.path || setting.value() == engine::GetField(defaults, field)) {
        continue;
      }
      text += "                " + setting.path() + " = " + std::to_string(setting.value()) + "\n";
    }
  }
  std::printf("configuration   %s\n%s", text.empty() ? "all defaults" : "all defaults, but for",
              text.c_str());
}

void Print(const replay::LogReader& log, const Contents& contents) {
  const log::v1::Header& header = log.header();
  std::printf("worker          %s (%s%s%s), engine %s, format %lld\n", header.worker().c_str(),
              header.world() == log::v1::World::SIMULATION ? "simulated" : "production",
              header.host().empty() ? "" : " on ", header.host().c_str(),
              header.engine_version().c_str(), static_cast<long long>(header.format()));
  if (contents.records > 0) {
    std::printf("span            %s to %s (%s)\n",
                replay::FormatInstant(contents.first, header.world()).c_str(),
                replay::FormatInstant(contents.last, header.world()).c_str(),
                replay::FormatSpan(engine::Elapsed(contents.first, contents.last)).c_str());
  }
  const std::int64_t size = SizeOf(log);
  std::printf("records         %llu, of sequence %llu to %llu; %lld bytes, %.1f a record\n",
              static_cast<unsigned long long>(contents.records),
              static_cast<unsigned long long>(log.first_sequence() + 1),
              static_cast<unsigned long long>(log.last_sequence()), static_cast<long long>(size),
              contents.records == 0
                  ? 0.0
                  : static_cast<double>(size) / static_cast<double>(contents.records));
  std::printf("tasks           %llu\n", static_cast<unsigned long long>(contents.task_ids));
  std::printf("payloads        %s%s\n",
              header.payloads() == log::v1::Payloads::FULL ? "full"
                                                           : "left out (size and fingerprint)",
              header.outputs() ? "; with replies and commands" : "");
  PrintConfig(header);
  std::printf("events\n");
  for (std::size_t i = 0; i < contents.by_kind.size(); ++i) {
    if (contents.by_kind[i] == 0) continue;
    std::printf("  %-20s %12llu\n", std::string(EventName(i)).c_str(),
                static_cast<unsigned long long>(contents.by_kind[i]));
  }
  std::printf("segments        %zu, with %zu snapshots\n", log.segments().size(),
              log.snapshot_count());
  for (const replay::SegmentInfo& segment : log.segments()) {
    std::printf("  %s  %llu bytes%s\n", segment.file.c_str(),
                static_cast<unsigned long long>(segment.size),
                segment.ended ? "" : ", not ended: torn, or still being written");
  }
  std::printf("damage          %s\n", log.whole() ? "none" : "");
  PrintDamage(log, stdout);
}

int Run(const Options& options) {
  auto log = replay::LogReader::Open(options.log);
  if (!log.ok()) return ComplainOf(log.status());
  const Contents contents = Count(**log);
  if (options.json) {
    PrintJson(ToJson(**log, contents));
  } else {
    Print(**log, contents);
  }
  return (*log)->whole() ? kSame : kDamaged;
}

}  // namespace

void AddInfoCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "info", "What is in a log: span, events, tasks, configuration, versions, damage");
  command.add_option("LOG", options->log, "The log")->required();
  command.add_flag("--json", options->json, "For programs");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
