#ifndef BLOCKX_SIM_SCRIPT_PLAY_H_
#define BLOCKX_SIM_SCRIPT_PLAY_H_

#include <cstdint>
#include <memory>

#include "blockx/engine/config.h"
#include "blockx/engine/driver.h"
#include "blockx/sim/script.h"

namespace blockx::sim {

// How often a script did not say what was asked of it, and something else that it says was taken:
// of the same function where there is one, always the same one for the same question.
struct PlayGuesses {
  std::int64_t tasks = 0;          // Never said what they are: each is like some other task.
  std::int64_t works = 0;          // Builders, streams, writers that were not seen to their end.
  std::int64_t attempts = 0;       // Of calls.
  std::int64_t cancellations = 0;  // How long something goes on that is called off only here.
  std::int64_t processes = 0;      // Starts of executors that the script does not know.
};

struct PlayOptions {
  // Ticks come when they were recorded; false: whenever one is due.
  bool recorded_ticks = false;
};

// Plays a script to a Worker with a configuration of its own. What the clients and the surroundings
// do follows from what the Worker does: a report comes its recorded time after the command, a
// submission its recorded time after the slot was granted, an order at its recorded instant. With
// the configuration that was recorded it comes to the recorded history again. The script must
// outlive it. One thread at a time.
class ScriptPlay {
 public:
  // Precondition: the configuration is sound.
  ScriptPlay(const Script& script, const engine::Config& config, const PlayOptions& options);
  ~ScriptPlay();
  ScriptPlay(const ScriptPlay&) = delete;
  ScriptPlay& operator=(const ScriptPlay&) = delete;

  // To be given an observer before the first step.
  [[nodiscard]] engine::Driver& driver();

  // Makes the next step. False: the script's end is reached.
  bool Next();

  [[nodiscard]] const PlayGuesses& guesses() const;

 private:
  class Stage;
  std::unique_ptr<Stage> stage_;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SCRIPT_PLAY_H_
