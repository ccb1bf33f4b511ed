// Steps for people: one short line each, in the words of the text form.
#ifndef BLOCKX_REPLAY_BRIEF_H_
#define BLOCKX_REPLAY_BRIEF_H_

#include <string>

#include "blockx/engine/time.h"
#include "blockx/proto/event_log.pb.h"
#include "blockx/proto/segment.pb.h"

namespace blockx::replay {

// "callSucceeded executorId=0 callId=12 attempt=1 output=13 bytes". Text is cut when long; control
// characters are shown as '?'.
std::string Brief(const log::v1::Event& event);
// "task t1 RUNNING slot-0 BUILDER", "NO_SLOT: every slot is taken"; empty for no reply.
std::string Brief(const log::v1::Reply& reply);
std::string Brief(const log::v1::Command& command);

// An instant as people read it: in a simulation, which begins at 0, "+12.345678s"; else
// "2026-12-05T15:00:00.123456Z".
std::string FormatInstant(engine::Instant at, log::v1::World::Value world);
// A span between two of them: "1.25 s", "830 ms", "17 us".
std::string FormatSpan(engine::Duration duration);

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_BRIEF_H_
