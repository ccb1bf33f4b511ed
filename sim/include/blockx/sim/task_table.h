#ifndef BLOCKX_SIM_TASK_TABLE_H_
#define BLOCKX_SIM_TASK_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "blockx/engine/ids.h"
#include "blockx/engine/time.h"
#include "blockx/sim/scenario.h"

namespace blockx::sim {

// What the linear forms of a task's source gave for its trace row. Microseconds or counts; what is
// drawn instead stays 0.
struct PlannedAmounts {
  double builder = 0;
  double call_count = 0;
  double call = 0;
  double subcall_count = 0;
  double subcall = 0;
  double writer = 0;
};

// What the world does for a task at the moment; the end of each is reported exactly once (R-EV-2).
enum class Work : std::uint8_t { kNone, kActivation, kBuilder, kStream, kWriter };

// A task between its arrival and the later of two moments: its client knows the end, and the world
// has reported all that it owes. Times are virtual.
struct Task {
  [[nodiscard]] std::string_view id() const { return {id_text.data(), id_size}; }

  // Who it is; written once, by its client. `entity` keys its random choices.
  std::array<char, 30> id_text{};
  std::uint8_t id_size = 0;
  const WorkloadSource* spec = nullptr;
  std::uint64_t entity = 0;
  PlannedAmounts planned{};
  engine::Instant arrived{};
  std::uint32_t source = 0;
  std::uint32_t client = 0;  // Of a closed source.

  // The client's side.
  std::int64_t attempts = 0;  // To get it accepted.
  std::uint32_t worker = 0;   // Asked last.
  bool measured = false;      // It arrived after the warm-up.
  bool watch_is_open = false;
  bool resolved = false;  // Ended, or given up, and no watch of it is open.

  // The world's side.
  Work work = Work::kNone;
  bool converged = false;
  bool stream_is_paused = false;
  bool batch_is_held = false;  // A batch is ready, but the stream is paused.
  std::int64_t batches = 0;
  std::int64_t calls_left = 0;  // Calls that its stream has not given yet.
  engine::Run run{};
  engine::Instant work_ends{};  // When the present work reports next.
  engine::Instant first_dispatch = engine::kNever;
};

static_assert(std::is_trivially_destructible_v<Task>);

// All present tasks, found by number. Memory follows the most that were present at one time. A
// reference to a task holds until the next Add.
class TaskTable {
 public:
  // The number of a new task, all of whose members have their defaults.
  [[nodiscard]] std::uint32_t Add() {
    ++size_;
    if (free_.empty()) {
      tasks_.emplace_back();
      stamps_.push_back(0);
      return static_cast<std::uint32_t>(tasks_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    std::construct_at(&tasks_[index]);  // In place: a Task is a few cache lines.
    return index;
  }

  // Forgets a task that nobody needs any more; else does nothing.
  void RemoveIfDone(std::uint32_t index) {
    const Task& task = tasks_[index];
    if (!task.resolved || task.work != Work::kNone) return;
    NewStamp(index);
    free_.push_back(index);
    --size_;
  }

  [[nodiscard]] Task& operator[](std::uint32_t index) { return tasks_[index]; }

  // A due for a task quotes its stamp; a new stamp calls off all dues of before.
  std::uint32_t NewStamp(std::uint32_t index) { return ++stamps_[index]; }
  [[nodiscard]] std::uint32_t stamp(std::uint32_t index) const { return stamps_[index]; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return tasks_.size(); }

 private:
  std::vector<Task> tasks_;
  std::vector<std::uint32_t>
      stamps_;  // By task; they outlive it, so that its number can be used again.
  std::vector<std::uint32_t> free_;
  std::size_t size_ = 0;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_TASK_TABLE_H_
