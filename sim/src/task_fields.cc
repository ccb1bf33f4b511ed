#include "scenario_fields.h"

namespace blockx::sim {
namespace {

constexpr Presence kRequired = Presence::kRequired;
constexpr Presence kOptional = Presence::kOptional;
constexpr FormUnit kTime = FormUnit::kDuration;

void StreamFields(FieldVisitor& visitor, StreamSpec& stream) {
  visitor.Count({"batchSize", "Calls in a batch."}, stream.batch_size, {1, 1'000'000});
  visitor.Quantity({"batchGap", "Time before each batch."}, stream.batch_gap, kTime);
}

void BuilderFields(FieldVisitor& visitor, BuilderSpec& builder) {
  visitor.QuantityOrForm({"duration", "Until the call list, or the start of the stream."},
                         builder.duration, kTime);
  visitor.Share({"failure", "Probability that the builder fails."}, builder.failure);
  visitor.Quantity(
      {"cancelLatency", "From the task's end to the end of a builder that still runs."},
      builder.cancel_latency, kTime);
  if (visitor.Wants("stream")) {
    visitor.Object(
        {"stream", "The calls come in batches while earlier ones run; absent: all at once.",
         kOptional},
        [&](FieldVisitor& v) { StreamFields(v, builder.stream.emplace()); });
  }
}

void SubcallFields(FieldVisitor& visitor, SubcallSpec& subcalls) {
  visitor.QuantityOrForm(
      {"count", "Subcalls that each call asks for, one after the other.", kRequired},
      subcalls.count, FormUnit::kCount);
  visitor.QuantityOrForm({"duration", "Of one subcall.", kRequired}, subcalls.duration, kTime);
}

void CallsFields(FieldVisitor& visitor, CallsSpec& calls) {
  visitor.QuantityOrForm({"count", "Calls of a task, rounded to a whole number."}, calls.count,
                         FormUnit::kCount);
  visitor.QuantityOrForm({"duration", "Of one attempt of a call.", kRequired}, calls.duration,
                         kTime);
  visitor.Share({"failure", "Probability that an attempt fails."}, calls.failure);
  visitor.Share({"retryable", "Probability that a failed attempt may be retried."},
                calls.retryable);
  if (visitor.Wants("subcalls")) {
    visitor.Object({"subcalls", "Calls that a running call makes itself and waits for.", kOptional},
                   [&](FieldVisitor& v) { SubcallFields(v, calls.subcalls.emplace()); });
  }
}

void WriterFields(FieldVisitor& visitor, WriterSpec& writer) {
  visitor.QuantityOrForm({"duration", "Of writing the result."}, writer.duration, kTime);
  visitor.Share({"failure", "Probability that the writer fails."}, writer.failure);
  visitor.Quantity({"cancelLatency", "From the task's end to the end of a writer that still runs."},
                   writer.cancel_latency, kTime);
}

void RetryFields(FieldVisitor& visitor, engine::RetryPolicy& retry) {
  visitor.Count({"maxAttempts", "Attempts of a call in all."}, retry.max_attempts, {1, INT64_MAX});
  visitor.Milliseconds(
      {"baseBackoffMs", "Wait before the second attempt; doubles with each further one."},
      retry.base_backoff, {0, 315'360'000'000});
  visitor.Count({"jitterPercent", "How far the wait may deviate."}, retry.jitter_percent, {0, 5});
}

}  // namespace

void TaskFields(FieldVisitor& visitor, TaskSpec& task) {
  visitor.Quantity({"activation", "From the acceptance of a task to its prepared code."},
                   task.activation, kTime);
  visitor.Share({"activationFailure", "Probability that the activation fails."},
                task.activation_failure);
  visitor.Object({"builder", "What makes the calls."},
                 [&](FieldVisitor& v) { BuilderFields(v, task.builder); });
  visitor.Object({"calls", "The work, done by executors.", kRequired},
                 [&](FieldVisitor& v) { CallsFields(v, task.calls); });
  if (visitor.Wants("writer")) {
    visitor.Object(
        {"writer", "What writes the result; absent: the tasks have no result handler.", kOptional},
        [&](FieldVisitor& v) { WriterFields(v, task.writer.emplace()); });
  }
  visitor.Duration({"timeout", "Of the whole task; \"0s\": the Worker's taskDeadlineMs."},
                   task.timeout);
  std::size_t policy = 0;
  visitor.Choice(
      {"failurePolicy",
       "failTask: the first call that fails for good ends the task. continue: all calls run."},
      {"failTask", "continue"}, policy);
  task.failure_policy =
      policy == 0 ? engine::CallFailurePolicy::kFailTask : engine::CallFailurePolicy::kContinue;
  if (visitor.Wants("retry")) {
    visitor.Object({"retry", "Of the task's calls; absent: the Worker's default.", kOptional},
                   [&](FieldVisitor& v) {
                     const engine::Config defaults;
                     RetryFields(v,
                                 task.retry.emplace(engine::RetryPolicy{
                                     defaults.default_max_attempts, defaults.default_base_backoff,
                                     defaults.default_retry_jitter_percent}));
                   });
  }
}

}  // namespace blockx::sim
