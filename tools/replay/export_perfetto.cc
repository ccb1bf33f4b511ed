#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "export_forms.h"
#include "trace_writer.h"

namespace blockx::tools {
namespace {

using engine::Instant;
using engine::kNever;
using Group = TraceWriter::Group;
using Track = TraceWriter::Track;

// On one executor's place stand its processes, and after them the lanes of its calls.
constexpr std::int64_t kPlacesOfExecutor = 2;
constexpr std::int64_t kRefusals = 0;
constexpr std::int64_t kWorker = 1;

class Tracer {
 public:
  Tracer(const Timeline& timeline, Output& out) : timeline_(timeline), trace_(timeline, out) {
    for (const TimelineAttempt& line : timeline.attempts) {
      const std::int64_t number = AttemptOf(timeline, line).number.value();
      attempts_[{line.run, line.call, number}] = &line;
    }
  }

  void Write() {
    trace_.NameGroup(Group::kWorker, timeline_.worker);
    trace_.NameGroup(Group::kSlots, "slots");
    trace_.NameGroup(Group::kExecutors, "executors");
    trace_.NameGroup(Group::kLevels, "in use and waiting");
    NumberTracks();
    WriteWorker();
    for (const TimelineLease& lease : timeline_.leases) WriteLease(lease);
    for (const TimelineRun& run : timeline_.runs) WriteRun(run);
    for (const TimelineRefusal& refusal : timeline_.refusals) WriteRefusal(refusal);
    for (const TimelineLife& life : timeline_.lives) WriteLife(life);
    for (const TimelineAttempt& attempt : timeline_.attempts) WriteAttempt(attempt);
    for (const TimelineAttempt& attempt : timeline_.attempts) WriteSubcalls(attempt);
    WriteLevels();
    trace_.End(Members()
                   .Text("worker", timeline_.worker)
                   .Number("zeroUs", engine::ToMicroseconds(timeline_.zero)));
  }

 private:
  // Times in arguments, which are not cut.
  void Time(Members& args, std::string_view name, Instant at) const {
    if (at != kNever) args.Number(name, timeline_.SinceZero(at));
  }
  static void Text(Members& args, std::string_view name, std::string_view text) {
    if (!text.empty()) args.Text(name, text);
  }

  Track SlotTrack(std::optional<engine::SlotIndex> slot, Lane lane) {
    if (!slot) return trace_.TrackOf(Group::kSlots, INT32_MAX, lane, "slot unknown");
    return trace_.TrackOf(Group::kSlots, slot->value(), lane,
                          "slot " + std::to_string(slot->value()));
  }
  Track ProcessTrack(engine::ExecutorId executor, Lane lane) {
    return trace_.TrackOf(Group::kExecutors, kPlacesOfExecutor * executor.value(), lane,
                          "executor " + std::to_string(executor.value()));
  }
  Track CallTrack(engine::ExecutorId executor, Lane lane) {
    return trace_.TrackOf(Group::kExecutors, kPlacesOfExecutor * executor.value() + 1, lane,
                          "executor " + std::to_string(executor.value()) + " calls");
  }

  // In the order in which they are to be shown.
  void NumberTracks() {
    std::set<std::pair<std::int64_t, Lane>> slots;
    std::set<std::tuple<std::int64_t, bool, Lane>> executors;
    for (const TimelineLease& lease : timeline_.leases)
      slots.insert({lease.slot.value(), lease.lane});
    for (const TimelineRun& run : timeline_.runs) {
      if (run.slot) slots.insert({run.slot->value(), run.lane});
    }
    for (const TimelineLife& life : timeline_.lives) {
      executors.insert({life.executor->executor.value(), false, life.lane});
    }
    for (const TimelineAttempt& line : timeline_.attempts) {
      executors.insert({AttemptOf(timeline_, line).executor.value(), true, line.lane});
    }
    for (const auto& [slot, lane] : slots) SlotTrack(engine::SlotIndex(slot), lane);
    for (const auto& [executor, calls, lane] : executors) {
      const engine::ExecutorId id(executor);
      calls ? CallTrack(id, lane) : ProcessTrack(id, lane);
    }
  }

