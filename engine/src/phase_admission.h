#ifndef BLOCKX_ENGINE_SRC_PHASE_ADMISSION_H_
#define BLOCKX_ENGINE_SRC_PHASE_ADMISSION_H_

#include <array>
#include <cstdint>
#include <vector>

#include "blockx/engine/config.h"
#include "blockx/engine/engine.h"
#include "blockx/engine/state.h"
#include "list.h"
#include "slab.h"

namespace blockx::engine {

// Who may be in each stage: permits, first come, first served (R-ADM-1). Tasks are named by their
// ActiveTask.
class PhaseAdmission {
 public:
  explicit PhaseAdmission(const Config& config) {
    At(Stage::kBuilder).limit = config.builder_slots;
    At(Stage::kScan).limit = config.scan_slots;
    At(Stage::kExecutorTasks).limit = config.executor_task_slots;
    At(Stage::kPlugin).limit = config.plugin_slots;
  }

  void Ask(Stage stage, Handle task) {
    if (task >= places_.size()) places_.resize(task + 1);
    places_[task].waits = true;
    places_[task].stage = stage;
    PushBack<&Place::link>(places_, At(stage).line, task);
    ++At(stage).waiting;
    ++waiting_;
  }
  // A task that ends while queued leaves the queue; elsewhere it does nothing.
  void Leave(Handle task) {
    if (!Waits(task)) return;
    places_[task].waits = false;
    Erase<&Place::link>(places_, At(places_[task].stage).line, task);
    --At(places_[task].stage).waiting;
    --waiting_;
  }
  // The next task in line gets a permit; none waits, or none is free: kNone.
  Handle GrantNext(Stage stage) {
    Queue& queue = At(stage);
    if (queue.waiting == 0 || queue.in_use == queue.limit) return kNone;
    const Handle task = queue.line.first;
    Leave(task);
    ++queue.in_use;
    return task;
  }
  void Return(Stage stage) { --At(stage).in_use; }

  [[nodiscard]] bool anyone_waits() const { return waiting_ > 0; }

  [[nodiscard]] bool Waits(Handle task) const {
    return task < places_.size() && places_[task].waits;
  }
  [[nodiscard]] std::int64_t in_use(Stage stage) const { return At(stage).in_use; }
  [[nodiscard]] std::int64_t waiting(Stage stage) const { return At(stage).waiting; }
  [[nodiscard]] std::int64_t limit(Stage stage) const { return At(stage).limit; }
  [[nodiscard]] std::vector<Handle> Line(Stage stage) const {
    std::vector<Handle> line;
    for (Handle i = At(stage).line.first; i != kNone; i = places_[i].link.next) line.push_back(i);
    return line;
  }
  void SetInUse(Stage stage, std::int64_t in_use) { At(stage).in_use = in_use; }  // of a snapshot

 private:
  struct Place {
    bool waits = false;
    Stage stage{};
    Link link{};
  };
  struct Queue {
    std::int64_t limit = 0;
    std::int64_t in_use =
        0;  // Invariant 5: 0 <= in_use <= limit, and nobody waits beside a free permit.
    std::int64_t waiting = 0;  // the length of `line`
    List line{};
  };
  Queue& At(Stage stage) { return queues_[static_cast<std::size_t>(stage)]; }
  [[nodiscard]] const Queue& At(Stage stage) const {
    return queues_[static_cast<std::size_t>(stage)];
  }

  std::array<Queue, 4> queues_;
  std::int64_t waiting_ = 0;   // in all stages
  std::vector<Place> places_;  // by ActiveTask: a task waits in one stage at a time
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_PHASE_ADMISSION_H_
