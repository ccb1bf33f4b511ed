// What one simulation is about: the fleet, its configuration, the load, and the objectives to judge
// it by.
//
// Plain data with defaults and no JSON in it; scenario_reader.h fills it from a file. A Scenario
// that ParseScenario or LoadScenario returned is complete and consistent: names are unique, every
// distribution is valid, every linear form is bound to its trace, the configuration passed its own
// validation. docs/scenarios.md describes the file format.
//
// Units: times are engine::Duration (microseconds); distributions of times give microseconds,
// distributions of counts give plain numbers; probabilities are in [0, 1].
#ifndef BLOCKX_SIM_SCENARIO_H_
#define BLOCKX_SIM_SCENARIO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "blockx/engine/config.h"
#include "blockx/engine/events.h"
#include "blockx/engine/time.h"
#include "blockx/sim/arrivals.h"
#include "blockx/sim/distribution.h"
#include "blockx/sim/linear_form.h"
#include "blockx/sim/slo.h"
#include "blockx/sim/trace.h"

namespace blockx::sim {

// A duration (in microseconds) or a count that differs from task to task: drawn, or computed from
// the columns of the trace row that the task came from.
using Amount = std::variant<Distribution, LinearForm>;

// A fixed set of clients that each think, then submit one task and wait for its end (or its final
// refusal), over and over: the first task comes after a think time, too.
struct ClosedArrivals {
  std::int64_t clients = 1;
  Distribution think_time;
};

// Rates, clients, or the rows of a file in its order (their columns feed the linear forms of the
// task).
using ArrivalSource = std::variant<ArrivalPattern, ClosedArrivals, TraceSpec>;

// A builder that streams: the call list leaves it in batches while earlier calls run.
struct StreamSpec {
  std::int64_t batch_size = 1;  // Calls in a batch, at least 1.
  Distribution batch_gap;       // Time before each batch.
};

struct BuilderSpec {
  Amount duration;              // Until the call list, or (streaming) until the stream marker.
  double failure = 0;           // Probability that the builder fails instead of giving its calls.
  Distribution cancel_latency;  // From the task's end to the report of a builder that still ran.
  std::optional<StreamSpec> stream;  // Absent: the whole list at once.
};

struct SubcallSpec {
  Amount count;  // Subcalls asked for by each root call, one after the other.
  Amount duration;
};

struct CallsSpec {
  Amount count = Distribution(Constant{1});  // Calls of a task, rounded to the nearest integer.
  Amount duration;                           // Of one attempt.
  double failure = 0;                        // Probability that an attempt fails.
  double retryable = 1;                      // Probability that a failed attempt may be retried.
  std::optional<SubcallSpec> subcalls;
};

struct WriterSpec {
  Amount duration;
  double failure = 0;
  Distribution cancel_latency;
};

struct TaskSpec {
  Distribution activation;  // From PrepareActivation to ActivationPrepared.
  double activation_failure = 0;
  BuilderSpec builder;
  CallsSpec calls;
  std::optional<WriterSpec> writer;  // Absent: the tasks have no result handler.
  engine::Duration timeout{};        // Whole milliseconds; 0: the Worker's taskDeadlineMs.
  engine::CallFailurePolicy failure_policy = engine::CallFailurePolicy::kFailTask;
  std::optional<engine::RetryPolicy> retry;  // Of the calls; absent: the Worker's default policy.
};

struct ClientRetrySpec {
  std::int64_t max_attempts = 1;  // Attempts in all to get a task accepted; 1: a refusal is final.
  Distribution backoff;           // Wait before each further attempt.
};

struct ClientSpec {
  bool reserve = true;  // RequestTaskSlot, then SubmitTask with that slot; false: SubmitTask alone.
  ClientRetrySpec retry;
  bool watch = false;  // Opens a watch on the task before submitting it, and closes it at the end.
};

// One stream of tasks of a kind. It stops at whichever limit comes first.
struct WorkloadSource {
  std::string name;  // Unique in the scenario; the entity of the source's random choices.
  ArrivalSource arrivals;
  std::optional<std::int64_t> tasks;         // At most so many tasks.
  std::optional<engine::Duration> duration;  // No arrival at or after this time since the start.
  TaskSpec task;
  ClientSpec client;
};

enum class CoordinatorPolicy { kLeastLoaded, kRoundRobin, kRandom, kPowerOfTwo };

struct FleetSpec {
  std::int64_t workers = 1;
};

struct CoordinatorSpec {
  CoordinatorPolicy policy = CoordinatorPolicy::kLeastLoaded;
};

// How the fake executors behave, beside the durations of the calls.
struct ExecutorsSpec {
  Distribution start_delay;     // From SpawnExecutor to ExecutorConnected.
  double start_failure = 0;     // Probability that a spawn ends in ExecutorExited instead.
  Distribution cancel_latency;  // From CancelCall to the report of the attempt's end.
  Distribution exit_latency;    // From KillExecutor to ExecutorExited.
};

struct Scenario {
  std::string description;
  std::uint64_t seed = 1;

  engine::Config config;  // Of every Worker of the fleet.
  FleetSpec fleet;
  CoordinatorSpec coordinator;
  ExecutorsSpec executors;

  std::vector<WorkloadSource> workload;  // At least one.

  engine::Duration warmup{};              // Tasks that arrive before this time are not measured.
  std::optional<engine::Duration> until;  // The run ends here; absent: when every task has ended.

  std::vector<Slo> slo;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SCENARIO_H_