  void WriteWorker() {
    const Track track = trace_.TrackOf(Group::kWorker, kWorker, 0, "worker");
    const auto mark = [&](const replay::Moment& moment, std::string_view name) {
      if (moment.happened()) trace_.Instant(track, name, moment.at, {});
    };
    mark(timeline_.history->started(), "start");
    mark(timeline_.history->drain_begun(), "drain begins");
    mark(timeline_.history->force_stopped(), "stopped by force");
    for (const LostRecords& gap : timeline_.gaps) {
      trace_.Span(track, "records are lost", gap.before.at, gap.behind.at, {});
    }
  }

  void WriteLease(const TimelineLease& lease) {
    Members args;
    args.Text("task", lease.task_id).Flag("expired", lease.expired);
    Time(args, "expiresAtUs", lease.expires_at);
    trace_.Span(SlotTrack(lease.slot, lease.lane), "reserved", lease.begin.at, lease.end.at, args);
  }

  void WriteRun(const TimelineRun& run) {
    const Track track = SlotTrack(run.slot, run.lane);
    const engine::TaskResult& result = run.result;
    Members args;
    args.Text("task", run.task->id).Number("run", run.run->run.value());
    args.Text("state", NameOf(run.state));
    Text(args, "failureCode", result.failure_code);
    Text(args, "message", result.message);
    if (run.state == RunState::kFailed) args.Flag("retryable", result.retryable);
    args.Number("calls", result.calls.total).Number("callsFailed", result.calls.failed);
    args.Number("callsRetried", result.calls.retried);
    Time(args, "requestedUs", run.requested);
    Time(args, "acceptedUs", result.times.accepted);
    Time(args, "endedUs", result.times.ended);
    trace_.Span(track, run.task->id, run.begin.at, run.end.at, args);

    for (const StepSpan& step : StepsOf(run)) {
      if (step.step == TaskStep::kSlot) continue;  // Before it had one.
      const Instant begin = std::max(step.begin, run.begin.at);
      const Instant end = step.end == kNever ? run.end.at : std::min(step.end, run.end.at);
      if (begin >= end) continue;
      trace_.Span(track, kStepWords[static_cast<std::size_t>(step.step)], begin, end,
                  Members().Text("task", run.task->id));
    }
    WriteStream(track, *run.run);
  }

  void WriteStream(const Track& track, const replay::RunHistory& run) {
    const auto mark = [&](const replay::Moment& moment, std::string_view name) {
      if (moment.happened()) trace_.Instant(track, name, moment.at, {});
    };
    for (const replay::WorkHistory& work : run.work) {
      if (work.kind != replay::WorkHistory::Kind::kStream) continue;
      mark(work.started, "stream starts");
      for (const replay::Moment& paused : work.paused) mark(paused, "stream is paused");
      for (const replay::Moment& resumed : work.resumed) mark(resumed, "stream goes on");
      mark(work.finished, "stream ends");
    }
  }

  void WriteRefusal(const TimelineRefusal& refusal) {
    const Track track = trace_.TrackOf(Group::kWorker, kRefusals, 0, "refused requests");
    const Instant at = refusal.request->at.at;
    const std::string name = "refused: " + std::string(NameOf(*refusal.request->refused));
    Members args;
    args.Text("task", refusal.task->id).Text("request", NameOf(refusal.request->kind));
    args.Text("message", refusal.request->refusal);
    trace_.Instant(track, name, at, args);
    if (refusal.holders.empty()) return;

    // Arrows begin at spans only.
    Members links;
    links.Text("task", refusal.task->id).Number("slotsHeld", refusal.holder_count);
    std::string holders;
    for (const SlotHolder& holder : refusal.holders) {
      holders.append(holders.empty() ? "" : " ").append(holder.task_id);
    }
    links.Text("heldLongestBy", holders);
    trace_.Span(track, "slots held", at, engine::AddSaturating(at, engine::Microseconds(1)), links);
    if (timeline_.one_task) return;
    for (const SlotHolder& holder : refusal.holders) {
      trace_.Arrow("held by", track, at, SlotTrack(holder.slot, holder.lane), at);
    }
  }

