#include "engine/history.h"

#include <chrono>
#include <string_view>

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

std::string Joined(const Texts& commands) {
  std::string text;
  for (const std::string& command : commands) text += command + "; ";
  return text;
}

SubmitTask Rich(std::string_view task_id) {
  SubmitTask task = TaskWithWriter(task_id);
  task.function.payload = Payload::FromBytes("the input of the task");
  task.result_handler.payload = Payload::FromBytes("where the results go");
  task.timeout = 100s;
  task.failure_policy = CallFailurePolicy::kContinue;
  task.retry_policy = RetryPolicy{.max_attempts = 2, .base_backoff = 1s, .jitter_percent = 5};
  return task;
}

}  // namespace

Config RichConfig() {
  return {.task_slots = 6,
          .result_retention = Milliseconds(20'000),
          .watch_disconnect_grace = Milliseconds(3'000),
          .max_calls_per_task = 5,
          .builder_slots = 1,
          .executor_task_slots = 3,
          .plugin_slots = 1,
          .scan_slots = 1,
          .call_deadline = Milliseconds(8'000),
          .ramp_up_initial_window = 1,
          .ramp_up_max_window = 3,
          .max_subcall_depth = 1,
          .cancel_grace = Milliseconds(2'000),
          .stream_max_buffered_calls = 2,
          .executor_count = 3};
}

const std::vector<HistoryStep>& RichHistory() {
  using W = Worker;
  static const std::vector<HistoryStep> steps = {
      [](W& w) { return Joined(w.Start()); },
      [](W& w) { return Joined(w.Connected(0)); },
      [](W& w) { return Joined(w.Connected(1)); },
      [](W& w) {
        return w.Watch(4, {"list", "stream", "later"});
      },
      [](W& w) { return w.At(100ms).Reserve("list", 9s); },
      [](W& w) { return w.Submit(Rich("list")); },
      [](W& w) { return w.Submit("stream"); },
      [](W& w) { return w.Submit("queued"); },
      [](W& w) {
        return w.Watch(2, {"list", "queued"});
      },
      [](W& w) { return w.Reserve("reserved", 50s); },
      [](W& w) { return Joined(w.Prepared("list", 11)); },
      [](W& w) { return Joined(w.Prepared("stream", 12)); },
      [](W& w) {
        return Joined(w.Built("list", {"a", "b", "c"}));
      },
      [](W& w) { return Joined(w.Prepared("queued")); },
      [](W& w) { return Joined(w.At(200ms).Tick()); },
      [](W& w) { return Joined(w.BuiltStream("stream")); },
      [](W& w) {
        return Joined(w.Appended("stream", {"s", "t", "u", "v"}));
      },
      [](W& w) { return Joined(w.Subcall(1, 70, "inner")); },
      [](W& w) { return Joined(w.Subcall(1, 71, "inner")); },
      [](W& w) { return Joined(w.Beat(0, 8, 500)); },
      [](W& w) { return Joined(w.Beat(1, 4, 600)); },
      [](W& w) { return Joined(w.At(1s).Succeeded(8, "of the subcall")); },
      [](W& w) { return Joined(w.Subcall(9, 1, "too deep")); },
      [](W& w) { return Joined(w.Failed(4, Retryable("BUSY"))); },
      [](W& w) { return Joined(w.At(2s).Tick()); },
      [](W& w) { return Joined(w.Built("queued", {"q"})); },
      [](W& w) { return Joined(w.Unwatch(2)); },
      [](W& w) {
        return Joined(w.At(3s).Failed(9, {.code = "SAD", .message = "the subcall says why"}));
      },
      [](W& w) { return Joined(w.Succeeded(1, "first output")); },
      [](W& w) { return Joined(w.Exited(1)); },
      [](W& w) { return Joined(w.At(4500ms).Tick()); },
      [](W& w) { return Joined(w.Connected(1)); },
      [](W& w) { return w.Submit("late"); },
      [](W& w) {
        return Joined(w.NotPrepared("late", {.code = "IO_SCOPE_FAILED", .message = "no scope"}));
      },
      [](W& w) { return w.Submit("late"); },
      [](W& w) { return Joined(w.ToPlugin("written")); },
      [](W& w) { return Joined(w.ToPlugin("writing")); },
      [](W& w) { return Joined(w.At(8300ms).Tick()); },
      [](W& w) { return Joined(w.At(9s).Tick()); },
      [](W& w) { return Joined(w.At(10s).Tick()); },
      [](W& w) { return Joined(w.At(11500ms).Tick()); },
      [](W& w) { return w.Submit("later"); },
      [](W& w) { return Joined(w.Prepared("later")); },
      [](W& w) { return Joined(w.StreamEnded("stream")); },
      [](W& w) { return Joined(w.Exited(2)); },
      [](W& w) { return Joined(w.At(13s).Tick()); },
      [](W& w) { return Joined(w.Connected(2)); },
      [](W& w) { return Joined(w.At(15s).Tick()); },
      [](W& w) { return Joined(w.Written("written", "the rows that came of it")); },
      [](W& w) { return w.Get("stream"); },
      [](W& w) { return w.Get("list"); },
      [](W& w) { return Joined(w.At(20s).Tick()); },
      [](W& w) { return w.Reserve("nobody", -1s); },
      [](W& w) { return Joined(w.Drain()); },
      [](W& w) { return Joined(w.At(25s).Tick()); },
      [](W& w) { return Joined(w.At(40s).Tick()); },
      [](W& w) { return Joined(w.At(51s).Tick()); },
      [](W& w) { return Joined(w.Written("writing", "too late")); },
      [](W& w) { return Joined(w.Built("later", {"x"})); },
      [](W& w) { return Joined(w.Exited(0)); },
      [](W& w) { return Joined(w.At(80s).Tick()); },
  };
  return steps;
}

Texts Play(Worker& worker, std::size_t first) {
  Texts seen;
  for (std::size_t i = first; i < RichHistory().size(); ++i) {
    const std::string did = RichHistory()[i](worker);
    seen.push_back(did + " | " + worker.heartbeat() + " | " + worker.next_deadline() + " | " +
                   std::to_string(worker.digest()));
  }
  return seen;
}

}  // namespace blockx::engine
