#include "random_history.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

namespace blockx::properties {

using namespace blockx::engine;  // NOLINT(google-build-using-namespace): events and commands in every line

namespace {

constexpr std::array<std::string_view, 5> kTasks = {"t1", "t2", "t3", "t4", "a-task-with-an-id-of-thirty-six-bytes"};
constexpr std::array<std::string_view, 3> kWatchedTasks = {"t1", "t3", "t1"};
const std::array<CallSpec, 4> kCalls = {CallSpec{"f", Payload::FromBytes("x")}, CallSpec{"g", {}}, CallSpec{"h", {}},
                                        CallSpec{"i", {}}};

// Takes one small number off the choice.
std::uint32_t Take(std::uint32_t& choice, std::uint32_t below) {
  const std::uint32_t taken = choice % below;
  choice /= below;
  return taken;
}

Failure SomeFailure(std::uint32_t& choice) {
  return {.code = Take(choice, 2) == 0 ? "" : "BROKEN", .message = "it broke", .retryable = Take(choice, 3) != 0};
}

std::span<const CallSpec> SomeCalls(std::uint32_t& choice) {
  return std::span(kCalls).first(Take(choice, kCalls.size() + 1));
}

// An element, which is removed unless it is to be reported a second time.
template <class T>
T TakeFrom(std::vector<T>& items, std::uint32_t& choice) {
  const auto at = items.begin() + Take(choice, static_cast<std::uint32_t>(items.size()));
  T item = *at;
  if (Take(choice, 8) != 0) items.erase(at);
  return item;
}

}  // namespace

Config SmallConfig(const Choices& choices) {
  std::uint32_t choice = choices.empty() ? 0 : choices.front();
  Config config;
  config.task_slots = 1 + Take(choice, 3);
  config.executor_count = 1 + Take(choice, 2);
  config.executor_max_concurrent_calls = 1 + Take(choice, 2);
  config.builder_slots = config.plugin_slots = config.scan_slots = 1;
  config.executor_task_slots = 1 + Take(choice, 2);
  config.ramp_up_initial_window = 1;
  config.ramp_up_max_window = 3;
  config.stream_max_buffered_calls = 2;
  config.max_subcall_depth = 1 + Take(choice, 2);
  config.max_calls_per_task = 6 + Take(choice, 20);
  config.max_watches = 2;
  config.max_watched_ids = 3;
  config.task_deadline = Milliseconds(Take(choice, 2) == 0 ? 2'000 : 20'000);
  config.default_ttl = Milliseconds(600);
  config.result_retention = Milliseconds(Take(choice, 3) * 700);
  config.watch_disconnect_grace = Milliseconds(Take(choice, 2) * 300);
  config.tick_interval = Milliseconds(Take(choice, 2) * 500);
  config.call_deadline = Milliseconds(1'000);
  config.cancel_grace = Milliseconds(400);
  config.scheduler_stall_timeout = Milliseconds(1'500);
  config.executor_heartbeat_timeout = Milliseconds(3'000);
  config.executor_restart_delay = Milliseconds(Take(choice, 2) * 100);
  config.executor_max_restarts = 3;
  config.drain_timeout = Milliseconds(1'000);
  return config;
}

RandomHistory::Step RandomHistory::Next(std::uint32_t choice, std::optional<Instant> next_deadline) {
  switch (Take(choice, 24)) {
    case 0:
    case 1:
      now_ = AddSaturating(now_, Microseconds(Take(choice, 150'000)));
      break;
    case 2:
      if (next_deadline) now_ = std::max(now_, *next_deadline);
      return {Tick{}, now_};
    case 3:
      return {Tick{}, AddSaturating(now_, -Microseconds(Take(choice, 1'000)))};
    default:
      break;
  }
  if (!std::exchange(started_, true)) return {Start{}, now_};
  switch (Take(choice, 16)) {
    case 0:
      return {Take(choice, 64) == 0 ? Event(BeginDrain{}) : Event(Start{}), now_};
    case 1:
      return {Take(choice, 128) == 0 ? Event(ForceStop{}) : Event(Tick{}), now_};
    case 2:
    case 3:
    case 4:
    case 5:
      return {Request(choice), now_};
    case 6:
    case 7:
    case 8:
    case 9:
      return {WorkReport(choice), now_};
    case 10:
    case 11:
    case 12:
      return {CallReport(choice), now_};
    default:
      return {ExecutorReport(choice), now_};
  }
}

Event RandomHistory::Request(std::uint32_t choice) {
  const std::string_view task = kTasks[Take(choice, kTasks.size())];
  switch (Take(choice, 8)) {
    case 0:
      return RequestTaskSlot{.task_id = task, .ttl = Milliseconds(Take(choice, 3) * 200)};
    case 1:
      return GetTaskResult{task};
    case 2:
      return OpenWatch{WatchId(Take(choice, 3)), std::span(kWatchedTasks).first(Take(choice, 4))};
    case 3:
      return CloseWatch{WatchId(Take(choice, 3))};
    default:
      break;
  }
  SubmitTask submit{.task_id = task, .function = {"f", {}}};
  if (Take(choice, 4) == 0) submit.slot_id = Take(choice, 2) == 0 ? "slot-0" : "slot-00";
  if (Take(choice, 2) == 0) submit.result_handler = {"log", {}};
  if (Take(choice, 3) == 0) submit.failure_policy = CallFailurePolicy::kContinue;
  if (Take(choice, 4) == 0) submit.retry_policy = RetryPolicy{1 + Take(choice, 3), Milliseconds(Take(choice, 3)), 5};
  return submit;
}

Event RandomHistory::WorkReport(std::uint32_t choice) {
  if (work_.empty()) return CallsAppended{.task_id = "t1", .run = Run(1), .calls = kCalls};
  const bool appends = Take(choice, 4) != 0;
  const auto stream = std::find_if(work_.begin(), work_.end(), [](const Work& w) { return w.kind == Work::Kind::kStream; });
  if (appends && stream != work_.end()) {
    said_ = stream->task_id;
    return CallsAppended{said_, stream->run, SomeCalls(choice)};
  }
  const Work work = TakeFrom(work_, choice);
  said_ = work.task_id;
  const bool fails = Take(choice, 6) == 0;
  switch (work.kind) {
    case Work::Kind::kActivation:
      if (fails) return ActivationFailed{said_, work.run, SomeFailure(choice)};
      return ActivationPrepared{.task_id = said_, .run = work.run, .epoch = CodeEpoch(7)};
    case Work::Kind::kBuilder:
      if (fails) return BuilderFinished{said_, work.run, SomeFailure(choice)};
      if (Take(choice, 3) == 0) return BuilderFinished{said_, work.run, StreamMarker{}};
      return BuilderFinished{said_, work.run, CallList{SomeCalls(choice)}};
    case Work::Kind::kStream:
      return CallStreamEnded{said_, work.run, fails ? std::optional(SomeFailure(choice)) : std::nullopt};
    case Work::Kind::kWriter:
      break;
  }
  if (fails) return WriterFinished{said_, work.run, SomeFailure(choice)};
  return WriterFinished{said_, work.run, Payload::FromBytes("written")};
}

Event RandomHistory::CallReport(std::uint32_t choice) {
  if (calls_.empty()) return CallSucceeded{ExecutorId(0), CallId(1), Attempt(1), {}};
  if (Take(choice, 3) == 0) {
    const Dispatched& parent = calls_[Take(choice, static_cast<std::uint32_t>(calls_.size()))];
    return SubcallRequested{parent.executor, parent.call, parent.attempt, SubcallRef(Take(choice, 3)), kCalls[1]};
  }
  const Dispatched call = TakeFrom(calls_, choice);
  if (Take(choice, 3) == 0) return CallFailed{call.executor, call.call, call.attempt, SomeFailure(choice)};
  return CallSucceeded{call.executor, call.call, call.attempt, Payload::FromBytes("out")};
}

Event RandomHistory::ExecutorReport(std::uint32_t choice) {
  if (processes_.empty()) return ExecutorConnected{ExecutorId(0), Generation(9), 1};
  const std::uint32_t which = Take(choice, static_cast<std::uint32_t>(processes_.size()));
  const Process process = processes_[which];
  switch (Take(choice, 5)) {
    case 0:
    case 1:
      return ExecutorConnected{process.executor, process.generation, 42};
    case 2:
      if (Take(choice, 4) != 0) return ExecutorHeartbeat{process.executor, process.generation, CallId(0), 0};
      if (Take(choice, 2) == 0) processes_.erase(processes_.begin() + which);
      return ExecutorExited{process.executor, process.generation, "gone"};
    default:
      return ExecutorHeartbeat{process.executor, process.generation, CallId(Take(choice, 2)), Take(choice, 2)};
  }
}

void RandomHistory::Learn(std::span<const Command> commands) {
  for (const Command& command : commands) {
    if (const auto* c = std::get_if<PrepareActivation>(&command)) {
      work_.push_back({std::string(c->task_id), c->run, Work::Kind::kActivation});
    } else if (const auto* b = std::get_if<StartBuilder>(&command)) {
      work_.push_back({std::string(b->task_id), b->run, Work::Kind::kBuilder});
    } else if (const auto* s = std::get_if<StartCallStream>(&command)) {
      work_.push_back({std::string(s->task_id), s->run, Work::Kind::kStream});
    } else if (const auto* w = std::get_if<StartWriter>(&command)) {
      work_.push_back({std::string(w->task_id), w->run, Work::Kind::kWriter});
    } else if (const auto* d = std::get_if<DispatchCall>(&command)) {
      calls_.push_back({d->executor, d->call, d->attempt});
    } else if (const auto* e = std::get_if<SpawnExecutor>(&command)) {
      processes_.push_back({e->executor, e->generation});
    }
  }
}

}  // namespace blockx::properties
