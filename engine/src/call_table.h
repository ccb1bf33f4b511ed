#ifndef BLOCKX_ENGINE_SRC_CALL_TABLE_H_
#define BLOCKX_ENGINE_SRC_CALL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/events.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/state.h"
#include "blockx/engine/task_result.h"
#include "blockx/engine/time.h"
#include "list.h"
#include "slab.h"

// What the DispatcherCore keeps: calls, their attempts, and each task's part of both.
namespace blockx::engine {

struct Call {
  CallId id{};
  Handle task = kNone;      // ActiveTask
  Handle asked_by = kNone;  // subcalls: the live attempt that waits for it; roots: kNone
  Handle live = kNone;      // its live attempt. Invariant: set exactly while kRunning.
  CallState state = CallState::kWaiting;
  bool retryable = false;
  std::int64_t index =
      0;  // the call's 0-based place in its task; for a subcall its call id (R-CALL-4)
  std::int64_t depth = 0;  // a root has 0
  std::int64_t attempts = 0;
  SubcallRef ref{};
  Link ready{};    // in TaskCalls::retries or TaskCalls::subcalls
  Link sibling{};  // in CallAttempt::children
  std::string function;
  Payload args;
  Payload output;
  std::string code;
  std::string message;

  [[nodiscard]] bool is_root() const { return asked_by == kNone; }
  void Recycle() {
    if (args.size() > 0) args = Payload();
    if (output.size() > 0) output = Payload();
  }
};

// One dispatch of a call. Live until its end or its cancellation; a cancelled one stays on its
// executor until its end is reported (R-CALL-6).
struct CallAttempt {
  CallId call_id{};
  Attempt number{};
  Handle call = kNone;        // Invariant: set exactly while live.
  std::int64_t executor = 0;  // kGone once the executor's process has exited
  std::int64_t outstanding =
      0;            // subcalls not delivered yet; while there are any, a live attempt is suspended
  List children{};  // those subcalls, in the order of asking
  Link on_executor{};
  Link of_task{};  // in TaskCalls::live

  static constexpr std::int64_t kGone = -1;
  [[nodiscard]] bool live() const { return call != kNone; }
  [[nodiscard]] bool suspended() const { return live() && outstanding > 0; }
};

// A task's calls, from its builder's end until its writer has been given their outcomes.
struct CallProgress {         // what starts afresh with each task
  std::size_t next_root = 0;  // the first that has had no attempt yet
  List retries{};           // root calls whose retry is due, in the order in which they became due
  List subcalls{};          // waiting subcalls, by call id: the order of asking
  List live{};              // live attempts, in dispatch order
  std::int64_t window = 0;  // Invariant 6: in_flight grows only while below it.
  std::int64_t in_flight = 0;  // live root attempts
  std::int64_t done = 0;       // root calls that succeeded or failed for good
  std::int64_t output_bytes = 0;
  CallCounts counts{};
  bool granted = false;  // holds the executor-task permit
  bool in_line = false;
  bool streaming = false;  // Invariant: set from StartCallStream to CallStreamEnded.
  bool stream_ended = true;
  bool paused = false;
  bool to_judge = false;  // its buffer changed in this step (R-STREAM)
  Link line{};
};

struct TaskCalls : CallProgress {
  std::vector<Handle> roots{};          // in call order
  std::vector<CallOutcome> outcomes{};  // what StartWriter shows

  void Reset() {  // The vectors keep their capacity.
    std::construct_at(static_cast<CallProgress*>(this));
    roots.clear();
    outcomes.clear();
  }
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_CALL_TABLE_H_
