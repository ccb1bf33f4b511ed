#include <algorithm>
#include <utility>
#include <vector>

#include "blockx/engine/names.h"
#include "script_of_log.h"

namespace blockx::tools {
namespace {

using engine::Duration;
using engine::Elapsed;
using engine::Instant;
using replay::AttemptHistory;
using replay::CallHistory;
using replay::FailureText;
using replay::Moment;
using replay::RunHistory;
using replay::WorkHistory;

// A batch that was held back comes when the stream goes on: at that instant in a simulation, a
// little later where messages travel.
constexpr Duration kHeldBatchDelay(1000);

bool Before(const Moment& a, const Moment& b) { return a.happened() && a.sequence < b.sequence; }

sim::ScriptFailure ToScript(const FailureText& failure) {
  return {failure.code, failure.message, failure.retryable};
}

// What began at `since`, may have been called off, and may have ended.
sim::ScriptSpan SpanOf(Instant since, const Moment& cancelled, const Moment& ended,
                       const Moment& last) {
  sim::ScriptSpan span;
  if (ended.happened()) span.order = ended.sequence;
  span.was_cancelled = cancelled.happened() && (!ended.happened() || Before(cancelled, ended));
  if (span.was_cancelled) {
    span.at_least = Elapsed(since, cancelled.at);
    if (ended.happened()) span.stops_after = Elapsed(cancelled.at, ended.at);
  } else if (ended.happened()) {
    span.takes = Elapsed(since, ended.at);
  } else {
    span.at_least = Elapsed(since, last.at);
  }
  return span;
}

// ---- Activation, builder, stream, writer ----

// The gaps between a stream's batches, without the time for which a pause held one back: such a gap
// is like the others, as far as the pause allows.
class BatchGaps {
 public:
  explicit BatchGaps(const WorkHistory& work) : work_(work) {
    Instant since = work.started.at;
    Duration sum{};
    std::int64_t count = 0;
    for (const WorkHistory::Batch& batch : work.batches) {
      if (!Pause(batch, since)) {
        sum += Elapsed(since, batch.at.at);
        ++count;
      }
      since = batch.at.at;
    }
    if (count > 0) mean_ = sum / count;
  }

  [[nodiscard]] Duration Of(const WorkHistory::Batch& batch, Instant since) const {
    const Duration seen = Elapsed(since, batch.at.at);
    const Moment* const pause = Pause(batch, since);
    if (pause == nullptr) return seen;
    const Duration before_pause = Elapsed(since, std::max(since, pause->at));
    return std::clamp(mean_, before_pause, seen);
  }

 private:
  // That which held the batch back; null: none did.
  [[nodiscard]] const Moment* Pause(const WorkHistory::Batch& batch, Instant since) const {
    const Moment* resume = nullptr;
    for (const Moment& moment : work_.resumed) {
      if (Before(moment, batch.at) && moment.at >= since) resume = &moment;
    }
    if (resume == nullptr || Elapsed(resume->at, batch.at.at) > kHeldBatchDelay) return nullptr;
    const Moment* pause = nullptr;
    for (const Moment& moment : work_.paused) {
      if (Before(moment, *resume)) pause = &moment;
    }
    return pause;
  }

  const WorkHistory& work_;
  Duration mean_{};
};

sim::ScriptWork KindOf(const WorkHistory& work) {
  switch (work.kind) {
    case WorkHistory::Kind::kActivation:
      return sim::ScriptWork::kActivation;
    case WorkHistory::Kind::kBuilder:
      return sim::ScriptWork::kBuilder;
    case WorkHistory::Kind::kStream:
      return sim::ScriptWork::kStream;
    case WorkHistory::Kind::kWriter:
      break;
  }
  return sim::ScriptWork::kWriter;
}

class RunReader {
 public:
  RunReader(const RunHistory& run, const Moment& last) : run_(run), last_(last) {}

  sim::RunScript Read() {
    script_.ended = run_.ended.happened();
    for (const CallHistory& call : run_.calls) {
      script_.calls.push_back({call.function, call.args, {}});
    }
    for (const WorkHistory& work : run_.work) {
      if (work.started.happened()) AddWork(work);
    }
    for (std::size_t i = 0; i < run_.calls.size(); ++i) AddAttempts(i);
    return std::move(script_);
  }

