#ifndef BLOCKX_TESTS_PROPERTIES_RANDOM_HISTORY_H_
#define BLOCKX_TESTS_PROPERTIES_RANDOM_HISTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/config.h"
#include "blockx/engine/events.h"
#include "blockx/engine/time.h"

namespace blockx::properties {

// Numbers that a property draws; everything else follows from them, so that they shrink.
using Choices = std::vector<std::uint32_t>;

// A configuration in which limits bind, queues form and deadlines are short.
engine::Config SmallConfig(const Choices& choices);

// Chooses what happens next from what the engine has asked for: mostly the ends of work that it waits for, now and then
// something stale, doubled or senseless. It is fed with the commands of each step.
class RandomHistory {
 public:
  explicit RandomHistory(const engine::Config& config) : config_(config) {}

  struct Step {
    engine::Event event;  // Views in it last until the next call of Next.
    engine::Instant now;
  };
  // One number makes one step.
  Step Next(std::uint32_t choice, std::optional<engine::Instant> next_deadline);
  void Learn(std::span<const engine::Command> commands);

 private:
  struct Work {
    std::string task_id;
    engine::Run run{};
    enum class Kind { kActivation, kBuilder, kStream, kWriter } kind{};
  };
  struct Dispatched {
    engine::ExecutorId executor{};
    engine::CallId call{};
    engine::Attempt attempt{};
  };
  struct Process {
    engine::ExecutorId executor{};
    engine::Generation generation{};
  };

  engine::Event Request(std::uint32_t choice);
  engine::Event WorkReport(std::uint32_t choice);
  engine::Event CallReport(std::uint32_t choice);
  engine::Event ExecutorReport(std::uint32_t choice);

  engine::Config config_;
  engine::Instant now_ = engine::AtMicroseconds(1'000'000'000);
  bool started_ = false;
  // What is owed a report. An end may be reported again after it was; then it stays here.
  std::vector<Work> work_;
  std::vector<Dispatched> calls_;
  std::vector<Process> processes_;
  std::string said_;  // what the views of the last event point at
};

}  // namespace blockx::properties

#endif  // BLOCKX_TESTS_PROPERTIES_RANDOM_HISTORY_H_
