#include "blockx/engine/step_digest.h"

#include <concepts>
#include <optional>
#include <string_view>

namespace blockx::engine::digest {

namespace {

// Field by field, in the order of declaration. A literal message of an Error is no part: its
// wording may improve.
class Folder {
 public:
  explicit Folder(Fingerprint& digest) : digest_(digest) {}

  template <class First, class Second, class... Rest>
  void operator()(const First& first, const Second& second, const Rest&... rest) {
    if constexpr (kIsWord<First> && kIsWord<Second>) {
      digest_.Add(Word(first), Word(second));  // Two neighbours that are words go in together.
      (*this)(rest...);
    } else {
      Fold(first);
      (*this)(second, rest...);
    }
  }
  template <class Last>
  void operator()(const Last& last) {
    Fold(last);
  }
  void operator()() {}

 private:
  static std::uint64_t Word(std::int64_t number) { return static_cast<std::uint64_t>(number); }
  static std::uint64_t Word(std::uint32_t number) { return number; }
  template <std::same_as<bool> Flag>  // and no pointer, which would convert to one
  static std::uint64_t Word(Flag flag) {
    return flag ? 1 : 0;
  }
  static std::uint64_t Word(Duration duration) { return Word(duration.count()); }
  static std::uint64_t Word(Instant instant) { return Word(ToMicroseconds(instant)); }
  template <class Tag>
  static std::uint64_t Word(Id<Tag> id) {
    return Word(id.value());
  }
  template <class E>
  requires std::is_enum_v<E>
  static std::uint64_t Word(E value) { return static_cast<std::uint64_t>(value); }
  template <class T>
  static constexpr bool kIsWord = requires(const T& field) {
    Word(field);
  };

  template <class T>
  requires kIsWord<T>
  void Fold(const T& field) { digest_.Add(Word(field)); }
  void Fold(std::string_view text) { digest_.Add(text); }
  void Fold(const Payload& payload) { digest_.Add(payload.size(), payload.fingerprint()); }
  void Fold(const Failure& f) { (*this)(f.code, f.message, f.retryable); }
  void Fold(const Invocation& i) { (*this)(i.type, i.payload); }
  void Fold(const RetryPolicy& p) { (*this)(p.max_attempts, p.base_backoff, p.jitter_percent); }
  void Fold(const CallSpec& c) { (*this)(c.function, c.args); }
  void Fold(const CallList& list) { Fold(list.calls); }
  void Fold(const StreamMarker&) {}
  void Fold(const CallCounts& c) { (*this)(c.total, c.failed, c.retried); }
  void Fold(const StepTimes& t) {
    (*this)(t.accepted, t.activated, t.builder_granted, t.built, t.scan_granted,
            t.executors_granted, t.called, t.plugin_granted, t.ended);
  }
  void Fold(const TaskResult* result) {
    Fold(result != nullptr);
    if (result == nullptr) return;
    const TaskResult& r = *result;
    (*this)(r.state, r.retryable, r.calls, std::string_view(r.failure_code),
            std::string_view(r.message), r.plugin_results, r.times);
  }
  void Fold(const CallOutcome& outcome) {
    Fold(outcome.output != nullptr);
    if (outcome.output != nullptr) {
      Fold(*outcome.output);
    } else {
      Fold(outcome.failure);
    }
  }
  void Fold(const TaskView& v) {
    (*this)(v.task_id, v.state, v.slot, v.phase, v.lease_expires_at, v.result);
  }
  template <class T>
  void Fold(const std::optional<T>& field) {
    Fold(field.has_value());
    if (field) Fold(*field);
  }
  template <class T>
  void Fold(std::span<const T> items) {
    digest_.Add(std::uint64_t{items.size()});
    for (const T& item : items) Fold(item);
  }
  template <class... Ts>
  void Fold(const std::variant<Ts...>& choice) {
    digest_.Add(std::uint64_t{choice.index()});
    std::visit([this](const auto& chosen) { this->Fold(chosen); }, choice);
  }

