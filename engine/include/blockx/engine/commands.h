#ifndef BLOCKX_ENGINE_COMMANDS_H_
#define BLOCKX_ENGINE_COMMANDS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "blockx/engine/events.h"
#include "blockx/engine/ids.h"
#include "blockx/engine/payload.h"
#include "blockx/engine/task_result.h"
#include "blockx/engine/time.h"

// What the world has to do next. Commands borrow from the engine and are valid until its next
// Apply. Each carries the ids that the answer to it must quote (R-SUB-4).
namespace blockx::engine {

struct PrepareActivation {
  std::string_view task_id{};
  Run run{};
  SlotIndex slot{};
};

struct StartBuilder {
  std::string_view task_id{};
  Run run{};
};

struct StartCallStream {
  std::string_view task_id{};
  Run run{};
};
struct PauseCallStream {
  std::string_view task_id{};
  Run run{};
};
struct ResumeCallStream {
  std::string_view task_id{};
  Run run{};
};

struct DispatchCall {
  ExecutorId executor{};
  CallId call{};
  std::string_view task_id{};
  Run run{};
  Attempt attempt{};
  Instant deadline{};
  std::string_view function{};
  const Payload* args = nullptr;  // never null
  CodeEpoch epoch{};
};

// The executor's end of this attempt is still to be reported, and until then it occupies its
// executor (R-CALL-6).
struct CancelCall {
  ExecutorId executor{};
  CallId call{};
  Attempt attempt{};
};

// How a call ended: an output, or a failure.
struct CallOutcome {
  const Payload* output = nullptr;  // null when it failed
  Failure failure{};
};

struct DeliverSubcall {
  ExecutorId executor{};
  CallId parent{};
  SubcallRef ref{};
  CallOutcome outcome{};
};

struct StartWriter {
  std::string_view task_id{};
  Run run{};
  std::span<const CallOutcome> outcomes{};  // of the root calls, in call order
};

struct ConvergeTask {
  std::string_view task_id{};
  Run run{};
  const TaskResult* result = nullptr;  // never null
};

struct NotifyWatch {
  WatchId watch_id{};
  std::string_view task_id{};
  TaskState state = TaskState::kRunning;
  Phase phase = Phase::kPreparing;
  const TaskResult* result = nullptr;  // set exactly when the phase is kTerminal
};

// `complete`: all its tasks have ended. Otherwise the Worker stops.
struct EndWatch {
  WatchId watch_id{};
  bool complete = false;
};

struct SpawnExecutor {
  ExecutorId executor{};
  Generation generation{};
};

enum class KillReason : std::uint8_t {
  kStartTimeout,
  kHeartbeatTimeout,
  kWedged,
  kCancelGrace,
  kStopped
};

struct KillExecutor {
  ExecutorId executor{};
  Generation generation{};
  KillReason reason{};
};

struct RegisterWorker {};
struct DeregisterWorker {};

struct DrainComplete {
  bool clean = false;  // Every task ended by itself.
};

using Command = std::variant<PrepareActivation, StartBuilder, StartCallStream, PauseCallStream,
                             ResumeCallStream, DispatchCall, CancelCall, DeliverSubcall,
                             StartWriter, ConvergeTask, NotifyWatch, EndWatch, SpawnExecutor,
                             KillExecutor, RegisterWorker, DeregisterWorker, DrainComplete>;

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_COMMANDS_H_
