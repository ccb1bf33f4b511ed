#include "state_text.h"

#include <algorithm>
#include <vector>

#include "blockx/engine/names.h"
#include "blockx/replay/brief.h"

namespace blockx::tools {
namespace {

using engine::Instant;
using engine::State;

// Rows of cells, each column as wide as its widest cell.
class Table {
 public:
  explicit Table(std::vector<std::string> head) { Add(std::move(head)); }
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::string Text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string At(Instant at, log::v1::World::Value world) {
  return at == engine::kNever ? "" : replay::FormatInstant(at, world);
}

std::string Joined(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    out += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kShown) out += ", ... (" + std::to_string(names.size()) + " in all)";
  return out;
}

std::string NameOfAttempt(const State::Attempt& attempt) {
  return "call " + std::to_string(attempt.call.value()) + " attempt " +
         std::to_string(attempt.number.value());
}

// What a task is doing, in a word or two.
std::string Doing(const State::Task& task, const State& state) {
  if (!task.active) return "reserved";
  for (const State::Queue& queue : state.queues) {
    const auto place = std::find(queue.waiting.begin(), queue.waiting.end(), task.id);
    if (place == queue.waiting.end()) continue;
    return "waits for a " + std::string(NameOf(queue.stage)) + " permit, " +
           std::to_string(place - queue.waiting.begin() + 1) + " of " +
           std::to_string(queue.waiting.size()) + " in line";
  }
  if (task.active->owed != engine::Work::kNone && task.active->owed != engine::Work::kStream) {
    return std::string(NameOf(task.active->owed)) + " at work";
  }
  if (task.active->phase == engine::Phase::kPreparing) return "activation at work";
  const auto done = std::count_if(task.active->calls.begin(), task.active->calls.end(),
                                  [](const State::Call& call) {
                                    return call.state == engine::CallState::kSucceeded ||
                                           call.state == engine::CallState::kFailed;
                                  });
  return std::to_string(task.active->attempts.size()) + " attempts running, " +
         std::to_string(done) + " of " + std::to_string(task.active->calls.size()) + " calls done" +
         (task.active->streaming ? ", more are streaming in" : "");
}

}  // namespace

std::string SlotsText(const State& state, log::v1::World::Value world) {
  Table table({"slot", "task", "phase", "since", "until", "doing"});
  std::size_t taken = 0;
  for (const State::Task& task : state.tasks) {
    if (!task.slot) continue;
    ++taken;
    table.Add({engine::SlotId(*task.slot), task.id,
               std::string(task.active ? NameOf(task.active->phase) : NameOf(task.state)),
               At(task.result.times.accepted, world),
               At(task.active ? task.active->deadline : task.lease_expires_at, world),
               Doing(task, state)});
  }
  return (taken > 0 ? table.Text() : "") + std::to_string(taken) + " of " +
         std::to_string(state.slots) + " slots taken, " +
         std::to_string(state.tasks.size() - taken) + " results retained\n";
}

std::string QueuesText(const State& state) {
  Table table({"stage", "in use", "of", "waiting", "next in line"});
  for (const State::Queue& queue : state.queues) {
    table.Add({std::string(NameOf(queue.stage)), std::to_string(queue.in_use),
               std::to_string(queue.limit), std::to_string(queue.waiting.size()),
               Joined(queue.waiting)});
  }
  std::string out = table.Text();
  if (!state.turns.empty()) out += "take turns for executors: " + Joined(state.turns) + "\n";
  for (const State::Orphan& orphan : state.orphans) {
    out += "still at work for the ended task " + orphan.task_id + ": its " +
           std::string(NameOf(orphan.work)) + "\n";
  }
  return out;
}

std::string ExecutorsText(const State& state, log::v1::World::Value world) {
  Table table({"executor", "state", "generation", "next", "at", "runs"});
  for (const State::Executor& executor : state.executors) {
    std::string next;
    Instant at = engine::kNever;
    const auto sooner = [&](Instant timer, const char* name) {
      if (timer == engine::kNever || (at != engine::kNever && at <= timer)) return;
      at = timer;
      next = name;
    };
    sooner(executor.start_timeout, "start time-out");
    sooner(executor.heartbeat_timeout, "heartbeat time-out");
    sooner(executor.wedged_at, "wedge");
    sooner(executor.restart_at, "restart");
    std::vector<std::string> runs;
    for (const State::Attempt& attempt : executor.attempts) {
      runs.push_back(NameOfAttempt(attempt) + (attempt.live ? "" : " (cancelled)"));
    }
    table.Add({std::to_string(executor.id.value()), std::string(NameOf(executor.state)),
               std::to_string(executor.generation.value()), next, At(at, world), Joined(runs)});
  }
  return table.Text();
}

std::string WatchesText(const State& state) {
  if (state.watches.empty()) return "no watches\n";
  Table table({"watch", "waits for"});
  for (const State::Watch& watch : state.watches) {
    table.Add({std::to_string(watch.id.value()), Joined(watch.task_ids)});
  }
  return table.Text();
}

std::string HeartbeatText(const engine::Engine& engine) {
  const engine::Heartbeat h = engine.DeriveHeartbeat();
  return std::string(h.ready ? "ready" : "not ready") + (h.draining ? ", draining" : "") + ": " +
         std::to_string(h.free_slots) + " free, " + std::to_string(h.reserved_slots) +
         " reserved and " + std::to_string(h.running_tasks) + " running of " +
         std::to_string(h.task_slots) + " slots; " + std::to_string(h.healthy_executors) +
         " healthy executors\n";
}

std::string TaskText(const State& state, std::string_view task_id, log::v1::World::Value world) {
  const auto task = std::find_if(state.tasks.begin(), state.tasks.end(),
                                 [&](const State::Task& t) { return t.id == task_id; });
  if (task == state.tasks.end()) return "";
  std::string out = "task " + task->id + ": " + std::string(NameOf(task->state));
  if (task->slot) out += " in slot-" + std::to_string(task->slot->value());
  out += task->run.value() > 0 ? ", run " + std::to_string(task->run.value()) + "\n" : "\n";
  if (task->lease_expires_at != engine::kNever) {
    out += "  lease expires at " + At(task->lease_expires_at, world) + "\n";
  }
  if (!task->active) {
    if (!task->result.failure_code.empty()) {
      out += "  " + task->result.failure_code + ": " + task->result.message + "\n";
    }
    if (task->purge_at != engine::kNever) {
      out += "  its result is kept until " + At(task->purge_at, world) + "\n";
    }
    return out;
  }
  const State::Active& active = *task->active;
  out += "  " + std::string(NameOf(active.phase)) + ": " + Doing(*task, state) + "; deadline " +
         At(active.deadline, world) + "\n";
  if (active.calls.empty()) return out;
  out += "  window " + std::to_string(active.window) + ", " + std::to_string(active.in_flight) +
         " root calls in flight\n";
  Table table({"  call", "id", "function", "state", "attempts", "executor"});
  constexpr std::size_t kShown = 40;
  for (std::size_t i = 0; i < std::min(active.calls.size(), kShown); ++i) {
    const State::Call& call = active.calls[i];
    const auto attempt =
        std::find_if(active.attempts.begin(), active.attempts.end(),
                     [&](const State::Attempt& a) { return a.call == call.id && a.live; });
    const bool runs = call.id.value() != 0 && attempt != active.attempts.end();
    table.Add({call.parent.value() == 0 ? "  " + std::to_string(call.index)
                                        : "    of call " + std::to_string(call.parent.value()),
               call.id.value() == 0 ? "" : std::to_string(call.id.value()), call.function,
               std::string(NameOf(call.state)), std::to_string(call.attempts),
               runs && attempt->executor ? std::to_string(attempt->executor->value()) : ""});
  }
  out += table.Text();
  if (active.calls.size() > kShown) {
    out += "  ... and " + std::to_string(active.calls.size() - kShown) + " calls more\n";
  }
  return out;
}

}  // namespace blockx::tools