  Fingerprint& digest_;
};

void AddFields(Folder fold, const PrepareActivation& c) { fold(c.task_id, c.run, c.slot); }
void AddFields(Folder fold, const StartBuilder& c) { fold(c.task_id, c.run); }
void AddFields(Folder fold, const StartCallStream& c) { fold(c.task_id, c.run); }
void AddFields(Folder fold, const PauseCallStream& c) { fold(c.task_id, c.run); }
void AddFields(Folder fold, const ResumeCallStream& c) { fold(c.task_id, c.run); }
void AddFields(Folder fold, const DispatchCall& c) {
  fold(c.executor, c.call, c.task_id, c.run, c.attempt, c.deadline, c.function, *c.args, c.epoch);
}
void AddFields(Folder fold, const CancelCall& c) { fold(c.executor, c.call, c.attempt); }
void AddFields(Folder fold, const DeliverSubcall& c) {
  fold(c.executor, c.parent, c.ref, c.outcome);
}
void AddFields(Folder fold, const StartWriter& c) { fold(c.task_id, c.run, c.outcomes); }
void AddFields(Folder fold, const ConvergeTask& c) { fold(c.task_id, c.run, c.result); }
void AddFields(Folder fold, const NotifyWatch& c) {
  fold(c.watch_id, c.task_id, c.state, c.phase, c.result);
}
void AddFields(Folder fold, const EndWatch& c) { fold(c.watch_id, c.complete); }
void AddFields(Folder fold, const SpawnExecutor& c) { fold(c.executor, c.generation); }
void AddFields(Folder fold, const KillExecutor& c) { fold(c.executor, c.generation, c.reason); }
void AddFields(Folder, const RegisterWorker&) {}
void AddFields(Folder, const DeregisterWorker&) {}
void AddFields(Folder fold, const DrainComplete& c) { fold(c.clean); }

}  // namespace

void Add(Fingerprint& digest, const RequestTaskSlot& e) { Folder{digest}(e.task_id, e.ttl); }
void Add(Fingerprint& digest, const SubmitTask& e) {
  Folder{digest}(e.task_id, e.slot_id, e.function, e.result_handler, e.timeout, e.failure_policy,
                 e.retry_policy);
}
void Add(Fingerprint& digest, const GetTaskResult& e) { Folder{digest}(e.task_id); }
void Add(Fingerprint& digest, const OpenWatch& e) { Folder{digest}(e.watch_id, e.task_ids); }
void Add(Fingerprint& digest, const CloseWatch& e) { Folder{digest}(e.watch_id); }
void Add(Fingerprint& digest, const ActivationPrepared& e) {
  Folder{digest}(e.task_id, e.run, e.slot_id, e.epoch);
}
void Add(Fingerprint& digest, const ActivationFailed& e) {
  Folder{digest}(e.task_id, e.run, e.failure);
}
void Add(Fingerprint& digest, const BuilderFinished& e) {
  Folder{digest}(e.task_id, e.run, e.outcome);
}
void Add(Fingerprint& digest, const CallsAppended& e) { Folder{digest}(e.task_id, e.run, e.calls); }
void Add(Fingerprint& digest, const CallStreamEnded& e) {
  Folder{digest}(e.task_id, e.run, e.failure);
}
void Add(Fingerprint& digest, const WriterFinished& e) {
  Folder{digest}(e.task_id, e.run, e.outcome);
}
void Add(Fingerprint& digest, const ExecutorConnected& e) {
  Folder{digest}(e.executor, e.generation, e.pid);
}
void Add(Fingerprint& digest, const ExecutorHeartbeat& e) {
  Folder{digest}(e.executor, e.generation, e.running_call, e.last_scheduler_active);
}
void Add(Fingerprint& digest, const ExecutorExited& e) {
  Folder{digest}(e.executor, e.generation, e.reason);
}
void Add(Fingerprint& digest, const CallSucceeded& e) {
  Folder{digest}(e.executor, e.call, e.attempt, e.output);
}
void Add(Fingerprint& digest, const CallFailed& e) {
  Folder{digest}(e.executor, e.call, e.attempt, e.failure);
}
void Add(Fingerprint& digest, const SubcallRequested& e) {
  Folder{digest}(e.executor, e.parent, e.parent_attempt, e.ref, e.spec);
}

void Add(Fingerprint& digest, const Error& reply) { Folder{digest}(reply.code); }
void Add(Fingerprint& digest, const TaskView& reply) { Folder{digest}(reply); }
void Add(Fingerprint& digest, const WatchView& reply) { Folder{digest}(reply.tasks); }

void Add(Fingerprint& digest, const Command& command) {
  digest.Add(std::uint64_t{command.index()});
  std::visit([&digest](const auto& typed) { AddFields(Folder(digest), typed); }, command);
}

}  // namespace blockx::engine::digest
