#ifndef BLOCKX_TESTS_ENGINE_HISTORY_H_
#define BLOCKX_TESTS_ENGINE_HISTORY_H_

#include <functional>
#include <string>
#include <vector>

#include "engine/worker_fixture.h"

namespace blockx::engine {

// A step of a history; gives the reply or the commands as text.
using HistoryStep = std::function<std::string(Worker&)>;

// The Config for RichHistory(): small limits, so that each of them is met.
Config RichConfig();

// Steps that between them bring a Worker through every kind of event, command and state.
const std::vector<HistoryStep>& RichHistory();

// Runs the steps from `first` to the end; what each did, with the digest and the next deadline
// after it.
Texts Play(Worker& worker, std::size_t first);

}  // namespace blockx::engine

#endif  // BLOCKX_TESTS_ENGINE_HISTORY_H_
