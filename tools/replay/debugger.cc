#include "debugger.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <sstream>
#include <utility>

#include "blockx/engine/state.h"
#include "blockx/replay/brief.h"
#include "breakpoints.h"
#include "common.h"
#include "state_text.h"

namespace blockx::tools {
namespace {

// Remembers the last step at which a breakpoint holds.
class Watcher final : public engine::StepObserver {
 public:
  explicit Watcher(const std::vector<Breakpoint>& breakpoints) : breakpoints_(breakpoints) {}

  void OnStep(const engine::Step& step) override {
    keeper.OnStep(step);
    hit = nullptr;
    for (const Breakpoint& breakpoint : breakpoints_) {
      // Each sees every step: some remember.
      if (breakpoint.holds(step) && hit == nullptr) hit = &breakpoint;
    }
    if (hit != nullptr) last_hit = step.sequence;
  }

  const Breakpoint* hit = nullptr;
  std::optional<std::uint64_t> last_hit;
  StepKeeper keeper;

 private:
  const std::vector<Breakpoint>& breakpoints_;
};

void Say(const std::string& text) { std::printf("%s", text.c_str()); }

std::optional<std::uint64_t> Count(const std::vector<std::string>& words) {
  if (words.size() < 2) return 1;
  std::uint64_t count = 0;
  const std::string& word = words[1];
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (error == std::errc() && end == word.data() + word.size()) return count;
  Complain(word + ": expected a number of steps");
  return std::nullopt;
}

}  // namespace

Debugger::Debugger(replay::Replayer& replayer)
    : replayer_(replayer), world_(replayer.log().header().world()) {}

const std::vector<Debugger::Verb>& Debugger::Verbs() {
  static const std::vector<Verb> verbs = {
      {"step", &Debugger::Step, "step [N]", "play the next record, or N of them"},
      {"back", &Debugger::Back, "back [N]", "go back by one record, or N"},
      {"goto", &Debugger::Goto, "goto MOMENT",
       "a record's number, +1.5s since the start, or a date"},
      {"continue", &Debugger::Continue, "continue", "on to the next breakpoint, or the end"},
      {"reverse", &Debugger::Reverse, "reverse", "back to the last breakpoint, or the beginning"},
      {"break", &Debugger::Break, "break on WHAT",
       "event NAME | task ID | phase PHASE | refusal | FIELD < NUMBER"},
      {"breaks", &Debugger::Breaks, "breaks", "list the breakpoints"},
      {"delete", &Debugger::Delete, "delete N", "a breakpoint"},
      {"show", &Debugger::Show, "show", "the present record, the reply (=) and the commands (>)"},
      {"print", &Debugger::Print, "print WHAT",
       "slots | task ID | executors | queues | watches | heartbeat"},
      {"help", &Debugger::Help, "help", "this list"},
      {"quit", &Debugger::Quit, "quit", "or the end of the input"},
  };
  return verbs;
}

Debugger::Answer Debugger::Do(std::string_view line) {
  Words words;
  std::istringstream input{std::string(line)};
  for (std::string word; input >> word;) words.push_back(word);
  if (words.empty() || words[0].starts_with('#')) return Answer::kDone;
  const Verb* found = nullptr;
  for (const Verb& verb : Verbs()) {
    if (verb.name == words[0]) return (this->*verb.handler)(words);
    if (!verb.name.starts_with(words[0])) continue;
    if (found == nullptr) found = &verb;  // "s", "c": the first in the list.
  }
  if (found != nullptr) return (this->*found->handler)(words);
  Complain("no command is called " + words[0] + "; try help");
  return Answer::kRefused;
}

std::string Debugger::Where() const {
  return "after record " + std::to_string(replayer_.sequence()) + " of " +
         std::to_string(replayer_.last()) + ", " + replay::FormatInstant(replayer_.now(), world_);
}

Debugger::Moved Debugger::Forward(engine::StepObserver* observer) {
  const absl::StatusOr<bool> more = replayer_.Next(observer);
  if (more.ok()) return *more ? Moved::kYes : Moved::kAtEnd;
  Complain(std::string(more.status().message()));
  if (absl::IsFailedPrecondition(more.status())) return Moved::kYes;
  if (replayer_.SkipDamage()) {
    Complain("going on " + Where());
    return Moved::kYes;
  }
  return Moved::kFailed;
}

Debugger::Answer Debugger::Step(const Words& words) {
  const auto count = Count(words);
  if (!count) return Answer::kRefused;
  StepKeeper keeper;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const Moved moved = Forward(&keeper);
    if (moved == Moved::kAtEnd) {
      Say("at the end\n");
      return Answer::kDone;
    }
    if (moved == Moved::kFailed) return Answer::kRefused;
    Say(TextOf(keeper.line(), world_));
  }
  return Answer::kDone;
}

// Stops one record before, so that the step that leads there can be shown.
Debugger::Answer Debugger::GoTo(std::uint64_t sequence) {
  const std::uint64_t before = std::max(sequence, replayer_.first() + 1) - 1;
  if (const absl::Status status = replayer_.Goto(before); !status.ok()) {
    Complain(std::string(status.message()));
    return Answer::kRefused;
  }
  if (sequence == replayer_.first()) {
    Say("at the beginning, " + Where() + "\n");
    return Answer::kDone;
  }
  StepKeeper keeper;
  if (Forward(&keeper) != Moved::kYes) return Answer::kRefused;
  Say(TextOf(keeper.line(), world_));
  return Answer::kDone;
}

