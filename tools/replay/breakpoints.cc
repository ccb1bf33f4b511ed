#include "breakpoints.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>

#include "blockx/engine/names.h"
#include "blockx/sim/suggest.h"
#include "common.h"
#include "step_line.h"

namespace blockx::tools {
namespace {

struct Field {
  std::string_view name;
  std::int64_t (*value)(const engine::Engine&);
};

// All of them cost O(1), so a condition does not slow a long log down.
constexpr std::array kFields = {
    Field{"freeSlots", [](const engine::Engine& e) { return e.DeriveHeartbeat().free_slots; }},
    Field{"reservedSlots",
          [](const engine::Engine& e) { return e.DeriveHeartbeat().reserved_slots; }},
    Field{"runningTasks",
          [](const engine::Engine& e) { return e.DeriveHeartbeat().running_tasks; }},
    Field{"healthyExecutors",
          [](const engine::Engine& e) { return e.DeriveHeartbeat().healthy_executors; }},
    Field{"ready",
          [](const engine::Engine& e) -> std::int64_t { return e.DeriveHeartbeat().ready; }},
    Field{"draining",
          [](const engine::Engine& e) -> std::int64_t { return e.DeriveHeartbeat().draining; }},
    Field{"builder.inUse", [](const engine::Engine& e) { return e.load().builder.in_use; }},
    Field{"builder.waiting", [](const engine::Engine& e) { return e.load().builder.waiting; }},
    Field{"scan.inUse", [](const engine::Engine& e) { return e.load().scan.in_use; }},
    Field{"scan.waiting", [](const engine::Engine& e) { return e.load().scan.waiting; }},
    Field{"executorTasks.inUse",
          [](const engine::Engine& e) { return e.load().executor_tasks.in_use; }},
    Field{"executorTasks.waiting",
          [](const engine::Engine& e) { return e.load().executor_tasks.waiting; }},
    Field{"plugin.inUse", [](const engine::Engine& e) { return e.load().plugin.in_use; }},
    Field{"plugin.waiting", [](const engine::Engine& e) { return e.load().plugin.waiting; }},
    Field{"calls.running", [](const engine::Engine& e) { return e.load().calls_occupying; }},
    Field{"calls.waiting", [](const engine::Engine& e) { return e.load().calls_waiting; }},
};

using Compare = bool (*)(std::int64_t, std::int64_t);
constexpr std::array<std::pair<std::string_view, Compare>, 6> kComparisons = {{
    {"<", [](std::int64_t a, std::int64_t b) { return a < b; }},
    {"<=", [](std::int64_t a, std::int64_t b) { return a <= b; }},
    {"=", [](std::int64_t a, std::int64_t b) { return a == b; }},
    {"!=", [](std::int64_t a, std::int64_t b) { return a != b; }},
    {">=", [](std::int64_t a, std::int64_t b) { return a >= b; }},
    {">", [](std::int64_t a, std::int64_t b) { return a > b; }},
}};

std::optional<Condition> OnState(const std::vector<std::string>& words,
                                 const engine::Engine& engine) {
  const auto field = std::find_if(kFields.begin(), kFields.end(),
                                  [&](const Field& f) { return f.name == words[0]; });
  const auto comparison = std::find_if(kComparisons.begin(), kComparisons.end(),
                                       [&](const auto& c) { return c.first == words[1]; });
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(words[2].data(), words[2].data() + words[2].size(), number);
  if (field == kFields.end()) {
    Complain("no field is called " + words[0] + "; there are: " + ConditionFields());
  } else if (comparison == kComparisons.end()) {
    Complain(words[1] + ": expected <, <=, =, !=, >= or >");
  } else if (error != std::errc() || end != words[2].data() + words[2].size()) {
    Complain(words[2] + ": expected a whole number");
  } else {
    // It holds where it begins to: a state that goes on does not stop at each step. Going
    // backwards, too, it stops at such a step.
    const auto before = std::make_shared<std::pair<std::uint64_t, bool>>(0, false);
    return [&engine, before, value = field->value, compare = comparison->second,
            number](const engine::Step& step) {
      const bool now = compare(value(engine), number);
      const bool begins = now && !(before->first + 1 == step.sequence && before->second);
      *before = {step.sequence, now};
      return begins;
    };
  }
  return std::nullopt;
}

std::optional<Condition> OnEvent(const std::string& name) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::variant_size_v<engine::Event>; ++i) {
    if (EventName(i) == name) {
      return [i](const engine::Step& step) { return step.event.index() == i; };
    }
    names.push_back(EventName(i));
  }
  const std::string_view nearest = sim::Nearest(name, names);
  Complain("no event is called " + name +
           (nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?"));
  return std::nullopt;
}

// A phase shows where it begins: by the command that starts its work or ends the task.
bool Enters(const engine::Command& command, engine::Phase phase) {
  switch (phase) {
    case engine::Phase::kPreparing:
      return std::holds_alternative<engine::PrepareActivation>(command);
    case engine::Phase::kBuilder:
      return std::holds_alternative<engine::StartBuilder>(command);
    case engine::Phase::kCalls:
      return std::holds_alternative<engine::DispatchCall>(command) &&
             std::get<engine::DispatchCall>(command).attempt == engine::Attempt(1);
    case engine::Phase::kPlugin:
      return std::holds_alternative<engine::StartWriter>(command);
    case engine::Phase::kTerminal:
      return std::holds_alternative<engine::ConvergeTask>(command);
  }
  return false;
}

std::optional<Condition> OnPhase(const std::string& name) {
  using engine::Phase;
  for (const Phase phase :
       {Phase::kPreparing, Phase::kBuilder, Phase::kCalls, Phase::kPlugin, Phase::kTerminal}) {
    if (NameOf(phase) != name) continue;
    return [phase](const engine::Step& step) {
      return std::any_of(step.commands.begin(), step.commands.end(),
                         [phase](const engine::Command& c) { return Enters(c, phase); });
    };
  }
  Complain("no phase is called " + name +
           "; there are PREPARING, BUILDER, CALLS, PLUGIN and TERMINAL");
  return std::nullopt;
}

}  // namespace

std::string ConditionFields() {
  std::string out;
  for (const Field& field : kFields) out += (out.empty() ? "" : ", ") + std::string(field.name);
  return out;
}

std::optional<Condition> ParseCondition(const std::vector<std::string>& words,
                                        const engine::Engine& engine) {
  if (words.size() == 1 && words[0] == "refusal") {
    return
        [](const engine::Step& step) { return std::holds_alternative<engine::Error>(step.reply); };
  }
  if (words.size() == 2 && words[0] == "event") return OnEvent(words[1]);
  if (words.size() == 2 && words[0] == "phase") return OnPhase(words[1]);
  if (words.size() == 2 && words[0] == "task") {
    const auto task = std::make_shared<TaskOfStep>(words[1]);
    return [task](const engine::Step& step) { return task->Concerns(step); };
  }
  if (words.size() == 3) return OnState(words, engine);
  Complain(
      "expected: break on event NAME | task ID | phase PHASE | refusal | FIELD < NUMBER, where "
      "FIELD "
      "is one of " +
      ConditionFields());
  return std::nullopt;
}

}  // namespace blockx::tools
