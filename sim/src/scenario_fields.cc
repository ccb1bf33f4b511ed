#include "scenario_fields.h"

#include <string>
#include <utility>

namespace blockx::sim {
namespace {

constexpr Presence kRequired = Presence::kRequired;
constexpr Presence kOptional = Presence::kOptional;
constexpr FormUnit kTime = FormUnit::kDuration;

void CoordinatorFields(FieldVisitor& visitor, CoordinatorSpec& coordinator) {
  auto policy = static_cast<std::size_t>(coordinator.policy);
  visitor.Choice({"policy", "How a Worker is picked, by what its last heartbeat said."},
                 {"least-loaded", "round-robin", "random", "power-of-two"}, policy);
  coordinator.policy = static_cast<CoordinatorPolicy>(policy);
}

void ExecutorsFields(FieldVisitor& visitor, ExecutorsSpec& executors) {
  visitor.Quantity({"startDelay", "From spawn to connection."}, executors.start_delay, kTime);
  visitor.Share({"startFailure", "Probability that a spawn fails."}, executors.start_failure);
  visitor.Quantity({"cancelLatency", "From a cancelled call to the report of its end."},
                   executors.cancel_latency, kTime);
  visitor.Quantity({"exitLatency", "From a kill to the exit."}, executors.exit_latency, kTime);
}

void ClientFields(FieldVisitor& visitor, ClientSpec& client) {
  visitor.Boolean({"reserve", "true: reserve a slot, then submit. false: submit at once."},
                  client.reserve);
  visitor.Object({"retry", "What the client does when it is refused."}, [&](FieldVisitor& v) {
    v.Count({"maxAttempts", "Attempts in all; 1: a refusal is final."}, client.retry.max_attempts,
            {1, 1'000'000});
    v.Quantity({"backoff", "Wait before each further attempt."}, client.retry.backoff, kTime);
  });
  visitor.Boolean({"watch", "Whether the client watches its task to the end."}, client.watch);
}

void SourceFields(FieldVisitor& visitor, WorkloadSource& source) {
  visitor.Text({"name", "Unique; stands in reports.", kRequired}, source.name);
  visitor.Object({"arrivals", "When tasks come.", kRequired},
                 [&](FieldVisitor& v) { ArrivalFields(v, source.arrivals); });
  if (visitor.Wants("tasks")) {
    visitor.Count({"tasks", "The source ends after so many tasks.", kOptional},
                  source.tasks.emplace(), {1, INT64_MAX});
  }
  if (visitor.Wants("duration")) {
    visitor.Duration({"duration", "The source ends at this time.", kOptional},
                     source.duration.emplace());
  }
  visitor.Object({"task", "What each task does.", kRequired},
                 [&](FieldVisitor& v) { TaskFields(v, source.task); });
  visitor.Object({"client", "How the tasks are brought to a Worker."},
                 [&](FieldVisitor& v) { ClientFields(v, source.client); });
}

}  // namespace

void ScenarioFields(FieldVisitor& visitor, Scenario& scenario) {
  std::string schema;  // Of use to editors alone.
  visitor.Text({"$schema", "Where editors find the schema of this format.", kOptional}, schema);
  visitor.Text({"description", "One line on what the scenario is about."}, scenario.description);
  visitor.Unsigned({"seed", "Same scenario, same seed: same run."}, scenario.seed);
  visitor.Object({"fleet", "The Workers."}, [&](FieldVisitor& v) {
    v.Count({"workers", "How many."}, scenario.fleet.workers, {1, 10'000});
  });
  visitor.Object({"coordinator", "Who picks a Worker for each task."},
                 [&](FieldVisitor& v) { CoordinatorFields(v, scenario.coordinator); });
  ConfigFields(visitor, scenario.config);
  visitor.Object({"executors", "How executors behave beside the calls they run."},
                 [&](FieldVisitor& v) { ExecutorsFields(v, scenario.executors); });
  visitor.List(
      {"workload", "The sources of tasks.", kRequired}, 1,
      [&](std::size_t size) { scenario.workload.resize(size); },
      [&](FieldVisitor& v, std::size_t i) { SourceFields(v, scenario.workload[i]); });
  visitor.Duration({"warmup", "Tasks that arrive before this time are not measured."},
                   scenario.warmup);
  if (visitor.Wants("until")) {
    visitor.Duration({"until", "The run ends here; absent: when every task has ended.", kOptional},
                     scenario.until.emplace());
  }
  visitor.TextList({"slo", "Objectives, such as \"p99(total) <= 2s\" or \"refused <= 1%\"."},
                   [&](std::string_view text) {
                     auto slo = ParseSlo(text);
                     if (auto* problem = std::get_if<std::string>(&slo)) return *problem;
                     scenario.slo.push_back(std::get<Slo>(std::move(slo)));
                     return std::string();
                   });
}

}  // namespace blockx::sim
