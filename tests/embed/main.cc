// Embeds the engine: a world in which all work is done at once, and one task that goes through it.
#include <cstdio>
#include <deque>
#include <string_view>
#include <variant>

#include "blockx/engine/driver.h"

namespace bx = blockx::engine;

constexpr std::string_view kTask = "greet-1";
constexpr bx::Instant kNow = bx::AtMicroseconds(1'700'000'000'000'000);

// Answers each command with the report that it asks for; the program hands the reports to the
// driver.
class InstantWorld : public bx::World {
 public:
  void Carry(const bx::Command& command, bx::Instant /*now*/) override {
    std::visit([this](const auto& c) { Answer(c); }, command);
  }
  void Deliver(bx::Driver& driver) {
    for (; !reports_.empty(); reports_.pop_front()) driver.Apply(reports_.front(), kNow);
  }

 private:
  void Answer(const bx::SpawnExecutor& c) {
    reports_.push_back(bx::ExecutorConnected{c.executor, c.generation, /*pid=*/1});
  }
  void Answer(const bx::PrepareActivation& c) {
    reports_.push_back(bx::ActivationPrepared{kTask, c.run, /*slot_id=*/{}, bx::CodeEpoch(1)});
  }
  void Answer(const bx::StartBuilder& c) {
    reports_.push_back(bx::BuilderFinished{kTask, c.run, bx::CallList{calls_}});
  }
  void Answer(const bx::DispatchCall& c) {
    reports_.push_back(
        bx::CallSucceeded{c.executor, c.call, c.attempt, bx::Payload::FromBytes("hi")});
  }
  void Answer(const auto& /*nothing to report*/) {}

  std::deque<bx::Event> reports_;
  bx::CallSpec calls_[2] = {{"say-hello", {}}, {"say-goodbye", {}}};
};

int main() {
  InstantWorld world;
  bx::Driver driver(bx::Engine(bx::Config()), world);
  driver.Apply(bx::Start(), kNow);
  world.Deliver(driver);  // An executor has connected: the Worker is ready.

  const auto accepted =
      driver.Apply(bx::SubmitTask{.task_id = kTask, .function = {"greet", {}}}, kNow);
  if (!accepted.ok()) return 1;
  world.Deliver(driver);

  const auto ended = driver.Apply(bx::GetTaskResult{kTask}, kNow);
  if (!ended.ok() || ended.value().state != bx::TaskState::kSucceeded) return 1;
  std::printf("%s succeeded with %u calls\n", kTask.data(), ended.value().result->calls.total);
}
