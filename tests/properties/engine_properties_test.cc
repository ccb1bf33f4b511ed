// What holds for every history, not only for those that somebody thought of.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <variant>

#include "blockx/engine/driver.h"
#include "random_history.h"

namespace blockx::properties {
namespace {

using namespace blockx::engine;  // NOLINT(google-build-using-namespace): the subject of the whole file

// Carries nothing out; the history itself says what is reported.
class SilentWorld : public World {
 public:
  void Carry(const Command&, Instant) override {}
};

// Histories of up to several hundred steps. The numbers are of full size from the first try: each is several choices.
rc::Gen<Choices> Histories() {
  constexpr int kFullSize = 100;
  return rc::gen::scale(8.0,
                        rc::gen::container<Choices>(rc::gen::resize(kFullSize, rc::gen::arbitrary<std::uint32_t>())));
}

template <class OnStep>
void Play(const Choices& choices, Driver& driver, OnStep on_step) {
  RandomHistory history(driver.engine().config());
  for (const std::uint32_t choice : choices) {
    const RandomHistory::Step step = history.Next(choice, driver.engine().NextDeadline());
    on_step(step);
    history.Learn(driver.engine().commands());
  }
}

RC_GTEST_PROP(EnginePropertiesTest, InvariantsHoldAfterEveryStep, ()) {
  const Choices choices = *Histories();
  SilentWorld world;
  Driver driver(Engine(SmallConfig(choices)), world);
  Play(choices, driver, [&](const RandomHistory::Step& step) {
    driver.Apply(step.event, step.now);
    const std::optional<std::string> broken = driver.engine().CheckInvariants();
    RC_ASSERT(broken.value_or("") == "");
  });
}

RC_GTEST_PROP(EnginePropertiesTest, R_ERR_ARefusedRequestLeavesTheStateAsItWas, ()) {
  const Choices choices = *Histories();
  SilentWorld world;
  Driver driver(Engine(SmallConfig(choices)), world);
  Play(choices, driver, [&](const RandomHistory::Step& step) {
    const std::uint64_t before = driver.engine().StateDigest();
    const Reply reply = driver.Apply(step.event, step.now);
    if (!std::holds_alternative<Error>(reply)) return;
    RC_ASSERT(driver.engine().StateDigest() == before);
    RC_ASSERT(driver.engine().commands().empty());
  });
}

// After `at` steps `fork` makes a second engine of the first; from there both live the same history.
template <class Fork>
void ExpectSameFuture(Fork fork) {
  const Choices choices = *Histories();
  const std::size_t at = *rc::gen::inRange<std::size_t>(0, choices.size() + 1);
  SilentWorld world;
  Driver first(Engine(SmallConfig(choices)), world);
  std::optional<Driver> second;
  std::size_t steps = 0;
  Play(choices, first, [&](const RandomHistory::Step& step) {
    if (steps++ == at) {
      second.emplace(fork(first.engine()), world);
      RC_ASSERT(second->engine().StateDigest() == first.engine().StateDigest());
    }
    first.Apply(step.event, step.now);
    if (!second) return;
    second->Apply(step.event, step.now);
    RC_ASSERT(second->engine().StateDigest() == first.engine().StateDigest());
    RC_ASSERT(second->engine().NextDeadline() == first.engine().NextDeadline());
    RC_ASSERT(ChainDigest(0, step.now, Tick{}, std::monostate(), first.engine().commands()) ==
              ChainDigest(0, step.now, Tick{}, std::monostate(), second->engine().commands()));
  });
}

RC_GTEST_PROP(EnginePropertiesTest, ARestoredSnapshotHasTheSameFuture, ()) {
  ExpectSameFuture([](const Engine& engine) {
    const Result<Engine> restored = Engine::Restore(engine.config(), engine.Snapshot());
    RC_ASSERT(restored.ok());
    return restored.value();
  });
}

RC_GTEST_PROP(EnginePropertiesTest, ACopyHasTheSameFuture, ()) {
  ExpectSameFuture([](const Engine& engine) { return Engine(engine); });
}

RC_GTEST_PROP(EnginePropertiesTest, R_TIME_8_ATickBeforeAnythingExactIsDueChangesNothing, ()) {
  const Choices choices = *Histories();
  Config config = SmallConfig(choices);
  config.tick_interval = Duration::zero();  // Then everything is exact.
  SilentWorld world;
  Driver driver(Engine(config), world);
  Play(choices, driver, [&](const RandomHistory::Step& step) {
    driver.Apply(step.event, step.now);
    const std::optional<Instant> deadline = driver.engine().NextDeadline();
    Engine early = driver.engine();
    early.Apply(Tick{}, deadline ? AddSaturating(*deadline, Microseconds(-1)) : AddSaturating(step.now, Milliseconds(1)));
    if (!deadline || *deadline > step.now) RC_ASSERT(early.commands().empty());
    RC_ASSERT(early.NextDeadline() == deadline || (deadline && *deadline <= step.now));
  });
}

}  // namespace
}  // namespace blockx::properties
