#include "script_of_log.h"

#include <map>
#include <utility>

namespace blockx::tools {
namespace {

using engine::Elapsed;
using engine::Instant;
using replay::ExecutorHistory;
using replay::Moment;
using OrderKind = sim::OrderScript::Kind;

sim::ProcessScript ProcessOf(const ExecutorHistory& executor, engine::Generation generation,
                             Instant start) {
  sim::ProcessScript script;
  script.executor = executor.executor;
  script.generation = generation;
  script.pid = executor.pid;
  // What was there before the log is there from its beginning on.
  const Instant spawned = executor.spawned.happened() ? executor.spawned.at : start;
  Instant connected = start;
  if (executor.connected.happened()) {
    connected = executor.connected.at;
    script.connects_after = Elapsed(spawned, connected);
    script.connect_order = executor.connected.sequence;
  } else if (!executor.spawned.happened()) {
    script.connects_after = engine::Duration::zero();
  }
  script.was_killed =
      executor.killed.happened() &&
      (!executor.exited.happened() || executor.killed.sequence < executor.exited.sequence);
  if (executor.exited.happened()) {
    script.exit_order = executor.exited.sequence;
    script.exit_reason = executor.exit_reason;
    if (script.was_killed) {
      script.killed_after = Elapsed(executor.killed.at, executor.exited.at);
    } else {
      script.exits_after = Elapsed(spawned, executor.exited.at);
    }
  }
  for (const ExecutorHistory::Heartbeat& heartbeat : executor.heartbeats) {
    if (heartbeat.at.at < connected) continue;
    script.heartbeats.push_back({Elapsed(connected, heartbeat.at.at),
                                 heartbeat.last_scheduler_active, heartbeat.at.sequence});
  }
  script.falls_silent = executor.kill_reason == engine::KillReason::kHeartbeatTimeout;
  return script;
}

void AddProcesses(const replay::History& history, sim::Script& script) {
  std::map<std::int64_t, std::int64_t> generations;
  for (const ExecutorHistory& executor : history.executors()) {
    const engine::Generation generation(++generations[executor.executor.value()]);
    script.processes.push_back(ProcessOf(executor, generation, script.start));
  }
}

void AddOrders(const replay::History& history, sim::Script& script) {
  const auto add = [&](OrderKind kind, const Moment& moment) {
    if (moment.happened()) script.orders.push_back({kind, moment.at, moment.sequence});
  };
  add(OrderKind::kStart, history.started());
  if (!history.started().happened()) script.orders.push_back({OrderKind::kStart, script.start, 0});
  for (const Moment& tick : history.ticks()) add(OrderKind::kTick, tick);
  add(OrderKind::kBeginDrain, history.drain_begun());
  add(OrderKind::kForceStop, history.force_stopped());
}

}  // namespace

sim::Script ScriptOf(const replay::History& history, const Errands& errands,
                     const engine::Config& config, bool simulated) {
  sim::Script script;
  script.start = history.first().at;
  script.end = history.last().at;
  script.ranked = simulated;
  script.heartbeat_interval = config.executor_heartbeat_interval;
  for (const Errand& errand : errands.all) {
    if (errand.run == nullptr) continue;
    sim::RunScript& run = script.runs.emplace_back(RunScriptOf(*errand.run, history.last()));
    for (const replay::RequestHistory* request : errand.requests) {
      if (request->at.sequence != errand.run->accepted.sequence) continue;
      run.submission = SubmissionOf(*request);
    }
  }
  AddErrands(errands, script.start, script);
  AddWatches(history, errands, script);
  AddProcesses(history, script);
  AddOrders(history, script);
  return script;
}

}  // namespace blockx::tools
