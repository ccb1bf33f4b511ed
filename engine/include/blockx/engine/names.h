// The words of the engine's values, as the text form, logs and reports write them.
#ifndef BLOCKX_ENGINE_NAMES_H_
#define BLOCKX_ENGINE_NAMES_H_

#include <string>
#include <string_view>

#include "blockx/engine/commands.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/state.h"
#include "blockx/engine/task_result.h"

namespace blockx::engine {

std::string_view NameOf(ErrorCode code);
std::string_view NameOf(KillReason reason);
std::string_view NameOf(TaskState state);
std::string_view NameOf(Phase phase);
std::string_view NameOf(Stage stage);
std::string_view NameOf(Work work);
std::string_view NameOf(CallState state);
std::string_view NameOf(ExecutorState state);
std::string_view NameOf(State::Timer::Kind kind);

std::string SlotId(SlotIndex slot);  // "slot-7" (R-SLOT-1)

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_NAMES_H_