 private:
  void AddWork(const WorkHistory& work) {
    sim::WorkScript script;
    Instant since = work.started.at;
    const BatchGaps gaps(work);
    for (const WorkHistory::Batch& batch : work.batches) {
      if (Before(run_.ended, batch.at)) break;
      script.batches.push_back({gaps.Of(batch, since), batch.at.sequence, batch.calls.size()});
      script_.roots.insert(script_.roots.end(), batch.calls.begin(), batch.calls.end());
      if (work.kind == WorkHistory::Kind::kStream) since = batch.at.at;
    }
    // An activation goes on when its task is over.
    const bool can_stop = work.kind != WorkHistory::Kind::kActivation;
    script.span = SpanOf(since, can_stop ? run_.ended : Moment(), work.finished, last_);
    if (work.failure) script.failure = ToScript(*work.failure);
    script.epoch = work.epoch;
    if (!run_.slot || work.slot_id != engine::SlotId(*run_.slot)) script.slot_id = work.slot_id;
    script.streams = work.streams;
    script.output = work.plugin_results;
    script_.works[static_cast<std::size_t>(KindOf(work))] = std::move(script);
  }

  // ---- Calls ----

  struct Question {
    std::size_t call = 0;
    Moment asked;
    Moment delivered;
  };

  [[nodiscard]] std::vector<Question> QuestionsOf(std::size_t call,
                                                  const AttemptHistory& attempt) const {
    std::vector<Question> questions;
    for (std::size_t i = 0; i < run_.calls.size(); ++i) {
      const CallHistory& subcall = run_.calls[i];
      const bool own = subcall.parent == static_cast<std::int64_t>(call) &&
                       subcall.parent_attempt == attempt.number;
      // Called off, an attempt asks for nothing more.
      if (!own || Before(attempt.cancelled, subcall.requested)) continue;
      questions.push_back({i, subcall.requested, subcall.delivered});
    }
    return questions;
  }

  void AddAttempts(std::size_t call) {
    std::vector<sim::AttemptScript>& attempts = script_.calls[call].attempts;
    for (const AttemptHistory& attempt : run_.calls[call].attempts) {
      const auto number = static_cast<std::size_t>(attempt.number.value());
      if (number > attempts.size()) attempts.resize(number);
      attempts[number - 1] = AttemptOf(attempt, QuestionsOf(call, attempt));
    }
  }

  [[nodiscard]] sim::AttemptScript AttemptOf(const AttemptHistory& attempt,
                                             const std::vector<Question>& questions) const {
    sim::AttemptScript script;
    std::vector<Moment> inputs = {attempt.dispatched};
    for (const Question& question : questions) {
      if (question.delivered.happened()) inputs.push_back(question.delivered);
    }
    std::sort(inputs.begin(), inputs.end(),
              [](const Moment& a, const Moment& b) { return a.sequence < b.sequence; });
    // The answers that it had by then.
    const auto deliveries_by = [&](const Moment& moment) {
      std::size_t count = 0;
      while (count + 1 < inputs.size() && Before(inputs[count + 1], moment)) ++count;
      return count;
    };
    for (const Question& question : questions) {
      const std::size_t had = deliveries_by(question.asked);
      script.asks.push_back({question.call, had, Elapsed(inputs[had].at, question.asked.at),
                             question.asked.sequence});
    }
    // Its process took it along: how long it would have gone on is not known.
    const bool was_lost = attempt.end == AttemptHistory::End::kExecutorExited;
    const Moment until = attempt.cancelled.happened() ? attempt.cancelled
                         : attempt.ended.happened()   ? attempt.ended
                                                      : last_;
    script.deliveries = deliveries_by(until);
    const Instant since = inputs[script.deliveries].at;
    if (was_lost) {
      script.span = SpanOf(since, attempt.cancelled, Moment(), attempt.ended);
    } else {
      script.span = SpanOf(since, attempt.cancelled, attempt.ended, last_);
    }
    if (script.span.takes) {
      script.work =
          Elapsed(attempt.dispatched.at, attempt.ended.at) - Waited(questions, attempt.ended.at);
    }
    if (attempt.end == AttemptHistory::End::kFailed) script.failure = ToScript(attempt.failure);
    script.output = attempt.output;
    return script;
  }

  // For how long some question had no answer yet.
  static Duration Waited(const std::vector<Question>& questions, Instant until) {
    Duration waited{};
    Instant covered = Instant::min();
    for (const Question& question : questions) {
      const Instant from = std::max(covered, question.asked.at);
      const Instant to = question.delivered.happened() ? question.delivered.at : until;
      if (to > from) waited += Elapsed(from, to);
      covered = std::max(covered, to);
    }
    return waited;
  }

  const RunHistory& run_;
  const Moment& last_;
  sim::RunScript script_;
};

}  // namespace

sim::RunScript RunScriptOf(const RunHistory& run, const Moment& last) {
  return RunReader(run, last).Read();
}

}  // namespace blockx::tools
