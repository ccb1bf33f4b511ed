// What replies and commands share.
#ifndef BLOCKX_REPLAY_SRC_OUTPUT_PARTS_H_
#define BLOCKX_REPLAY_SRC_OUTPUT_PARTS_H_

#include "blockx/engine/task_result.h"
#include "blockx/proto/event_log.pb.h"
#include "blockx/replay/convert.h"

namespace blockx::replay {

log::v1::TaskState::Value StateOf(engine::TaskState state);
log::v1::Phase::Value PhaseOf(engine::Phase phase);
void SetResult(const engine::TaskResult& result, PayloadMode payloads,
               log::v1::TaskResult& message);

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_OUTPUT_PARTS_H_
