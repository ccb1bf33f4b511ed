#ifndef BLOCKX_TOOLS_REPLAY_STEP_LINE_H_
#define BLOCKX_TOOLS_REPLAY_STEP_LINE_H_

#include <cstdint>
#include <set>
#include <string>

#include "blockx/engine/driver.h"
#include "blockx/proto/segment.pb.h"
#include "blockx/replay/log_text.h"

namespace blockx::tools {

// The step for people: the record, and below it the reply and each command.
std::string TextOf(const log::v1::Line& line, log::v1::World::Value world);

// On stdout: as JSON, or for people.
void PrintLine(const log::v1::Line& line, log::v1::World::Value world, bool json);

// Keeps one step.
class StepKeeper final : public engine::StepObserver {
 public:
  void OnStep(const engine::Step& step) override { replay::ToLine(step, line_); }
  [[nodiscard]] const log::v1::Line& line() const { return line_; }

 private:
  log::v1::Line line_;
};

// Knows which task each step is about: by the task ids in it, and by call ids that were dispatched
// for a task before.
class TaskOfStep {
 public:
  explicit TaskOfStep(std::string task) : task_(std::move(task)) {}
  // Called for each step in order.
  bool Concerns(const engine::Step& step);

 private:
  std::string task_;
  std::set<std::int64_t> calls_;  // Ids of the task's calls.
};

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_STEP_LINE_H_
