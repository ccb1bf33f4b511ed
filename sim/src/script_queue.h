#ifndef BLOCKX_SIM_SRC_SCRIPT_QUEUE_H_
#define BLOCKX_SIM_SRC_SCRIPT_QUEUE_H_

#include <algorithm>
#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "blockx/engine/time.h"
#include "blockx/sim/event_queue.h"
#include "blockx/sim/script.h"

namespace blockx::sim {

enum class ScriptDueKind : std::uint8_t {
  kOrder,      // index: in Script::orders.
  kAction,     // index: in Script::actions.
  kGuessed,    // The submission of a task that never said what it is. index: its errand.
  kWork,       // index: the run.
  kAttempt,    // index: the attempt.
  kConnect,    // index: the process; so are those of the next two.
  kExit,
  kHeartbeat,
};

struct ScriptDue {
  engine::Instant at{};
  Rank rank{};
  ScriptOrder order = kUnplaced;
  std::uint64_t count = 0;
  ScriptDueKind kind{};
  std::uint32_t index = 0;
  std::uint32_t stamp = 0;

  friend bool operator>(const ScriptDue& a, const ScriptDue& b) {
    return std::tie(a.at, a.rank, a.order, a.count) > std::tie(b.at, b.rank, b.order, b.count);
  }
};

// All that is due in a play, by instant, rank, recorded order, and scheduling.
class ScriptQueue {
 public:
  // `ranked`: as in Script.
  explicit ScriptQueue(bool ranked) : ranked_(ranked) {}

  // What is in the past is due now.
  void Push(engine::Instant at, Rank rank, ScriptOrder order, ScriptDueKind kind,
            std::uint32_t index, std::uint32_t stamp = 0) {
    dues_.push({std::max(at, now_), ranked_ ? rank : Rank::kReport, order, ++count_, kind, index,
                stamp});
  }

  [[nodiscard]] bool empty() const { return dues_.empty(); }
  [[nodiscard]] const ScriptDue& top() const { return dues_.top(); }
  ScriptDue Pop() {
    const ScriptDue due = dues_.top();
    dues_.pop();
    now_ = due.at;
    return due;
  }

  [[nodiscard]] engine::Instant now() const { return now_; }
  void AdvanceTo(engine::Instant at) { now_ = at; }

 private:
  bool ranked_;
  engine::Instant now_ = engine::Instant::min();
  std::uint64_t count_ = 0;
  std::priority_queue<ScriptDue, std::vector<ScriptDue>, std::greater<>> dues_;
};

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_SCRIPT_QUEUE_H_
