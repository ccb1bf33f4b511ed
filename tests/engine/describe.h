#ifndef BLOCKX_TESTS_ENGINE_DESCRIBE_H_
#define BLOCKX_TESTS_ENGINE_DESCRIBE_H_

#include <string>

#include "blockx/engine/commands.h"
#include "blockx/engine/engine.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/time.h"

namespace blockx::engine {

// Times in tests are durations since this instant, which is a point of the default grid.
inline constexpr Instant kStart = AtMicroseconds(1'700'000'000'000'000);

// What a test compares: one short text for each thing. Attempts are written call.attempt, executors
// executor.generation.
std::string Describe(Instant time);  // "5000ms" since kStart
std::string Describe(const Command& command);
std::string Describe(
    const TaskView& view);  // "RUNNING PREPARING slot-0 until 5000ms", "FAILED/TIMED_OUT retryable"
std::string Describe(const WatchView& view);  // "t1 RUNNING CALLS slot-0; t2 SUCCEEDED"
std::string Describe(const Error& error);     // "NoSlot"
std::string Describe(const Heartbeat& heartbeat);

}  // namespace blockx::engine

#endif  // BLOCKX_TESTS_ENGINE_DESCRIBE_H_
