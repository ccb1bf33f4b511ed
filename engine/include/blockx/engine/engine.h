#ifndef BLOCKX_ENGINE_ENGINE_H_
#define BLOCKX_ENGINE_ENGINE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "blockx/engine/commands.h"
#include "blockx/engine/config.h"
#include "blockx/engine/events.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/time.h"

namespace blockx::engine {

struct State;

// What the Worker tells the registry; a count over the slot table, nothing else.
struct Heartbeat {
  std::int64_t task_slots = 0;
  std::int64_t reserved_slots = 0;
  std::int64_t running_tasks = 0;
  std::int64_t free_slots = 0;  // 0 while not ready or draining
  std::int64_t healthy_executors = 0;
  bool ready = false;
  bool draining = false;
};

// How busy each stage is, for utilisation and queue lengths. Decides nothing.
struct Load {
  struct Stage {
    std::int64_t in_use = 0;
    std::int64_t waiting = 0;
  };
  std::int64_t allocated_slots = 0;
  std::int64_t running_slots = 0;
  Stage builder{};
  Stage scan{};
  Stage executor_tasks{};
  Stage plugin{};
  std::int64_t calls_occupying = 0;  // attempts that hold a place on an executor
  std::int64_t calls_waiting =
      0;  // calls, retries and subcalls that could start and found no place or no room yet
};

// Things that are no errors and should still be seen. They decide nothing and are no part of the
// state digest.
struct Counters {
  std::uint64_t events = 0;
  std::uint64_t clock_regressions = 0;       // R-TIME-2
  std::uint64_t dropped_reports = 0;         // R-EV-1
  std::uint64_t idempotency_mismatches = 0;  // R-SUB-5
};

// Whether a snapshot has the bytes of payloads, or their size and fingerprint only.
enum class SnapshotPayloads { kKept, kLeftOut };

// Decides what the Worker does next. No I/O, no clock, no threads: the driver brings events, takes
// replies and commands. The same Config and the same (event, now) sequence give the same outputs
// everywhere. One thread at a time. An Engine is a value: a copy lives on independently with the
// same future.
class Engine {
 public:
  explicit Engine(const Config& config);  // Precondition: Validate(config) found nothing.
  Engine(const Engine& other);
  Engine& operator=(const Engine& other);
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  // A request, answered with its own reply type. Refused: an Error (R-ERR), and the state is as
  // before, digest included. A `now` below the last one counts as the last one (R-TIME-2).
  Result<TaskView> Apply(const RequestTaskSlot& request, Instant now);
  Result<TaskView> Apply(const SubmitTask& request, Instant now);
  Result<TaskView> Apply(const GetTaskResult& request, Instant now);
  Result<WatchView> Apply(const OpenWatch& request, Instant now);
  // A report or an order.
  void Apply(const CloseWatch& event, Instant now);
  void Apply(const ActivationPrepared& event, Instant now);
  void Apply(const ActivationFailed& event, Instant now);
  void Apply(const BuilderFinished& event, Instant now);
  void Apply(const CallsAppended& event, Instant now);
  void Apply(const CallStreamEnded& event, Instant now);
  void Apply(const WriterFinished& event, Instant now);
  void Apply(const ExecutorConnected& event, Instant now);
  void Apply(const ExecutorHeartbeat& event, Instant now);
  void Apply(const ExecutorExited& event, Instant now);
  void Apply(const CallSucceeded& event, Instant now);
  void Apply(const CallFailed& event, Instant now);
  void Apply(const SubcallRequested& event, Instant now);
  void Apply(const Start& event, Instant now);
  void Apply(const Tick& event, Instant now);
  void Apply(const BeginDrain& event, Instant now);
  void Apply(const ForceStop& event, Instant now);
  // The same door for any event, as logs and the text driver use it.
  Reply Apply(const Event& event, Instant now);

  // What the last Apply decided, in order. Owned by the engine; valid until the next Apply.
  [[nodiscard]] std::span<const Command> commands() const;

  // The earliest instant at which a Tick has something to do, by R-TIME-8; nothing pending:
  // nullopt. O(1).
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  [[nodiscard]] const Config& config() const;
  [[nodiscard]] Heartbeat DeriveHeartbeat() const;
  [[nodiscard]] Load load() const;
  [[nodiscard]] const Counters& counters() const;
  // The last call id that was given; 0: none yet (R-CALL-0).
  [[nodiscard]] CallId last_call_id() const;

  // Everything that decides the future, but for the clock's last reading and the counters, in 64
  // bits: equal for equal states, however they were reached. O(state).
  [[nodiscard]] std::uint64_t StateDigest() const;

  // The whole state as bytes. Restore gives an Engine with the same digest and the same future,
  // whether payloads were kept or not. The bytes may come from anywhere: damaged ones give an Error
  // that says what is wrong, never undefined behaviour.
  [[nodiscard]] std::string Snapshot(SnapshotPayloads payloads = SnapshotPayloads::kKept) const;
  static Result<Engine> Restore(const Config& config, std::string_view snapshot);

  // The first broken invariant of docs/engine-rules.md, in words; nothing when all hold. O(state);
  // tests and the simulator call it after each step.
  [[nodiscard]] std::optional<std::string> CheckInvariants() const;

  class Parts;  // private to the engine's sources

 private:
  friend State Inspect(const Engine& engine);  // state.h

  explicit Engine(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_ENGINE_H_
