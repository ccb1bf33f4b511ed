#ifndef BLOCKX_TESTS_ENGINE_WORKER_FIXTURE_H_
#define BLOCKX_TESTS_ENGINE_WORKER_FIXTURE_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "blockx/engine/engine.h"
#include "engine/describe.h"

namespace blockx::engine {

using Texts = std::vector<std::string>;
using Names = std::initializer_list<std::string_view>;

// A submission whose function is "build"; TaskWithWriter also has a result handler.
SubmitTask Task(std::string_view task_id);
SubmitTask TaskWithWriter(std::string_view task_id);

Failure Retryable(std::string_view code);
Failure Final(std::string_view code);

// A Worker driven by hand at literal times. It remembers from the commands which run, attempt or
// generation a report has to quote. After each step the invariants must hold, and a refusal must
// have left no trace (R-ERR).
class Worker {
 public:
  explicit Worker(const Config& config = Config());

  // The time of the steps that follow, since kStart.
  Worker& At(Duration since_start);
  Worker& AtInstant(Instant now);

  // Any event. Requests give their reply, all others the commands.
  template <Request R>
  std::string Apply(const R& request) {
    const std::uint64_t before = engine_.StateDigest();
    const Result<typename R::Reply> reply = engine_.Apply(request, now_);
    const std::string text = reply.ok() ? Describe(reply.value()) : Describe(reply.error());
    if (!reply.ok()) CheckRefusal(before, text);
    Conclude();
    return text;
  }
  template <class E>
  Texts Apply(const E& event) {
    engine_.Apply(event, now_);
    Conclude();
    return commands_;
  }

  // Requests, with the reply.
  std::string Reserve(std::string_view task, Duration ttl = Duration());
  std::string Submit(std::string_view task) { return Apply(Task(task)); }
  std::string Submit(const SubmitTask& task) { return Apply(task); }
  std::string Get(std::string_view task);
  std::string Watch(std::int64_t watch, Names tasks);

  // Reports about the latest run of a task, with the commands that follow.
  Texts Prepared(std::string_view task, std::int64_t epoch = 1);
  Texts NotPrepared(std::string_view task, Failure failure);
  Texts Built(std::string_view task, Names functions = {});
  Texts BuiltStream(std::string_view task);
  Texts NotBuilt(std::string_view task, Failure failure);
  Texts Appended(std::string_view task, Names functions);
  Texts StreamEnded(std::string_view task);
  Texts StreamFailed(std::string_view task, Failure failure);
  Texts Written(std::string_view task, std::string results = "");
  Texts NotWritten(std::string_view task, Failure failure);

  // Reports about the latest attempt of a call.
  Texts Succeeded(std::int64_t call, std::string output = "");
  Texts Failed(std::int64_t call, Failure failure);
  Texts Subcall(std::int64_t parent, std::int64_t ref, std::string_view function = "sub");

  // Reports about the present generation of an executor.
  Texts Connected(std::int64_t executor);
  Texts Exited(std::int64_t executor);
  Texts Beat(std::int64_t executor, std::int64_t running_call = 0, std::int64_t activity = 0);

  // Orders.
  Texts Start() { return Apply(engine::Start()); }
  Texts Tick() { return Apply(engine::Tick()); }
  Texts Drain() { return Apply(BeginDrain()); }
  Texts Stop() { return Apply(ForceStop()); }
  Texts Unwatch(std::int64_t watch) { return Apply(CloseWatch{WatchId(watch)}); }

  // Shorter ways to a situation. All executors connected; the first `count` of them.
  Worker& Ready();
  Worker& Ready(std::int64_t count);
  // Healthy for another heartbeat time-out: for tests that look far ahead.
  Worker& Alive();
  // Submitted and prepared; the same and built into one call for each function, or into a stream.
  Texts ToBuilder(const SubmitTask& task);
  Texts ToBuilder(std::string_view task) { return ToBuilder(Task(task)); }
  Texts ToCalls(const SubmitTask& task, Names functions);
  Texts ToCalls(std::string_view task, Names functions) { return ToCalls(Task(task), functions); }
  Texts ToStream(std::string_view task);
  // A task with a writer whose list of calls was empty: it asks for a plugin permit.
  Texts ToPlugin(std::string_view task);

  // Of the last step. The typed ones are valid until the next.
  [[nodiscard]] const Texts& commands() const { return commands_; }
  template <class C>
  [[nodiscard]] std::vector<C> All() const {
    std::vector<C> found;
    for (const Command& command : engine_.commands()) {
      if (const C* typed = std::get_if<C>(&command)) found.push_back(*typed);
    }
    return found;
  }
  // The only command of its kind in the last step; a default one, and a failed test, when there is
  // not exactly one.
  template <class C>
  [[nodiscard]] C Only() const {
    const std::vector<C> found = All<C>();
    if (found.size() != 1)
      Complain("expected exactly one command of this kind, found " + std::to_string(found.size()));
    return found.size() == 1 ? found.front() : C();
  }

  [[nodiscard]] const Engine& engine() const { return engine_; }
  [[nodiscard]] std::uint64_t digest() const { return engine_.StateDigest(); }
  [[nodiscard]] std::string heartbeat() const { return Describe(engine_.DeriveHeartbeat()); }
  [[nodiscard]] std::string next_deadline() const;
  [[nodiscard]] std::uint64_t dropped() const { return engine_.counters().dropped_reports; }
  // A copy of an ended task's result; asks by GetTaskResult.
  TaskResult ResultOf(std::string_view task);
  // Takes the place of the engine by a restored one.
  void Replace(Engine engine) { engine_ = std::move(engine); }

  [[nodiscard]] Run RunOf(std::string_view task) const;
  [[nodiscard]] ExecutorId ExecutorOf(std::int64_t call) const;
  [[nodiscard]] Attempt AttemptOf(std::int64_t call) const;

 private:
  struct Dispatched {
    ExecutorId executor{};
    Attempt attempt{};
  };

  void Conclude();
  void CheckRefusal(std::uint64_t before, const std::string& reply) const;
  void Complain(const std::string& what) const;

  Engine engine_;
  Instant now_ = kStart;
  Texts commands_;
  std::map<std::string, Run, std::less<>> runs_;
  std::map<CallId, Dispatched> dispatched_;
  std::map<ExecutorId, Generation> generations_;
};

}  // namespace blockx::engine

#endif  // BLOCKX_TESTS_ENGINE_WORKER_FIXTURE_H_
