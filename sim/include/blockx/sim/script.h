// What surrounded one Worker: what its clients asked for and when, and how long everything took
// that the Worker waited for. Read off a recording, it can be played to another Worker, one with
// another configuration say; see script_play.h.
//
// Plain data. Durations are of work alone, never of the Worker's own waits: they run from the
// command that began something to its report. Everything is named by what it is and not by the
// identifiers that the recorded engine gave: the n-th call of the n-th submission of a task.
#ifndef BLOCKX_SIM_SCRIPT_H_
#define BLOCKX_SIM_SCRIPT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blockx/engine/events.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/payload.h"
#include "blockx/engine/time.h"

namespace blockx::sim {

// Where a report stood among all recorded events: of those due at one instant, the lower one comes
// first. kUnplaced: it was not recorded, and comes after those that were.
using ScriptOrder = std::uint64_t;
inline constexpr ScriptOrder kUnplaced = ~ScriptOrder{0};

struct ScriptFailure {
  std::string code;
  std::string message;
  bool retryable = false;
};

// How long something takes that can be called off.
struct ScriptSpan {
  // Left to itself. Nothing: not known, because it was called off or outlasted the recording; then
  // it is longer than `at_least`.
  std::optional<engine::Duration> takes;
  engine::Duration at_least{};
  // From its cancellation to its end. Nothing: it was never cancelled, or its end never came.
  std::optional<engine::Duration> stops_after;
  bool was_cancelled = false;
  ScriptOrder order = kUnplaced;  // Of its end.
};

// An activation, a builder, a stream of calls, or a writer.
enum class ScriptWork : std::uint8_t { kActivation, kBuilder, kStream, kWriter };
inline constexpr std::size_t kScriptWorks = static_cast<std::size_t>(ScriptWork::kWriter) + 1;

struct WorkScript {
  ScriptSpan span;  // kStream: from its last batch on.
  std::optional<ScriptFailure> failure;
  engine::CodeEpoch epoch{};  // kActivation
  std::string slot_id;        // kActivation; empty: that of the slot it has.
  bool streams = false;       // kBuilder
  engine::Payload output;     // kWriter
  struct Batch {
    engine::Duration gap{};  // kStream: since the batch before it, or the start.
    ScriptOrder order = kUnplaced;
    std::size_t calls = 0;  // The next so many of RunScript::roots.
  };
  std::vector<Batch> batches;  // kBuilder: one, unless it streams or failed.
};

struct AttemptScript {
  // A subcall that it asks for, or its end: so long after the dispatch, or after the delivery of
  // the `deliveries`-th answer to what it asked for before.
  struct Ask {
    std::size_t call = 0;  // In RunScript::calls.
    std::size_t deliveries = 0;
    engine::Duration gap{};
    ScriptOrder order = kUnplaced;
  };
  std::vector<Ask> asks;
  ScriptSpan span;  // Of what it does after the last answer.
  std::size_t deliveries = 0;
  engine::Duration work{};  // All of it, without its waits for answers. Meaningful with span.takes.
  engine::Payload output;
  std::optional<ScriptFailure> failure;
};

struct CallScript {
  std::string function;
  engine::Payload args;
  std::vector<AttemptScript> attempts;  // In the order of their numbers, from 1 on.
};

struct SubmissionScript {
  std::string function;
  engine::Payload function_payload;
  std::string result_handler;
  engine::Payload result_handler_payload;
  engine::Duration timeout{};
  engine::CallFailurePolicy failure_policy{};
  std::optional<engine::RetryPolicy> retry_policy;
};

// What was done for one accepted submission.
struct RunScript {
  SubmissionScript submission;
  engine::Duration reserved_before{};  // Its submission came so long after its slot was granted.
  bool ended = false;                  // It was seen to its end.
  std::array<std::optional<WorkScript>, kScriptWorks> works;
  std::vector<CallScript> calls;
  std::vector<std::size_t> roots;  // In `calls`, in call order.
};

// One thing that a client does.
struct ActionScript {
  enum class Kind : std::uint8_t { kReserve, kSubmit, kResult, kOpenWatch, kCloseWatch };
  // Not sooner than what it hangs on happened, and so long after it.
  enum class After : std::uint8_t { kStart, kGrant, kAcceptance };

  Kind kind = Kind::kReserve;
  std::size_t errand = 0;  // In Script::errands; watches: of the task that they hang on.
  After after = After::kStart;
  std::size_t grant = 0;     // kGrant: the how-many-th of its errand, from 0 on.
  engine::Duration delay{};  // kStart: since the script's start.
  ScriptOrder order = kUnplaced;

  // kReserve, kSubmit: as many grants and acceptances as its errand had had. A client that is
  // further than that does not try again.
  std::size_t grants_before = 0;
  bool accepted_before = false;

  engine::Duration ttl{};             // kReserve
  SubmissionScript submission;        // kSubmit
  std::string slot_id;                // kSubmit: as asked for.
  bool names_granted_slot = false;    // kSubmit: the slot of the latest grant, in place of that.
  std::optional<std::size_t> run;     // kSubmit: in Script::runs; nothing: it was refused.
  engine::WatchId watch{};            // kOpenWatch, kCloseWatch
  std::vector<std::string> task_ids;  // kOpenWatch
};

// What a client does to have one task done once.
struct ErrandScript {
  std::string task_id;
  // It was refused each time before it came to say what the task is.
  bool demand_is_unknown = false;
  std::size_t number = 0;  // Of those of this task id, from 0 on.
};

// One executor process.
struct ProcessScript {
  engine::ExecutorId executor{};
  engine::Generation generation{};
  std::optional<engine::Duration> connects_after;  // Since its spawn.
  ScriptOrder connect_order = kUnplaced;
  std::int64_t pid = 0;
  std::optional<engine::Duration> exits_after;   // Since its spawn: of its own accord.
  bool was_killed = false;
  std::optional<engine::Duration> killed_after;  // From the kill to its exit; nothing: not seen.
  ScriptOrder exit_order = kUnplaced;
  std::string exit_reason;
  struct Heartbeat {
    engine::Duration at{};  // Since its connection.
    std::int64_t activity = 0;
    ScriptOrder order = kUnplaced;
  };
  std::vector<Heartbeat> heartbeats;
  bool falls_silent = false;  // No heartbeat comes after the last one.
};

struct OrderScript {
  enum class Kind : std::uint8_t { kStart, kTick, kBeginDrain, kForceStop };
  Kind kind = Kind::kStart;
  engine::Instant at{};
  ScriptOrder order = kUnplaced;
};

struct Script {
  engine::Instant start{};
  engine::Instant end{};  // Nothing later was recorded.
  // Of one instant, first reports, then the Tick, then clients, as in a Simulation; false: as they
  // were recorded.
  bool ranked = false;
  engine::Duration heartbeat_interval{};  // As it was configured.
  std::vector<RunScript> runs;
  std::vector<ErrandScript> errands;
  std::vector<ActionScript> actions;
  std::vector<ProcessScript> processes;
  std::vector<OrderScript> orders;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SCRIPT_H_
