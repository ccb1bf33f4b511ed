// The stepper of `blockx-replay debug`: one command a line.
#ifndef BLOCKX_TOOLS_REPLAY_DEBUGGER_H_
#define BLOCKX_TOOLS_REPLAY_DEBUGGER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "blockx/replay/replayer.h"
#include "step_line.h"

namespace blockx::tools {

// Where `continue` and `reverse` stop.
struct Breakpoint {
  int number = 0;
  std::string text;  // As the user wrote it.
  std::function<bool(const engine::Step&)> holds;
};

class Debugger {
 public:
  enum class Answer { kDone, kRefused, kQuit };

  explicit Debugger(replay::Replayer& replayer);

  // Does what a line says; answers go to stdout, complaints to stderr.
  Answer Do(std::string_view line);
  // "after record 12, +1.5s"
  [[nodiscard]] std::string Where() const;

 private:
  using Words = std::vector<std::string>;
  using Handler = Answer (Debugger::*)(const Words&);
  struct Verb {
    std::string_view name;
    Handler handler;
    std::string_view usage;
    std::string_view help;
  };
  static const std::vector<Verb>& Verbs();

  Answer Step(const Words& words);
  Answer Back(const Words& words);
  Answer Goto(const Words& words);
  Answer Continue(const Words& words);
  Answer Reverse(const Words& words);
  Answer Break(const Words& words);
  Answer Breaks(const Words& words);
  Answer Delete(const Words& words);
  Answer Show(const Words& words);
  Answer Print(const Words& words);
  Answer Help(const Words& words);
  Answer Quit(const Words& words);

  enum class Moved { kYes, kAtEnd, kFailed };
  Moved Forward(engine::StepObserver* observer);
  Answer GoTo(std::uint64_t sequence);

  replay::Replayer& replayer_;
  log::v1::World::Value world_;
  std::vector<Breakpoint> breakpoints_;
  int last_number_ = 0;
};

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_DEBUGGER_H_
