#include "event_codec.h"

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "shown.h"

namespace blockx::replay {
namespace {

// The inverse of engine::Milliseconds, saturated values included.
std::int64_t ToMilliseconds(engine::Duration duration) {
  if (duration == engine::Duration::max()) return INT64_MAX;
  if (duration == engine::Duration::min()) return INT64_MIN;
  return duration.count() / 1000;
}

// Both codecs have the same methods, so that the fields of a message are named once, in a Visit.
class EventWriter {
 public:

  EventWriter(WireWriter& wire, PayloadMode payloads, TextMode text)
      : wire_(wire), payloads_(payloads), text_(text) {}

  void Text(int field, std::string_view text) {
    if (text_ == TextMode::kAsItIs) return wire_.Text(field, text);
    wire_.Text(field, AsUtf8(text));
  }
  void Element(int field, std::string_view text) {
    if (text_ == TextMode::kAsItIs) return wire_.TextAlways(field, text);
    wire_.TextAlways(field, AsUtf8(text));
  }
  void Number(int field, std::int64_t number) { wire_.Number(field, number); }
  void Flag(int field, bool flag) { wire_.Flag(field, flag); }
  void Milliseconds(int field, engine::Duration d) { wire_.Number(field, ToMilliseconds(d)); }
  template <class Tag>
  void Id(int field, engine::Id<Tag> id) {
    wire_.Number(field, id.value());
  }
  template <class Fill>
  void Message(int field, Fill fill) {
    wire_.Message(field, fill);
  }
  // Either its bytes, or what stands for them.
  void Payload(int bytes_field, int left_out_field, const engine::Payload& payload) {
    if (HasBytes(payload)) {
      wire_.Text(bytes_field, *payload.bytes());
    } else {
      PayloadLeftOut(left_out_field, payload);
    }
  }
  [[nodiscard]] bool HasBytes(const engine::Payload& payload) const {
    return payload.bytes() != nullptr && payloads_ == PayloadMode::kFull;
  }
  void PayloadLeftOut(int field, const engine::Payload& payload) {
    if (payload.size() == 0) return;
    wire_.Message(field, [&] {
      wire_.Number(1, static_cast<std::int64_t>(payload.size()));
      wire_.Fixed64(2, payload.fingerprint());
    });
  }

  WireWriter& wire() { return wire_; }

 private:
  WireWriter& wire_;
  PayloadMode payloads_;
  TextMode text_;
};

class EventParser {
 public:

  EventParser(std::string_view bytes, EventLists& lists) : wire_(bytes), lists_(lists) {}

  void Text(int field, std::string_view& text) { wire_.Text(field, text); }
  void Number(int field, std::int64_t& number) { wire_.Number(field, number); }
  void Flag(int field, bool& flag) { wire_.Flag(field, flag); }
  void Milliseconds(int field, engine::Duration& duration) {
    std::int64_t count = 0;
    wire_.Number(field, count);
    duration = engine::Milliseconds(count);
  }
  template <class Tag>
  void Id(int field, engine::Id<Tag>& id) {
    std::int64_t value = 0;
    wire_.Number(field, value);
    id = engine::Id<Tag>(value);
  }
  // Whether the message is there; then `fill` reads all of it.
  template <class Fill>
  bool Message(int field, Fill fill) {
    if (!wire_.Has(field, WireType::kBytes)) return false;
    const std::string_view bytes = wire_.Bytes();
    WireReader rest = std::exchange(wire_, WireReader(bytes));
    fill();
    if (!wire_.ok() || !wire_.at_end()) rest.Refuse();
    wire_ = rest;
    return true;
  }
  void Payload(int bytes_field, int left_out_field, engine::Payload& payload) {
    std::string_view bytes;
    wire_.Text(bytes_field, bytes);
    payload = engine::Payload::FromBytes(std::string(bytes));
    if (!PayloadLeftOut(left_out_field, payload) || bytes.empty()) return;
    Fail("a payload's bytes and its leftOut; expected one of them");
  }
  bool PayloadLeftOut(int field, engine::Payload& payload) {
    return Message(field, [&] {
      std::int64_t size = 0;
      std::uint64_t fingerprint = 0;
      wire_.Number(1, size);
      wire_.Fixed64(2, fingerprint);
      if (size <= 0) return Fail("found a leftOut of no bytes; expected a size above 0");
      payload = engine::Payload::LeftOut(static_cast<std::uint64_t>(size), fingerprint);
    });
  }

  void Fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  [[nodiscard]] bool ok() const { return problem_.empty() && wire_.ok() && wire_.at_end(); }
  [[nodiscard]] std::string TakeProblem() { return std::move(problem_); }

  WireReader& wire() { return wire_; }
  EventLists& lists() { return lists_; }

