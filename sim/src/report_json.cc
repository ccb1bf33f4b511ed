#include <nlohmann/json.hpp>
#include <string>

#include "blockx/sim/report.h"
#include "blockx/sim/slo.h"
#include "report_names.h"

namespace blockx::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

double Seconds(engine::Duration duration) { return static_cast<double>(duration.count()) / 1e6; }

Json CountsJson(const std::map<std::string, std::int64_t, std::less<>>& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

Json TasksJson(const Report& report) {
  const TaskCounts& tasks = report.tasks;
  Json json;
  json["arrived"] = tasks.arrived;
  json["admitted"] = tasks.admitted;
  json["refused"] = tasks.refused;
  json["succeeded"] = tasks.succeeded;
  json["failed"] = tasks.failed;
  json["unfinished"] = report.unfinished;
  json["warmup"] = tasks.warmup;
  json["retriedRequests"] = tasks.retried_requests;
  json["refusedBy"] = CountsJson(tasks.refused_by);
  json["failedBy"] = CountsJson(tasks.failed_by);
  return json;
}

Json LatencyJson(const LatencySummary& latency) {
  Json json;
  json["mean"] = latency.mean / 1e3;
  json["p50"] = latency.p50 / 1e3;
  json["p90"] = latency.p90 / 1e3;
  json["p95"] = latency.p95 / 1e3;
  json["p99"] = latency.p99 / 1e3;
  json["p999"] = latency.p999 / 1e3;
  json["max"] = latency.max / 1e3;
  return json;
}

// Null when no task succeeded.
Json LatenciesJson(const Report& report) {
  if (!report.latency) return nullptr;
  Json json;
  for (std::size_t i = 0; i < kLatencySteps; ++i) {
    const std::string name(NameOf(static_cast<LatencyStep>(i)));
    json[name] = LatencyJson((*report.latency)[i]);
  }
  return json;
}

Json UtilisationJson(const Report& report) {
  Json json;
  for (const GaugeName& name : kInUse) {
    const LevelSummary& level = report.levels[static_cast<std::size_t>(name.gauge)];
    Json& entry = json[std::string(name.key)];
    entry["mean"] = level.mean;
    entry["max"] = level.max;
    entry["capacity"] = level.capacity;
    entry["share"] = level.mean / static_cast<double>(level.capacity);
  }
  return json;
}

Json QueuesJson(const Report& report) {
  Json json;
  for (const GaugeName& name : kWaiting) {
    const LevelSummary& level = report.levels[static_cast<std::size_t>(name.gauge)];
    Json& entry = json[std::string(name.key)];
    entry["mean"] = level.mean;
    entry["max"] = level.max;
  }
  return json;
}

Json SloJson(const Report& report) {
  Json json = Json::array();
  for (const SloVerdict& verdict : report.slo) {
    Json entry;
    entry["slo"] = verdict.slo.text;
    // Latencies in milliseconds, as everywhere in this document.
    const bool is_time = std::holds_alternative<LatencyMetric>(verdict.slo.metric);
    entry["measured"] =
        verdict.measured ? Json(*verdict.measured / (is_time ? 1e3 : 1.0)) : Json(nullptr);
    entry["met"] = verdict.met;
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string ReportJson(const Report& report) {
  Json json;
  json["schemaVersion"] = kSchemaVersion;
  json["description"] = report.description;
  json["seed"] = report.seed;
  json["digest"] = DigestText(report.digest);
  json["simulatedSeconds"] = Seconds(report.simulated);
  json["measuredSeconds"] = Seconds(report.measured);
  json["engineEvents"] = report.engine_events;
  json["tasks"] = TasksJson(report);
  json["latencyMs"] = LatenciesJson(report);
  json["utilisation"] = UtilisationJson(report);
  json["queues"] = QueuesJson(report);
  json["watchNotifications"] = report.watch_notifications;
  json["skippedTraceRows"] = report.skipped_trace_rows;
  json["slo"] = SloJson(report);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace blockx::sim
