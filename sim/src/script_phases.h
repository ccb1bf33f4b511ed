#ifndef BLOCKX_SIM_SRC_SCRIPT_PHASES_H_
#define BLOCKX_SIM_SRC_SCRIPT_PHASES_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "blockx/engine/driver.h"
#include "blockx/engine/events.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/time.h"
#include "blockx/sim/script.h"
#include "blockx/sim/script_play.h"
#include "script_donors.h"
#include "script_queue.h"

namespace blockx::sim {

// The calls of a play by the ids that its engine gives them (R-CALL-0).
class PlayedCalls {
 public:
  struct Call {
    const RunScript* shape = nullptr;  // Whose call it is.
    const CallScript* script = nullptr;
    bool is_own = false;  // It was recorded for this task.
    std::uint64_t entity = 0;
  };

  // The next calls that become known; if the engine drops the report, Keep forgets them again.
  void Expect(const Call& call) { calls_.push_back(call); }
  void Keep(engine::CallId last) { calls_.resize(static_cast<std::size_t>(last.value())); }
  // Precondition: the engine gave that id.
  [[nodiscard]] const Call& Find(engine::CallId id) const {
    return calls_[static_cast<std::size_t>(id.value() - 1)];
  }

 private:
  std::vector<Call> calls_;
};

// Activations, builders, streams and writers of a play.
class ScriptPhases {
 public:
  ScriptPhases(const ScriptDonors& donors, ScriptQueue& queue, PlayedCalls& calls,
               PlayGuesses& guesses, engine::Duration io_timeout)
      : donors_(donors), queue_(queue), calls_(calls), guesses_(guesses), io_timeout_(io_timeout) {}

  // Who is submitted next, and whose script it goes by; its first command comes in the same step.
  struct Submission {
    std::string_view task_id;  // Outlives the play.
    const SubmissionScript* submission = nullptr;
    const RunScript* shape = nullptr;  // Null: nothing is known of it.
    bool is_own = false;               // The shape is its own, not that of another task.
    std::uint64_t entity = 0;
  };
  void Expect(const Submission& submission) { expected_ = submission; }
  // Submissions that were accepted so far.
  [[nodiscard]] std::size_t runs() const { return runs_.size(); }

  void Prepare(const engine::PrepareActivation& command, engine::Instant now);
  void Start(engine::Run run, ScriptWork work, engine::Instant now);
  void PauseStream(engine::Run run);
  void ResumeStream(engine::Run run, engine::Instant now);
  // Its task has ended; what still works for it is called off.
  void Converge(engine::Run run, engine::Instant now);

  // Makes the report that is due, if it was not called off.
  void Report(const ScriptDue& due, engine::Driver& driver);

 private:
  struct Live {
    Submission task;
    engine::Run run{};
    engine::SlotIndex slot{};
    std::optional<ScriptWork> work;
    const WorkScript* script = nullptr;  // What the work under way brings; null: not known.
    const ScriptSpan* span = nullptr;    // As it was recorded for this task; null: it was not.
    bool is_guessed = false;             // It stands in for what is not known.
    engine::Instant reports_at{};
    std::uint32_t stamp = 0;  // A new one calls off what was due.
    bool ended = false;
    bool paused = false;
    bool held = false;      // A batch is ready and waits for the pause's end.
    std::size_t batch = 0;  // kStream: the next one.
    std::optional<engine::Duration> rest;  // kStream: what it takes from its last batch on.
    std::size_t given = 0;                 // Of the shape's roots.
  };

  Live& LiveOf(engine::Run run) { return runs_[static_cast<std::size_t>(run.value() - 1)]; }
  std::optional<engine::Duration> Plan(Live& live, ScriptWork work);
  static ScriptOrder OrderOf(const Live& live);
  static ScriptOrder OrderOf(const Live& live, const WorkScript::Batch& batch);
  void Schedule(Live& live, engine::Instant at, ScriptOrder order);
  void ScheduleNext(Live& live, engine::Instant now);
  std::span<const engine::CallSpec> NextCalls(Live& live, std::size_t count);
  void EndWork(Live& live);

  void ReportActivation(Live& live, engine::Driver& driver, engine::Instant now);
  void ReportBuilder(Live& live, engine::Driver& driver, engine::Instant now);
  void ReportStream(Live& live, engine::Driver& driver, engine::Instant now);
  void ReportWriter(Live& live, engine::Driver& driver, engine::Instant now);

  const ScriptDonors& donors_;
  ScriptQueue& queue_;
  PlayedCalls& calls_;
  PlayGuesses& guesses_;
  engine::Duration io_timeout_;
  Submission expected_;
  std::deque<Live> runs_;  // By run number, less 1; a step may add one, and none moves.
  std::vector<engine::CallSpec> specs_;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_SCRIPT_PHASES_H_