 private:
  WireReader wire_;
  EventLists& lists_;
  std::string problem_;
};

template <class C, class F>
void VisitFailure(C& c, F& failure, int code = 1, int message = 2, int retryable = 3) {
  c.Text(code, failure.code);
  c.Text(message, failure.message);
  c.Flag(retryable, failure.retryable);
}

template <class C, class I>
void VisitInvocation(C& c, I& invocation) {
  c.Text(1, invocation.type);
  c.Payload(2, 3, invocation.payload);
}

template <class C, class E>
void VisitTask(C& c, E& e) {
  c.Text(1, e.task_id);
  c.Id(2, e.run);
}

// A list of calls under one field number.
void VisitCalls(EventWriter& c, int field, std::span<const engine::CallSpec> calls) {
  for (const engine::CallSpec& call : calls) {
    c.Message(field, [&] {
      c.Text(1, call.function);
      c.Payload(2, 3, call.args);
    });
  }
}
void VisitCalls(EventParser& c, int field, std::span<const engine::CallSpec>& calls) {
  std::vector<engine::CallSpec>& list = c.lists().calls;
  list.clear();
  engine::CallSpec call;
  while (c.Message(field, [&] {
    c.Text(1, call.function);
    c.Payload(2, 3, call.args);
  })) {
    list.push_back(call);
  }
  calls = list;
}

// ---- The fields of each event, by the numbers of event_log.proto ----

template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::RequestTaskSlot>
void Visit(C& c, E& e) {
  c.Text(1, e.task_id);
  c.Milliseconds(2, e.ttl);
}

void VisitPolicies(EventWriter& c, const engine::SubmitTask& e) {
  // Payloads are part of a history whether or not there is a type to take them.
  if (!e.result_handler.type.empty() || e.result_handler.payload.size() > 0) {
    c.Message(4, [&] { VisitInvocation(c, e.result_handler); });
  }
  c.Milliseconds(5, e.timeout);
  c.Number(6, static_cast<std::int64_t>(e.failure_policy));
  if (!e.retry_policy) return;
  c.Message(7, [&] {
    c.Number(1, e.retry_policy->max_attempts);
    c.Milliseconds(2, e.retry_policy->base_backoff);
    c.Number(3, e.retry_policy->jitter_percent);
  });
}
void VisitPolicies(EventParser& c, engine::SubmitTask& e) {
  c.Message(4, [&] { VisitInvocation(c, e.result_handler); });
  c.Milliseconds(5, e.timeout);
  std::int64_t policy = 0;
  c.Number(6, policy);
  e.failure_policy = static_cast<engine::CallFailurePolicy>(policy);
  if (policy < 0 || policy > static_cast<std::int64_t>(engine::CallFailurePolicy::kContinue)) {
    c.Fail("event.submitTask.callFailurePolicy: found " + std::to_string(policy) +
           ", expected FAIL_TASK or CONTINUE");
  }
  engine::RetryPolicy retry;
  if (c.Message(7, [&] {
        c.Number(1, retry.max_attempts);
        c.Milliseconds(2, retry.base_backoff);
        c.Number(3, retry.jitter_percent);
      })) {
    e.retry_policy = retry;
  }
}
template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::SubmitTask>
void Visit(C& c, E& e) {
  c.Text(1, e.task_id);
  c.Text(2, e.slot_id);
  c.Message(3, [&] { VisitInvocation(c, e.function); });
  VisitPolicies(c, e);
}

template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::GetTaskResult>
void Visit(C& c, E& e) { c.Text(1, e.task_id); }

void Visit(EventWriter& c, const engine::OpenWatch& e) {
  c.Id(1, e.watch_id);
  for (const std::string_view task_id : e.task_ids) c.Element(2, task_id);
}
void Visit(EventParser& c, engine::OpenWatch& e) {
  c.Id(1, e.watch_id);
  std::vector<std::string_view>& ids = c.lists().task_ids;
  ids.clear();
  while (c.wire().Has(2, WireType::kBytes)) ids.push_back(c.wire().Bytes());
  e.task_ids = ids;
}

template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::CloseWatch>
void Visit(C& c, E& e) { c.Id(1, e.watch_id); }

template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::ActivationPrepared>
void Visit(C& c, E& e) {
  VisitTask(c, e);
  c.Text(3, e.slot_id);
  c.Id(4, e.epoch);
}

template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::ActivationFailed>
void Visit(C& c, E& e) {
  VisitTask(c, e);
  VisitFailure(c, e.failure, 3, 4, 5);
}

void Visit(EventWriter& c, const engine::BuilderFinished& e) {
  VisitTask(c, e);
  if (const auto* list = std::get_if<engine::CallList>(&e.outcome)) {
    c.Message(3, [&] { VisitCalls(c, 1, list->calls); });
  } else if (const auto* failure = std::get_if<engine::Failure>(&e.outcome)) {
    c.Message(5, [&] { VisitFailure(c, *failure); });
  } else {
    c.Message(4, [] {});
  }
}
void Visit(EventParser& c, engine::BuilderFinished& e) {
  VisitTask(c, e);
  engine::CallList list;
  engine::Failure failure;
  if (c.Message(3, [&] { VisitCalls(c, 1, list.calls); })) {
    e.outcome = list;
  } else if (c.Message(4, [] {})) {
    e.outcome = engine::StreamMarker();
  } else if (c.Message(5, [&] { VisitFailure(c, failure); })) {
    e.outcome = failure;
  } else {
    c.Fail(
        "event.builderFinished: the outcome is missing; expected one of callList, stream, failure");
  }
}

template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::CallsAppended>
void Visit(C& c, E& e) {
  VisitTask(c, e);
  VisitCalls(c, 3, e.calls);
}

void Visit(EventWriter& c, const engine::CallStreamEnded& e) {
  VisitTask(c, e);
  if (e.failure) c.Message(3, [&] { VisitFailure(c, *e.failure); });
}
void Visit(EventParser& c, engine::CallStreamEnded& e) {
  VisitTask(c, e);
  engine::Failure failure;
  if (c.Message(3, [&] { VisitFailure(c, failure); })) e.failure = failure;
}

void Visit(EventWriter& c, const engine::WriterFinished& e) {
  VisitTask(c, e);
  if (const auto* failure = std::get_if<engine::Failure>(&e.outcome)) {
    return c.Message(4, [&] { VisitFailure(c, *failure); });
  }
  const auto& results = std::get<engine::Payload>(e.outcome);
  if (c.HasBytes(results) || results.size() == 0) {
    c.wire().TextAlways(3, results.size() == 0 ? std::string_view() : *results.bytes());
  } else {
    c.PayloadLeftOut(5, results);
  }
}
void Visit(EventParser& c, engine::WriterFinished& e) {
  VisitTask(c, e);
  std::string_view bytes;
  c.wire().TextAlways(3, bytes);
  engine::Failure failure;
  if (c.Message(4, [&] { VisitFailure(c, failure); })) {
    e.outcome = failure;
    return;
  }
  engine::Payload results = engine::Payload::FromBytes(std::string(bytes));
  c.PayloadLeftOut(5, results);
  e.outcome = results;
}

template <class C, class E>
void VisitExecutor(C& c, E& e) {
  c.Id(1, e.executor);
  c.Id(2, e.generation);
}
template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::ExecutorConnected>
void Visit(C& c, E& e) {
  VisitExecutor(c, e);
  c.Number(3, e.pid);
}

template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::ExecutorHeartbeat>
void Visit(C& c, E& e) {
  VisitExecutor(c, e);
  c.Id(3, e.running_call);
  c.Number(4, e.last_scheduler_active);
}

template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::ExecutorExited>
void Visit(C& c, E& e) {
  VisitExecutor(c, e);
  c.Text(3, e.reason);
}

template <class C, class E>
void VisitAttempt(C& c, E& e) {
  c.Id(1, e.executor);
  c.Id(2, e.call);
  c.Id(3, e.attempt);
}
template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::CallSucceeded>
void Visit(C& c, E& e) {
  VisitAttempt(c, e);
  c.Payload(4, 5, e.output);
}

template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::CallFailed>
void Visit(C& c, E& e) {
  VisitAttempt(c, e);
  VisitFailure(c, e.failure, 4, 5, 6);
}

template <class C, class E>
requires std::is_same_v<std::remove_const_t<E>, engine::SubcallRequested>
void Visit(C& c, E& e) {
  c.Id(1, e.executor);
  c.Id(2, e.parent);
  c.Id(3, e.parent_attempt);
  c.Id(4, e.ref);
  c.Text(5, e.spec.function);
  c.Payload(6, 7, e.spec.args);
}

template <class C, class E>
requires std::is_empty_v<E>
void Visit(C&, E&) {}

// ---- Which event it is: the field number is the variant's index and one ----

using Parse = bool (*)(EventParser&, engine::Event&);

template <std::size_t... I>
constexpr std::array<Parse, sizeof...(I)> Parsers(std::index_sequence<I...>) {
  return {[](EventParser& c, engine::Event& event) {
    auto& alternative = event.emplace<I>();
    return c.Message(static_cast<int>(I) + 1, [&] { Visit(c, alternative); });
  }...};
}
constexpr auto kParsers = Parsers(std::make_index_sequence<std::variant_size_v<engine::Event>>());

}  // namespace

void EncodeEvent(const engine::Event& event, PayloadMode payloads, WireWriter& wire,
                 TextMode text) {
  EventWriter writer(wire, payloads, text);
  std::visit(
      [&](const auto& e) {
        wire.Message(static_cast<int>(event.index()) + 1, [&] { Visit(writer, e); });
      },
      event);
}

bool DecodeEvent(std::string_view bytes, EventLists& lists, engine::Event& event,
                 std::string& problem) {
  WireReader ahead(bytes);
  const std::uint64_t field = bytes.empty() ? 0 : ahead.Varint() >> 3;
  if (field == 0) {
    problem =
        "event: missing; expected an object with one key, the event's name, such as {\"tick\": {}}";
    return false;
  }
  EventParser parser(bytes, lists);
  if (field <= kParsers.size() && kParsers[field - 1](parser, event) && parser.ok()) return true;
  problem = parser.TakeProblem();
  if (problem.empty()) problem = "event: its bytes are not those of an event";
  return false;
}

}  // namespace blockx::replay
