#include "blockx/engine/names.h"

#include <array>
#include <cstddef>

namespace blockx::engine {
namespace {

// In the order of the enum's declaration.
template <class Enum, std::size_t N>
std::string_view NameIn(const std::array<std::string_view, N>& names, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : "";
}

constexpr std::array<std::string_view, 6> kErrorCodes = {
    "INVALID_ARGUMENT", "NO_SLOT", "UNAVAILABLE", "INVALID_SLOT", "NOT_FOUND", "SLOT_UNCERTAIN"};
constexpr std::array<std::string_view, 5> kKillReasons = {"START_TIMEOUT", "HEARTBEAT_TIMEOUT",
                                                          "WEDGED", "CANCEL_GRACE", "STOPPED"};
constexpr std::array<std::string_view, 4> kTaskStates = {"ALLOCATED", "RUNNING", "SUCCEEDED",
                                                         "FAILED"};
constexpr std::array<std::string_view, 5> kPhases = {"PREPARING", "BUILDER", "CALLS", "PLUGIN",
                                                     "TERMINAL"};
constexpr std::array<std::string_view, 4> kStages = {"builder", "scan", "executorTasks", "plugin"};
constexpr std::array<std::string_view, 4> kWorks = {"none", "builder", "stream", "writer"};
constexpr std::array<std::string_view, 6> kCallStates = {"WAITING",     "RUNNING",   "BACKING_OFF",
                                                         "RETRY_READY", "SUCCEEDED", "FAILED"};
constexpr std::array<std::string_view, 4> kExecutorStates = {"DOWN", "STARTING", "HEALTHY",
                                                             "KILLED"};
constexpr std::array<std::string_view, 10> kTimers = {
    "startTimeout", "heartbeatTimeout", "wedge",        "restart",     "lease",
    "taskDeadline", "watchGrace",       "callDeadline", "cancelGrace", "retry"};

}  // namespace

std::string_view NameOf(ErrorCode code) { return NameIn(kErrorCodes, code); }
std::string_view NameOf(KillReason reason) { return NameIn(kKillReasons, reason); }
std::string_view NameOf(TaskState state) { return NameIn(kTaskStates, state); }
std::string_view NameOf(Phase phase) { return NameIn(kPhases, phase); }
std::string_view NameOf(Stage stage) { return NameIn(kStages, stage); }
std::string_view NameOf(Work work) { return NameIn(kWorks, work); }
std::string_view NameOf(CallState state) { return NameIn(kCallStates, state); }
std::string_view NameOf(ExecutorState state) { return NameIn(kExecutorStates, state); }
std::string_view NameOf(State::Timer::Kind kind) { return NameIn(kTimers, kind); }

std::string SlotId(SlotIndex slot) { return "slot-" + std::to_string(slot.value()); }

}  // namespace blockx::engine
