#ifndef BLOCKX_SIM_CLIENT_H_
#define BLOCKX_SIM_CLIENT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "blockx/engine/replies.h"
#include "blockx/engine/time.h"
#include "blockx/sim/arrivals.h"
#include "blockx/sim/coordinator.h"
#include "blockx/sim/event_queue.h"
#include "blockx/sim/fleet.h"
#include "blockx/sim/metrics.h"
#include "blockx/sim/scenario.h"
#include "blockx/sim/task_table.h"
#include "blockx/sim/trace.h"

namespace blockx::sim {

// The clients of all sources. Each task has a client of its own that asks the coordinator for a
// Worker, asks that Worker, and comes back after a back-off when it is refused, with the same task
// id; the clients of a closed source do so one task after the other. Task ids are the source's
// letter and the task's number in it: a1, a2 ... b1 ...
class Clients {
 public:
  // Everything must outlive it.
  Clients(const Scenario& scenario, EventQueue& queue, TaskTable& tasks, Coordinator& coordinator,
          const Fleet& fleet, Metrics& metrics);

  // The sources' clocks start now. Traces are opened; see error().
  void Start();

  // A task arrives (kArrival and kThought; owner: source, index: client of a closed one), or a
  // client comes back (kRetry; index: task). The number of the Worker that was asked, if any.
  std::optional<std::uint32_t> Handle(const Due& due);

  // From the world; they only schedule.
  void OnTaskEnded(std::uint32_t task, const engine::TaskResult& result);
  void OnWatchEnded(std::uint32_t task);

  // Every source has ended, and so has each of its tasks.
  [[nodiscard]] bool done() const { return started_ && open_sources_ == 0 && unresolved_ == 0; }
  // What is wrong with a trace, with file and line. The run cannot go on.
  [[nodiscard]] const std::optional<std::string>& error() const { return error_; }
  // Trace rows that were left out so far because a value that is needed was unknown.
  [[nodiscard]] std::int64_t skipped_rows() const;

 private:
  // A client of a closed source that has stopped asks for nothing more.
  struct ClosedClients {
    const ClosedArrivals* spec = nullptr;
    std::vector<std::uint64_t> pauses;  // Think times of each so far.
    std::int64_t stopped = 0;
  };
  struct Source {
    const WorkloadSource* spec = nullptr;
    std::uint64_t entity = 0;
    std::string letter;
    std::variant<ArrivalProcess, ClosedClients, TraceReader> arrivals;
    std::vector<double> row;  // Of the trace, for the arrival that is scheduled.
    std::int64_t tasks = 0;   // Arrived so far.
    bool open = true;         // More may come.
  };

  void ScheduleNext(std::uint32_t source);
  std::optional<engine::Duration> NextArrival(Source& source);
  void Think(std::uint32_t source, std::uint32_t client);
  void Close(Source& source);
  [[nodiscard]] bool IsOver(const Source& source, engine::Duration at) const;

  std::uint32_t AddTask(std::uint32_t source, std::uint32_t client);
  std::optional<std::uint32_t> Attempt(std::uint32_t task);
  // How the Worker answered: nothing when it accepted.
  std::optional<engine::ErrorCode> Ask(std::uint32_t task, Worker& worker);
  void Refused(std::uint32_t task, engine::ErrorCode code);
  void Resolve(std::uint32_t task);

  const Scenario& scenario_;
  EventQueue& queue_;
  TaskTable& tasks_;
  Coordinator& coordinator_;
  const Fleet& fleet_;
  Metrics& metrics_;

  std::vector<Source> sources_;
  bool started_ = false;
  engine::Instant start_{};
  std::size_t open_sources_ = 0;
  std::int64_t unresolved_ = 0;  // Tasks whose clients still wait.
  std::optional<std::string> error_;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_CLIENT_H_
