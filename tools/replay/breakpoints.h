#ifndef BLOCKX_TOOLS_REPLAY_BREAKPOINTS_H_
#define BLOCKX_TOOLS_REPLAY_BREAKPOINTS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "blockx/engine/driver.h"
#include "blockx/engine/engine.h"

namespace blockx::tools {

using Condition = std::function<bool(const engine::Step&)>;

// From the words behind `break on`: "event NAME", "task ID", "phase PHASE", "end", "refusal",
// "FIELD < NUMBER" over the state after the step. `engine` is the one that takes the steps. Nothing:
// Complain was called.
std::optional<Condition> ParseCondition(const std::vector<std::string>& words,
                                        const engine::Engine& engine);

// The names that FIELD may have.
std::string ConditionFields();

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_BREAKPOINTS_H_
