#ifndef BLOCKX_TOOLS_REPLAY_TIMELINE_RUNS_H_
#define BLOCKX_TOOLS_REPLAY_TIMELINE_RUNS_H_

#include "blockx/engine/engine.h"
#include "timeline.h"

namespace blockx::tools {

// Fills in the runs, those of the timeline's history, each without its lane. What the log does not
// tell of them is asked of the engine as it was before the log and as it is at its end.
void GatherRuns(engine::Engine before, engine::Engine after, Timeline& timeline);

// The last moment at or before `at` from which on the log can be read without a gap, and the first
// such one after it; the end when there is none.
replay::Moment ReadableFrom(const Timeline& timeline, engine::Instant at);
replay::Moment ReadableUntil(const Timeline& timeline, const replay::Moment& from);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_TIMELINE_RUNS_H_
