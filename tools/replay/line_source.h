// The steps of a log as lines, whoever makes them.
#ifndef BLOCKX_TOOLS_REPLAY_LINE_SOURCE_H_
#define BLOCKX_TOOLS_REPLAY_LINE_SOURCE_H_

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "blockx/engine/config.h"
#include "blockx/proto/segment.pb.h"
#include "blockx/replay/replayer.h"
#include "blockx/replay/text.h"
#include "step_line.h"

namespace blockx::tools {

class LineSource {
 public:
  virtual ~LineSource() = default;
  // Null: the end. Valid until the next call.
  virtual const log::v1::Line* Next() = 0;
  // What went wrong on the way; kSame: nothing.
  [[nodiscard]] virtual int exit_code() const = 0;
};

// This program's engine, with the recorded configuration or another one. What it decides otherwise
// than the recorded one is no error here.
class ReplayedLines final : public LineSource {
 public:
  explicit ReplayedLines(std::unique_ptr<replay::Replayer> replayer)
      : replayer_(std::move(replayer)) {}
  const log::v1::Line* Next() override;
  [[nodiscard]] int exit_code() const override { return exit_code_; }
  [[nodiscard]] replay::Replayer& replayer() { return *replayer_; }

 private:
  std::unique_ptr<replay::Replayer> replayer_;
  StepKeeper keeper_;
  int exit_code_ = 0;
};

// Another build's: what its `show --json` prints.
class ProgramLines final : public LineSource {
 public:
  // Null: Complain was called.
  static std::unique_ptr<ProgramLines> Start(const std::string& program, const std::string& log);
  ~ProgramLines() override;
  ProgramLines(const ProgramLines&) = delete;
  ProgramLines& operator=(const ProgramLines&) = delete;

  const log::v1::Line* Next() override;
  [[nodiscard]] int exit_code() const override { return exit_code_; }

 private:
  ProgramLines(std::string program, std::FILE* out, int pid)
      : program_(std::move(program)), out_(out), pid_(pid) {}
  void Finish();

  std::string program_;
  std::FILE* out_;
  int pid_;
  char* line_ = nullptr;  // getline's
  std::size_t capacity_ = 0;
  replay::LineReader reader_;
  int exit_code_ = 0;
};

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_LINE_SOURCE_H_
