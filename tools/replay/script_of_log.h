// Reads off a log what surrounded its Worker, as a script that can be played to another one.
#ifndef BLOCKX_TOOLS_REPLAY_SCRIPT_OF_LOG_H_
#define BLOCKX_TOOLS_REPLAY_SCRIPT_OF_LOG_H_

#include "blockx/engine/config.h"
#include "blockx/replay/history.h"
#include "blockx/sim/script.h"
#include "errands.h"

namespace blockx::tools {

// `config`: the recorded one. A log that begins in the middle of things is played from an empty
// Worker on, without the tasks that were under way.
[[nodiscard]] sim::Script ScriptOf(const replay::History& history, const Errands& errands,
                                   const engine::Config& config, bool simulated);

// What was done for one run of it. `last`: the end of the log.
[[nodiscard]] sim::RunScript RunScriptOf(const replay::RunHistory& run, const replay::Moment& last);

[[nodiscard]] sim::SubmissionScript SubmissionOf(const replay::RequestHistory& request);

// What the client of each errand did; the n-th errand's accepted run is the n-th of those that
// were.
void AddErrands(const Errands& errands, engine::Instant start, sim::Script& script);

// What a client of watches did about them. After AddErrands.
void AddWatches(const replay::History& history, const Errands& errands, sim::Script& script);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_SCRIPT_OF_LOG_H_
