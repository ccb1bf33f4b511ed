#include "line_source.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "common.h"

namespace blockx::tools {

const log::v1::Line* ReplayedLines::Next() {
  while (true) {
    const absl::StatusOr<bool> more = replayer_->Next(&keeper_);
    if (more.ok()) return *more ? &keeper_.line() : nullptr;
    if (absl::IsFailedPrecondition(more.status())) return &keeper_.line();
    Complain(std::string(more.status().message()));
    exit_code_ = kDamaged;
    if (!replayer_->SkipDamage()) return nullptr;
  }
}

std::unique_ptr<ProgramLines> ProgramLines::Start(const std::string& program,
                                                  const std::string& log) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    Complain("cannot make a pipe: " + std::string(std::strerror(errno)));
    return nullptr;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::array<std::string, 4> words = {program, "show", "--json", log};
  std::array<char*, 5> arguments = {words[0].data(), words[1].data(), words[2].data(),
                                    words[3].data(), nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    Complain("--engine " + program + ": cannot be started: " + std::strerror(error));
    return nullptr;
  }
  return std::unique_ptr<ProgramLines>(new ProgramLines(program, fdopen(ends[0], "r"), pid));
}

ProgramLines::~ProgramLines() {
  Finish();
  std::free(line_);
}

const log::v1::Line* ProgramLines::Next() {
  if (out_ == nullptr) return nullptr;
  const ssize_t size = getline(&line_, &capacity_, out_);
  if (size <= 0) {
    Finish();
    return nullptr;
  }
  std::string_view text(line_, static_cast<std::size_t>(size));
  if (text.ends_with('\n')) text.remove_suffix(1);
  const absl::StatusOr<replay::InputLine> line = reader_.Read(text);
  if (!line.ok()) {
    Complain("--engine " + program_ + ": `show --json` printed a line that is none: " +
             std::string(line.status().message()));
    exit_code_ = kBadUse;
    Finish();
    return nullptr;
  }
  return line->message;
}

void ProgramLines::Finish() {
  if (out_ == nullptr) return;
  std::fclose(std::exchange(out_, nullptr));
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_ || exit_code_ != 0) return;
  // It says by 1 that it decides otherwise than the recorded engine, which is what is asked here.
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
  if (code != kSame && code != kDiffers) exit_code_ = code;
}

}  // namespace blockx::tools
