#ifndef BLOCKX_ENGINE_DRIVER_H_
#define BLOCKX_ENGINE_DRIVER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "blockx/engine/engine.h"
#include "blockx/engine/step_digest.h"

namespace blockx::engine {

// Carries out commands: production, simulation and replay each have one.
class World {
 public:
  virtual ~World() = default;
  // Called once for each command, in order. It must not call back into the driver: what comes of
  // the command is reported later. The command's views are valid during the call only.
  virtual void Carry(const Command& command, Instant now) = 0;
};

// One passage through the door. Everything in it is borrowed for the duration of OnStep.
struct Step {
  std::uint64_t sequence = 0;  // counts from 1
  Instant now{};               // as given; the engine may have counted it as later (R-TIME-2)
  const Event& event;
  const Reply& reply;
  std::span<const Command> commands;
  std::uint64_t digest = 0;  // chained over this and all earlier steps
};

// Sees each step after it was decided and before its commands are carried out.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void OnStep(const Step& step) = 0;
};

// The one door to an engine, in every world: all inputs pass Apply, and the order in which they do
// is the history. Owns the engine; borrows the world and the observer, which must outlive it. One
// thread at a time.
class Driver {
 public:
  Driver(Engine engine, World& world, StepObserver* observer = nullptr)
      : engine_(std::move(engine)), world_(world), observer_(observer) {}
  // Goes on in a history: after `sequence` steps, whose digest is `digest`.
  Driver(Engine engine, World& world, StepObserver* observer, std::uint64_t sequence,
         std::uint64_t digest)
      : engine_(std::move(engine)),
        world_(world),
        observer_(observer),
        sequence_(sequence),
        digest_(digest) {}

  // From the next step on; null: none.
  void SetObserver(StepObserver* observer) { observer_ = observer; }

  template <Request R>
  Result<typename R::Reply> Apply(const R& request, Instant now) {
    Result<typename R::Reply> result = engine_.Apply(request, now);
    Conclude(request, result, now);
    return result;
  }

  template <class E>
  requires(!Request<E> && !std::is_same_v<E, Event>) void Apply(const E& event, Instant now) {
    engine_.Apply(event, now);
    Conclude(event, std::monostate(), now);
  }

  Reply Apply(const Event& event, Instant now);

  [[nodiscard]] const Engine& engine() const { return engine_; }
  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
  // The chain over all steps so far: equal digests, equal histories.
  [[nodiscard]] std::uint64_t digest() const { return digest_; }

 private:
  template <class E, class R>
  void Conclude(const E& event, const R& reply, Instant now) {
    ++sequence_;
    digest_ = ChainDigest(digest_, now, event, reply, engine_.commands());
    if (observer_ != nullptr) Observe(event, ToReply(reply), now);
    for (const Command& command : engine_.commands()) world_.Carry(command, now);
  }
  void Observe(const Event& event, const Reply& reply, Instant now);

  Engine engine_;
  World& world_;
  StepObserver* observer_;
  std::uint64_t sequence_ = 0;
  std::uint64_t digest_ = 0;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_DRIVER_H_
