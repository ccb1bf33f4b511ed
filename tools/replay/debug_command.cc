#include <histedit.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "commands.h"
#include "common.h"
#include "debugger.h"

namespace blockx::tools {
namespace {

struct Options {
  std::string log;
  std::string commands;
};

// Lines from a terminal, with editing and a history.
class Terminal {
 public:
  Terminal()
      : history_(history_init(), history_end),
        line_(el_init("blockx-replay", stdin, stdout, stderr), el_end) {
    HistEvent event;
    history(history_.get(), &event, H_SETSIZE, 1000);
    el_set(line_.get(), EL_PROMPT, &Prompt);
    el_set(line_.get(), EL_EDITOR, "emacs");
    el_set(line_.get(), EL_HIST, history, history_.get());
    el_set(line_.get(), EL_SIGNAL, 1);
  }

  // False: the end of the input.
  bool Next(std::string& line) {
    int count = 0;
    const char* text = el_gets(line_.get(), &count);
    if (text == nullptr || count <= 0) return false;
    line.assign(text, static_cast<std::size_t>(count));
    HistEvent event;
    if (line.find_first_not_of(" \n") != std::string::npos) {
      history(history_.get(), &event, H_ENTER, line.c_str());
    }
    return true;
  }

 private:
  static const char* Prompt(EditLine* /*line*/) { return "(replay) "; }

  std::unique_ptr<History, void (*)(History*)> history_;
  std::unique_ptr<EditLine, void (*)(EditLine*)> line_;
};

int Interactive(Debugger& debugger) {
  std::printf("%s; help lists the commands\n", debugger.Where().c_str());
  Terminal terminal;
  std::string line;
  while (terminal.Next(line) && debugger.Do(line) != Debugger::Answer::kQuit) std::fflush(stdout);
  return kSame;
}

// A script stops at the first command that is refused.
int Scripted(Debugger& debugger, std::istream& input, const std::string& name) {
  std::string line;
  for (int number = 1; std::getline(input, line); ++number) {
    std::printf("(replay) %s\n", line.c_str());
    const Debugger::Answer answer = debugger.Do(line);
    std::fflush(stdout);
    if (answer == Debugger::Answer::kQuit) return kSame;
    if (answer == Debugger::Answer::kRefused) {
      Complain(name + ": stopped at line " + std::to_string(number));
      return kBadUse;
    }
  }
  return kSame;
}

int Run(const Options& options) {
  auto replayer = replay::Replayer::Open(options.log);
  if (!replayer.ok()) return ComplainOf(replayer.status());
  Debugger debugger(**replayer);
  if (!options.commands.empty()) {
    std::ifstream file(options.commands);
    if (!file) {
      Complain(options.commands + ": cannot be read: " + std::strerror(errno));
      return kBadUse;
    }
    return Scripted(debugger, file, options.commands);
  }
  if (isatty(STDIN_FILENO) == 1) return Interactive(debugger);
  return Scripted(debugger, std::cin, "standard input");
}

}  // namespace

void AddDebugCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "debug", "Steps through a log in both directions, with breakpoints; help lists the commands");
  command.add_option("LOG", options->log, "The log")->required();
  command
      .add_option("--commands", options->commands,
                  "Take the commands from here, and stop at the first that is refused")
      ->type_name("FILE");
  command.footer(
      "Example:\n"
      "  printf 'break on refusal\\ncontinue\\nprint slots\\n' | blockx-replay debug log/worker-0");
  command.callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace blockx::tools
