#include <optional>
#include <string>
#include <utility>

#include "distribution_fields.h"
#include "scenario_fields.h"

namespace blockx::sim {
namespace {

constexpr Presence kRequired = Presence::kRequired;
constexpr Presence kOptional = Presence::kOptional;

// What the alternatives read into, before one of them becomes the arrivals.
struct Draft {
  PoissonArrivals poisson;
  std::optional<double> constant_rate;
  std::optional<engine::Duration> constant_interval;
  std::vector<BurstyArrivals::State> bursty;
  PiecewiseArrivals piecewise;
  RenewalArrivals renewal;
  ClosedArrivals closed;
  TraceSpec trace;
  bool has_arrival_column = false;
  std::size_t trace_format = 0;
  std::size_t trace_unit = 0;
};

constexpr double kMicrosecondsPerSecond = 1e6;

std::string Take(ArrivalSource& arrivals, ArrivalPattern pattern) {
  const std::optional<std::string> problem = ProblemOf(pattern);
  if (problem) return *problem;
  arrivals = std::move(pattern);
  return {};
}

void ConstantFields(FieldVisitor& visitor, Draft& draft) {
  if (visitor.Wants("rate")) {
    visitor.Rate({"rate", "Arrivals in a time; or give the interval.", kOptional},
                 draft.constant_rate.emplace());
  }
  if (visitor.Wants("interval")) {
    visitor.Duration(
        {"interval", "Time from one arrival to the next; or give the rate.", kOptional},
        draft.constant_interval.emplace());
  }
}

std::string BuildConstant(const Draft& draft, ArrivalSource& arrivals) {
  if (draft.constant_rate.has_value() == draft.constant_interval.has_value()) {
    return "expected either rate or interval";
  }
  ConstantArrivals constant;
  if (draft.constant_interval) {
    constant.interval_us = static_cast<double>(draft.constant_interval->count());
  } else if (*draft.constant_rate > 0) {
    constant.interval_us = kMicrosecondsPerSecond / *draft.constant_rate;
  } else {
    return "the rate is 0, expected a rate above 0";
  }
  return Take(arrivals, constant);
}

void BurstyFields(FieldVisitor& visitor, Draft& draft) {
  visitor.List(
      {"states", "The two states, each with its rate and mean stay.", kRequired}, 2,
      [&](std::size_t size) { draft.bursty.resize(size); },
      [&](FieldVisitor& item, std::size_t i) {
        BurstyArrivals::State& state = draft.bursty[i];
        engine::Duration stay{};
        item.Rate({"rate", "Arrivals in a time while in this state.", kRequired}, state.rate);
        item.Duration({"meanStay", "Mean of the exponential stay in this state.", kRequired}, stay);
        state.mean_stay_us = static_cast<double>(stay.count());
      });
}

std::string BuildBursty(const Draft& draft, ArrivalSource& arrivals) {
  if (draft.bursty.size() != 2) {
    return "states: found " + std::to_string(draft.bursty.size()) + " states, expected 2";
  }
  BurstyArrivals bursty;
  bursty.states = {draft.bursty[0], draft.bursty[1]};
  return Take(arrivals, bursty);
}

void PiecewiseFields(FieldVisitor& visitor, Draft& draft) {
  visitor.List(
      {"pieces", "Rates by time; the first begins at \"0s\".", kRequired}, 1,
      [&](std::size_t size) { draft.piecewise.pieces.resize(size); },
      [&](FieldVisitor& item, std::size_t i) {
        PiecewiseArrivals::Piece& piece = draft.piecewise.pieces[i];
        item.Duration({"from", "When the piece begins; it holds until the next one.", kRequired},
                      piece.from);
        item.Rate({"rate", "Arrivals in a time.", kRequired}, piece.rate);
      });
  if (visitor.Wants("period")) {
    visitor.Duration(
        {"period", "After this time the pattern starts again, such as \"1d\".", kOptional},
        draft.piecewise.period.emplace());
  }
}

void TraceFields(FieldVisitor& visitor, Draft& draft) {
  visitor.File({"file", "The trace; a relative name is relative to the scenario file.", kRequired},
               draft.trace.file);
  visitor.Choice(
      {"format",
       "csv: a header line and commas. swf: Standard Workload Format. by-name: swf for a "
       "file that ends in .swf, else csv."},
      {"by-name", "csv", "swf"}, draft.trace_format);
  if (visitor.Wants("arrival")) {
    draft.has_arrival_column = true;
    visitor.Text({"arrival", "The CSV column with the arrivals.", kOptional},
                 draft.trace.arrival_column);
  }
  visitor.Choice({"unit", "Of the arrivals."}, TimeUnitNames(), draft.trace_unit);
  if (visitor.Wants("where")) {
    visitor.TextMap({"where", "Only the rows in which these columns have these texts.", kOptional},
                    draft.trace.where);
  }
}

std::string BuildTrace(Draft& draft, ArrivalSource& arrivals) {
  const bool is_swf =
      draft.trace_format == 0 ? draft.trace.file.ends_with(".swf") : draft.trace_format == 2;
  draft.trace.format = is_swf ? TraceFormat::kSwf : TraceFormat::kCsv;
  draft.trace.arrival_unit = TimeUnit(draft.trace_unit);
  if (draft.trace.format == TraceFormat::kCsv && !draft.has_arrival_column) {
    return "a CSV trace needs \"arrival\": the name of the column with the arrivals";
  }
  if (draft.trace.format == TraceFormat::kSwf &&
      (draft.has_arrival_column || draft.trace_unit != 0)) {
    return "an SWF trace has its arrivals in its own second column, in seconds; expected no "
           "arrival and no unit";
  }
  arrivals = std::move(draft.trace);
  return {};
}

}  // namespace

void ArrivalFields(FieldVisitor& visitor, ArrivalSource& arrivals) {
  Draft draft;
  visitor.OneOf({
      {"poisson", "Independent exponential gaps.",
       [&](FieldVisitor& v) {
         v.Rate({"rate", "Mean arrivals in a time.", kRequired}, draft.poisson.rate);
       },
       [&] { return Take(arrivals, draft.poisson); }},
      {"constant", "Equal gaps; the first arrival is one gap after the start.",
       [&](FieldVisitor& v) { ConstantFields(v, draft); },
       [&] { return BuildConstant(draft, arrivals); }},
      {"mmpp", "Bursts: a Poisson process whose rate jumps between two states.",
       [&](FieldVisitor& v) { BurstyFields(v, draft); },
       [&] { return BuildBursty(draft, arrivals); }},
      {"piecewise", "A Poisson process whose rate changes with the time of day.",
       [&](FieldVisitor& v) { PiecewiseFields(v, draft); },
       [&] { return Take(arrivals, draft.piecewise); }},
      {"renewal", "Independent gaps of any distribution.",
       [&](FieldVisitor& v) {
         v.Quantity({"gap", "Time from one arrival to the next.", kRequired}, draft.renewal.gap_us,
                    FormUnit::kDuration);
       },
       [&] { return Take(arrivals, draft.renewal); }},
      {"closed", "Clients that each think, submit a task, and wait for its end.",
       [&](FieldVisitor& v) {
         v.Count({"clients", "How many clients.", kRequired}, draft.closed.clients,
                 {1, 10'000'000});
         v.Quantity(
             {"thinkTime", "From a task's end to the client's next task; also before its first."},
             draft.closed.think_time, FormUnit::kDuration);
       },
       [&] {
         arrivals = std::move(draft.closed);
         return std::string();
       }},
      {"trace", "The arrivals of a recorded workload.",
       [&](FieldVisitor& v) { TraceFields(v, draft); },
       [&] { return BuildTrace(draft, arrivals); }},
  });
}

}  // namespace blockx::sim
