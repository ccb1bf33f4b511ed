#ifndef BLOCKX_REPLAY_HISTORY_H_
#define BLOCKX_REPLAY_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/driver.h"
#include "blockx/engine/engine.h"
#include "blockx/engine/events.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/payload.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/task_result.h"
#include "blockx/engine/time.h"

namespace blockx::replay {

// A moment of a log: when, and after which record.
struct Moment {
  engine::Instant at = engine::kNever;  // kNever: it did not come to that.
  std::uint64_t sequence = 0;
  [[nodiscard]] bool happened() const { return at != engine::kNever; }
};

// Why something failed, with text of its own.
struct FailureText {
  std::string code;
  std::string message;
  bool retryable = false;
};

// One try at a call. It ends by a report, or with its executor.
struct AttemptHistory {
  engine::Attempt number{};
  engine::ExecutorId executor{};
  engine::Generation generation{};
  Moment dispatched;
  engine::Instant deadline{};
  Moment cancelled;
  Moment ended;
  enum class End { kNone, kSucceeded, kFailed, kExecutorExited };
  End end = End::kNone;
  engine::Payload output;  // kSucceeded
  FailureText failure;     // kFailed; of kExecutorExited the reason is the message.
};

struct CallHistory {
  engine::CallId id{};               // 0: the engine gave none (R-CALL-0).
  std::int64_t parent = -1;          // Subcalls: the asking call, in RunHistory::calls.
  engine::Attempt parent_attempt{};  // Subcalls.
  engine::SubcallRef ref{};          // Subcalls.
  std::string function;
  engine::Payload args;
  Moment requested;  // The list, the batch or the subcall came.
  Moment delivered;  // Subcalls: the asking attempt was given the answer.
  std::vector<AttemptHistory> attempts;
  [[nodiscard]] bool is_root() const { return parent < 0; }
};

// One piece of work of a world for a task: between the command and the report.
struct WorkHistory {
  enum class Kind { kActivation, kBuilder, kStream, kWriter };
  Kind kind = Kind::kActivation;
  Moment started;
  Moment finished;
  std::optional<FailureText> failure;  // As reported; absent: it went well.
  // What it brought, where it went well.
  engine::CodeEpoch epoch{};       // kActivation
  std::string slot_id;             // kActivation, as reported
  bool streams = false;            // kBuilder: its calls come as a stream.
  engine::Payload plugin_results;  // kWriter
  // Batches of calls: kBuilder has at most one, kStream any number.
  struct Batch {
    Moment at;
    std::vector<std::size_t> calls;  // In RunHistory::calls.
  };
  std::vector<Batch> batches;
  // kStream: when the engine asked for a pause, and for more.
  std::vector<Moment> paused;
  std::vector<Moment> resumed;
};

// A request of a client about one task and what it was told.
struct RequestHistory {
  enum class Kind { kReserve, kSubmit, kResult };
  Kind kind = Kind::kReserve;
  Moment at;
  std::optional<engine::ErrorCode> refused;
  std::string refusal;                    // The message.
  std::optional<engine::SlotIndex> slot;  // As answered.
  // kReserve
  engine::Duration ttl{};
  // kSubmit
  std::string slot_id;  // As asked for.
  std::string function;
  engine::Payload function_payload;
  std::string result_handler;
  engine::Payload result_handler_payload;
  engine::Duration timeout{};
  engine::CallFailurePolicy failure_policy{};
  std::optional<engine::RetryPolicy> retry_policy;
};

// One accepted submission, until it ended.
struct RunHistory {
  engine::Run run{};
  std::optional<engine::SlotIndex> slot;
  Moment accepted;
  std::vector<WorkHistory> work;   // In order of their start.
  std::vector<CallHistory> calls;  // In the order in which they became known.
  Moment ended;
  engine::TaskResult result;  // Once ended.
};

// Everything that a log says about one task id.
struct TaskHistory {
  std::string id;
  std::vector<RequestHistory> requests;
  std::vector<RunHistory> runs;  // More than one: submitted anew after its result was forgotten.
};

struct WatchHistory {
  engine::WatchId id{};
  Moment opened;
  Moment closed;  // By the client.
  Moment ended;   // By the Worker.
  bool complete = false;
  std::vector<std::string> task_ids;
};

// One process in an executor's place.
struct ExecutorHistory {
  engine::ExecutorId executor{};
  engine::Generation generation{};
  Moment spawned;
  Moment connected;
  std::int64_t pid = 0;
  Moment killed;
  std::optional<engine::KillReason> kill_reason;
  Moment exited;
  std::string exit_reason;
  struct Heartbeat {
    Moment at;
    engine::CallId running_call{};
    std::int64_t last_scheduler_active = 0;
  };
  std::vector<Heartbeat> heartbeats;
};

// Gathers what a log's steps say, by task and by executor, for those who explain, draw, or play it
// again. Waits are not in it: they lie between the moments. Memory grows with what it gathered.
class History : public engine::StepObserver {
 public:
  // `engine` is the one whose steps are observed: it is asked which call ids it gave. Steps come
  // from the log's first on, or from any later moment; what began before is then without a
  // beginning.
  explicit History(const engine::Engine& engine);
  ~History() override;

  void OnStep(const engine::Step& step) override;

  // In order of their first mention.
  [[nodiscard]] const std::vector<TaskHistory>& tasks() const;
  // Null: the log never names it.
  [[nodiscard]] const TaskHistory* Find(std::string_view task_id) const;
  // In order of their first mention.
  [[nodiscard]] const std::vector<ExecutorHistory>& executors() const;
  [[nodiscard]] const std::vector<WatchHistory>& watches() const;
  [[nodiscard]] const std::vector<Moment>& ticks() const;
  [[nodiscard]] const Moment& started() const;
  [[nodiscard]] const Moment& drain_begun() const;
  [[nodiscard]] const Moment& force_stopped() const;
  // Of the steps seen.
  [[nodiscard]] const Moment& first() const;
  [[nodiscard]] const Moment& last() const;

 private:
  class Gatherer;
  std::unique_ptr<Gatherer> gatherer_;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_HISTORY_H_
