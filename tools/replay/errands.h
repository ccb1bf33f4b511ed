// What clients wanted of a Worker, read off a log.
#ifndef BLOCKX_TOOLS_REPLAY_ERRANDS_H_
#define BLOCKX_TOOLS_REPLAY_ERRANDS_H_

#include <cstddef>
#include <vector>

#include "blockx/replay/history.h"

namespace blockx::tools {

// All that clients asked to have one task done once, up to the next time that they want it done.
struct Errand {
  const replay::TaskHistory* task = nullptr;
  std::size_t number = 0;  // Of those of this task, from 0 on.
  // In their order. Never empty; the first is no question for the result.
  std::vector<const replay::RequestHistory*> requests;
  const replay::RunHistory* run = nullptr;  // Null: it was never accepted.
};

struct Errands {
  std::vector<Errand> all;  // By task, in the history's order.
  // Tasks that were under way when the log begins. What was asked of them until they ended is in no
  // errand.
  std::size_t left_out = 0;
};

// The history must outlive them.
[[nodiscard]] Errands ErrandsOf(const replay::History& history);

// It got a slot: a new one, or was told which one it has.
[[nodiscard]] bool IsGrant(const replay::RequestHistory& request);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_ERRANDS_H_