  void WriteLife(const TimelineLife& life) {
    const replay::ExecutorHistory& executor = *life.executor;
    const Track track = ProcessTrack(executor.executor, life.lane);
    Members args;
    args.Number("generation", executor.generation.value());
    if (executor.connected.happened()) args.Number("pid", executor.pid);
    if (executor.kill_reason) args.Text("killReason", NameOf(*executor.kill_reason));
    if (executor.exited.happened()) args.Text("exitReason", executor.exit_reason);
    trace_.Span(track, "process " + std::to_string(executor.generation.value()), life.begin.at,
                life.end.at, args);
    const Instant end = life.end.at;
    const Instant killed = executor.killed.happened() ? std::min(executor.killed.at, end) : end;
    if (executor.spawned.happened()) {
      const Instant up = executor.connected.happened() ? executor.connected.at : end;
      trace_.Span(track, "starting", life.begin.at, std::min(up, killed), {});
    }
    if (executor.killed.happened()) {
      trace_.Span(track, "killed: " + std::string(NameOf(*executor.kill_reason)), killed, end, {});
    }
    if (executor.exited.happened()) {
      trace_.Instant(track, "exit", executor.exited.at,
                     Members().Text("reason", executor.exit_reason));
    }
  }

  void WriteAttempt(const TimelineAttempt& line) {
    const TimelineRun& run = timeline_.runs[line.run];
    const replay::CallHistory& call = run.run->calls[line.call];
    const replay::AttemptHistory& attempt = AttemptOf(timeline_, line);
    const Track track = CallTrack(attempt.executor, line.lane);
    Members args;
    args.Text("task", run.task->id).Number("run", run.run->run.value());
    args.Number("call", call.id.value()).Number("attempt", attempt.number.value());
    if (!call.is_root()) {
      args.Number("subcallOf", run.run->calls[static_cast<std::size_t>(call.parent)].id.value());
    }
    args.Text("outcome", OutcomeOf(timeline_, line));
    Text(args, "code", attempt.failure.code);
    Text(args, "message", attempt.failure.message);
    if (attempt.end == replay::AttemptHistory::End::kFailed) {
      args.Flag("retryable", attempt.failure.retryable);
    }
    Time(args, "deadlineUs", attempt.deadline);
    Time(args, "cancelledUs", attempt.cancelled.at);
    const std::string name = call.function.empty() ? "call" : call.function;
    trace_.Span(track, name, line.begin.at, line.end.at, args);
    if (attempt.cancelled.happened() && attempt.cancelled.at < line.end.at) {
      trace_.Span(track, "cancelled", std::max(attempt.cancelled.at, line.begin.at), line.end.at,
                  {});
    }
  }

  // From the attempt that asked, to the first of each call that it asked for.
  void WriteSubcalls(const TimelineAttempt& line) {
    const replay::RunHistory& run = *timeline_.runs[line.run].run;
    const replay::CallHistory& call = run.calls[line.call];
    if (call.is_root() || line.attempt > 0) return;
    const auto parent = attempts_.find(
        {line.run, static_cast<std::size_t>(call.parent), call.parent_attempt.value()});
    if (parent == attempts_.end()) return;
    const auto track_of = [&](const TimelineAttempt& other) {
      return CallTrack(AttemptOf(timeline_, other).executor, other.lane);
    };
    trace_.Arrow("subcall", track_of(*parent->second), call.requested.at, track_of(line),
                 line.begin.at);
  }

  void WriteLevels() {
    for (std::size_t i = 0; i < kGaugeNames.size(); ++i) {
      const std::string name =
          (kGaugeNames[i].waits ? "waiting: " : "in use: ") + std::string(kGaugeNames[i].words);
      for (const LevelPoint& point : timeline_.gauges[i].points) {
        trace_.Level(name, point.at, point.level);
      }
    }
  }

  const Timeline& timeline_;
  TraceWriter trace_;
  // By run, call and number.
  std::map<std::tuple<std::size_t, std::size_t, std::int64_t>, const TimelineAttempt*> attempts_;
};

}  // namespace

void WritePerfetto(const Timeline& timeline, Output& out) { Tracer(timeline, out).Write(); }

}  // namespace blockx::tools
