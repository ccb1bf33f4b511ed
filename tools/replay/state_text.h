// An engine's state for people, table by table.
#ifndef BLOCKX_TOOLS_REPLAY_STATE_TEXT_H_
#define BLOCKX_TOOLS_REPLAY_STATE_TEXT_H_

#include <string>
#include <string_view>

#include "blockx/engine/engine.h"
#include "blockx/engine/state.h"
#include "blockx/proto/segment.pb.h"

namespace blockx::tools {

// Each gives whole lines.
std::string SlotsText(const engine::State& state, log::v1::World::Value world);
std::string QueuesText(const engine::State& state);
std::string ExecutorsText(const engine::State& state, log::v1::World::Value world);
std::string WatchesText(const engine::State& state);
std::string HeartbeatText(const engine::Engine& engine);
// Empty: the engine does not know such a task.
std::string TaskText(const engine::State& state, std::string_view task_id,
                     log::v1::World::Value world);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_STATE_TEXT_H_
