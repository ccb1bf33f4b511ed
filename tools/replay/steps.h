// The steps of a log that a user asks for.
#ifndef BLOCKX_TOOLS_REPLAY_STEPS_H_
#define BLOCKX_TOOLS_REPLAY_STEPS_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "blockx/engine/driver.h"
#include "blockx/replay/replayer.h"
#include "common.h"

namespace blockx::tools {

// The span of a filter as moments. Nothing: Complain was called.
struct Span {
  std::uint64_t first = 0;  // The record
  std::uint64_t last = 0;
};
std::optional<Span> SpanOf(const RecordFilter& filter, replay::LogReader& log);

// Replays the log and calls `see` for each step that passes the filter. Damage and divergence are
// complained of, and it goes on behind them. Returns the exit code.
int ForEachStep(replay::Replayer& replayer, const RecordFilter& filter,
                const std::function<void(const engine::Step&)>& see);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_STEPS_H_
