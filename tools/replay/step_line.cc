#include "step_line.h"

#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <variant>

#include "blockx/replay/brief.h"

namespace blockx::tools {
std::string TextOf(const log::v1::Line& line, log::v1::World::Value world) {
  std::string out = std::to_string(line.sequence()) + "  " +
                    replay::FormatInstant(engine::AtMicroseconds(line.now_us()), world) + "  " +
                    replay::Brief(line.event()) + "\n";
  const std::string reply = replay::Brief(line.reply());
  if (!reply.empty()) out += "    = " + reply + "\n";
  for (const log::v1::Command& command : line.commands()) {
    out += "    > " + replay::Brief(command) + "\n";
  }
  return out;
}

void PrintLine(const log::v1::Line& line, log::v1::World::Value world, bool json) {
  std::printf("%s%s", (json ? replay::JsonOf(line) : TextOf(line, world)).c_str(), json ? "\n" : "");
}

bool TaskOfStep::Concerns(const engine::Step& step) {
  bool concerns = std::visit(
      [&](const auto& e) {
        using E = std::decay_t<decltype(e)>;
        if constexpr (requires { e.task_id; }) return e.task_id == task_;
        if constexpr (requires { e.task_ids; }) {
          return std::find(e.task_ids.begin(), e.task_ids.end(), task_) != e.task_ids.end();
        }
        if constexpr (requires { e.call; }) return calls_.contains(e.call.value());
        if constexpr (std::is_same_v<E, engine::SubcallRequested>) {
          return calls_.contains(e.parent.value());
        }
        return false;
      },
      step.event);
  for (const engine::Command& command : step.commands) {
    std::visit(
        [&](const auto& c) {
          if constexpr (requires { c.task_id; }) {
            if (c.task_id != task_) return;
            concerns = true;
            if constexpr (requires { c.call; }) calls_.insert(c.call.value());
          } else if constexpr (requires { c.call; }) {
            concerns |= calls_.contains(c.call.value());
          } else if constexpr (requires { c.parent; }) {
            concerns |= calls_.contains(c.parent.value());
          }
        },
        command);
  }
  return concerns;
}

}  // namespace blockx::tools