Debugger::Answer Debugger::Back(const Words& words) {
  const auto count = Count(words);
  if (!count) return Answer::kRefused;
  const std::uint64_t room = replayer_.sequence() - replayer_.first();
  if (room == 0) {
    Say("at the beginning\n");
    return Answer::kDone;
  }
  return GoTo(replayer_.sequence() - std::min(*count, room));
}

Debugger::Answer Debugger::Goto(const Words& words) {
  if (words.size() != 2) {
    Complain("expected: goto MOMENT");
    return Answer::kRefused;
  }
  const auto moment = ParseMoment(words[1], replayer_.log());
  return moment ? GoTo(*moment) : Answer::kRefused;
}

Debugger::Answer Debugger::Continue(const Words& /*words*/) {
  Watcher watcher(breakpoints_);
  ReplayProgress progress(replayer_.sequence(), replayer_.last());
  while (true) {
    const Moved moved = Forward(&watcher);
    progress.At(replayer_.sequence());
    if (moved == Moved::kFailed) return Answer::kRefused;
    if (moved == Moved::kAtEnd) {
      Say("at the end, " + Where() + "\n");
      return Answer::kDone;
    }
    if (watcher.hit == nullptr) continue;
    Say("breakpoint " + std::to_string(watcher.hit->number) + ": " + watcher.hit->text + "\n" +
        TextOf(watcher.keeper.line(), world_));
    return Answer::kDone;
  }
}

// Breakpoints are looked for forwards, from one snapshot before the present moment after the other.
Debugger::Answer Debugger::Reverse(const Words& /*words*/) {
  std::uint64_t end = replayer_.sequence();
  while (end > replayer_.first()) {
    const auto snapshot = replayer_.log().SnapshotBefore(end < 2 ? 0 : end - 2);
    const std::uint64_t begin =
        std::max(snapshot ? snapshot->sequence : replayer_.first(), replayer_.first());
    if (const absl::Status status = replayer_.Goto(begin); !status.ok()) {
      Complain(std::string(status.message()));
      return Answer::kRefused;
    }
    Watcher watcher(breakpoints_);
    while (replayer_.sequence() + 1 < end && Forward(&watcher) == Moved::kYes) {
    }
    if (watcher.last_hit) return GoTo(*watcher.last_hit);
    if (begin == replayer_.first()) break;
    end = begin + 1;  // The record before the snapshot may be the one.
  }
  return GoTo(replayer_.first());
}

Debugger::Answer Debugger::Break(const Words& words) {
  if (words.size() < 3 || words[1] != "on") {
    Complain("expected: break on WHAT; see help");
    return Answer::kRefused;
  }
  const Words what(words.begin() + 2, words.end());
  auto holds = ParseCondition(what, replayer_.engine());
  if (!holds) return Answer::kRefused;
  std::string text;
  for (const std::string& word : what) text += (text.empty() ? "" : " ") + word;
  breakpoints_.push_back({++last_number_, text, *std::move(holds)});
  Say("breakpoint " + std::to_string(last_number_) + ": " + text + "\n");
  return Answer::kDone;
}

Debugger::Answer Debugger::Breaks(const Words& /*words*/) {
  for (const Breakpoint& breakpoint : breakpoints_) {
    Say(std::to_string(breakpoint.number) + "  " + breakpoint.text + "\n");
  }
  if (breakpoints_.empty()) Say("no breakpoints\n");
  return Answer::kDone;
}

Debugger::Answer Debugger::Delete(const Words& words) {
  const auto found = std::find_if(breakpoints_.begin(), breakpoints_.end(), [&](const auto& b) {
    return words.size() == 2 && std::to_string(b.number) == words[1];
  });
  if (found == breakpoints_.end()) {
    Complain("expected: delete N, with the number of a breakpoint");
    return Answer::kRefused;
  }
  breakpoints_.erase(found);
  return Answer::kDone;
}

Debugger::Answer Debugger::Show(const Words& /*words*/) { return GoTo(replayer_.sequence()); }

Debugger::Answer Debugger::Print(const Words& words) {
  const std::string what = words.size() > 1 ? words[1] : "";
  const engine::State state = engine::Inspect(replayer_.engine());
  if (what == "slots") {
    Say(SlotsText(state, world_));
  } else if (what == "executors") {
    Say(ExecutorsText(state, world_));
  } else if (what == "queues") {
    Say(QueuesText(state));
  } else if (what == "watches") {
    Say(WatchesText(state));
  } else if (what == "heartbeat") {
    Say(HeartbeatText(replayer_.engine()));
  } else if (what == "task" && words.size() == 3) {
    const std::string text = TaskText(state, words[2], world_);
    Say(text.empty() ? "the Worker does not know a task " + words[2] + " now\n" : text);
  } else {
    Complain("expected: print slots | task ID | executors | queues | watches | heartbeat");
    return Answer::kRefused;
  }
  return Answer::kDone;
}

Debugger::Answer Debugger::Help(const Words& /*words*/) {
  for (const Verb& verb : Verbs()) {
    std::printf("%-14s %s\n", std::string(verb.usage).c_str(), std::string(verb.help).c_str());
  }
  std::printf("FIELD is one of %s.\nA command may be shortened to its beginning.\n",
              ConditionFields().c_str());
  return Answer::kDone;
}

Debugger::Answer Debugger::Quit(const Words& /*words*/) { return Answer::kQuit; }

}  // namespace blockx::tools
