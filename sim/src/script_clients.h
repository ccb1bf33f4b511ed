#ifndef BLOCKX_SIM_SRC_SCRIPT_CLIENTS_H_
#define BLOCKX_SIM_SRC_SCRIPT_CLIENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "blockx/engine/driver.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/time.h"
#include "blockx/sim/script.h"
#include "blockx/sim/script_play.h"
#include "script_donors.h"
#include "script_phases.h"
#include "script_queue.h"

namespace blockx::sim {

// The clients of a play. Those of other tasks' demands come when they were recorded, whatever the
// Worker does.
class ScriptClients {
 public:
  ScriptClients(const Script& script, const ScriptDonors& donors, ScriptQueue& queue,
                ScriptPhases& phases, PlayGuesses& guesses);

  void Act(const ScriptDue& due, engine::Driver& driver);
  // The submission of a task that never said what it is.
  void Guess(const ScriptDue& due, engine::Driver& driver);

 private:
  struct Errand {
    std::vector<std::uint32_t> after_grant;  // Actions.
    std::vector<std::uint32_t> after_acceptance;
    std::size_t grants = 0;
    std::optional<engine::SlotIndex> slot;  // Of the latest grant.
    bool accepted = false;
    const RunScript* guess = nullptr;  // The task that stands in for its own.
  };

  [[nodiscard]] std::uint64_t EntityOf(std::size_t errand) const;
  [[nodiscard]] bool IsNeedless(const ActionScript& action) const;
  void Reserve(const ActionScript& action, engine::Driver& driver, engine::Instant now);
  void Submit(const ActionScript& action, engine::Driver& driver, engine::Instant now);
  void Send(std::size_t errand, std::string_view slot_id, const SubmissionScript& submission,
            const RunScript* shape, bool is_own, engine::Driver& driver, engine::Instant now);
  void OpenWatch(const ActionScript& action, engine::Driver& driver, engine::Instant now);
  void FollowGrant(std::size_t errand, engine::Instant now);
  void Push(std::uint32_t action, engine::Instant at);

  const Script& script_;
  const ScriptDonors& donors_;
  ScriptQueue& queue_;
  ScriptPhases& phases_;
  PlayGuesses& guesses_;
  std::vector<Errand> errands_;
  std::vector<std::string_view> ids_;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_SCRIPT_CLIENTS_H_
