#include "blockx/sim/script_play.h"

#include <optional>
#include <variant>

#include "script_clients.h"
#include "script_donors.h"
#include "script_executors.h"
#include "script_phases.h"
#include "script_queue.h"

namespace blockx::sim {

using engine::Instant;

class ScriptPlay::Stage final : public engine::World {
 public:
  Stage(const Script& script, const engine::Config& config, const PlayOptions& options)
      : script_(script),
        recorded_ticks_(options.recorded_ticks),
        donors_(script),
        queue_(script.ranked),
        phases_(donors_, queue_, calls_, guesses_, config.phase_io_timeout),
        executors_(script, config.executor_heartbeat_interval, donors_, queue_, calls_, guesses_),
        clients_(script, donors_, queue_, phases_, guesses_),
        driver_(engine::Engine(config), *this) {
    for (std::uint32_t i = 0; i < script.orders.size(); ++i) {
      const OrderScript& order = script.orders[i];
      const bool is_tick = order.kind == OrderScript::Kind::kTick;
      if (is_tick && !recorded_ticks_) continue;
      queue_.Push(order.at, is_tick ? Rank::kTick : Rank::kReport, order.order,
                  ScriptDueKind::kOrder, i);
    }
  }

  [[nodiscard]] engine::Driver& driver() { return driver_; }
  [[nodiscard]] const PlayGuesses& guesses() const { return guesses_; }

  bool Next() {
    const std::optional<Instant> tick = NextTick();
    if (tick && (queue_.empty() || *tick < queue_.top().at ||
                 (*tick == queue_.top().at && queue_.top().rank == Rank::kClient))) {
      if (*tick > script_.end) return false;
      queue_.AdvanceTo(*tick);
      driver_.Apply(engine::Tick{}, *tick);
      return true;
    }
    if (queue_.empty() || queue_.top().at > script_.end) return false;
    Handle(queue_.Pop());
    return true;
  }

  void Carry(const engine::Command& command, Instant now) override {
    std::visit([&](const auto& c) { On(c, now); }, command);
  }

 private:
  // A tick whose time has come is due now.
  [[nodiscard]] std::optional<Instant> NextTick() const {
    if (recorded_ticks_) return std::nullopt;
    const std::optional<Instant> due = driver_.engine().NextDeadline();
    if (!due) return std::nullopt;
    return std::max(*due, queue_.now());
  }

  void Handle(const ScriptDue& due) {
    switch (due.kind) {
      case ScriptDueKind::kOrder:
        return Order(script_.orders[due.index], due.at);
      case ScriptDueKind::kAction:
        return clients_.Act(due, driver_);
      case ScriptDueKind::kGuessed:
        return clients_.Guess(due, driver_);
      case ScriptDueKind::kWork:
        return phases_.Report(due, driver_);
      case ScriptDueKind::kAttempt:
        return executors_.ReportAttempt(due, driver_);
      case ScriptDueKind::kConnect:
        return executors_.ReportConnect(due, driver_);
      case ScriptDueKind::kExit:
        return executors_.ReportExit(due, driver_);
      case ScriptDueKind::kHeartbeat:
        return executors_.ReportHeartbeat(due, driver_);
    }
  }

  void Order(const OrderScript& order, Instant now) {
    switch (order.kind) {
      case OrderScript::Kind::kStart:
        return driver_.Apply(engine::Start{}, now);
      case OrderScript::Kind::kTick:
        return driver_.Apply(engine::Tick{}, now);
      case OrderScript::Kind::kBeginDrain:
        return driver_.Apply(engine::BeginDrain{}, now);
      case OrderScript::Kind::kForceStop:
        return driver_.Apply(engine::ForceStop{}, now);
    }
  }

  void On(const engine::PrepareActivation& c, Instant now) { phases_.Prepare(c, now); }
  void On(const engine::StartBuilder& c, Instant now) {
    phases_.Start(c.run, ScriptWork::kBuilder, now);
  }
  void On(const engine::StartCallStream& c, Instant now) {
    phases_.Start(c.run, ScriptWork::kStream, now);
  }
  void On(const engine::PauseCallStream& c, Instant) { phases_.PauseStream(c.run); }
  void On(const engine::ResumeCallStream& c, Instant now) { phases_.ResumeStream(c.run, now); }
  void On(const engine::StartWriter& c, Instant now) {
    phases_.Start(c.run, ScriptWork::kWriter, now);
  }
  void On(const engine::ConvergeTask& c, Instant now) { phases_.Converge(c.run, now); }
  void On(const engine::DispatchCall& c, Instant now) { executors_.Dispatch(c, now); }
  void On(const engine::CancelCall& c, Instant now) { executors_.Cancel(c, now); }
  void On(const engine::DeliverSubcall& c, Instant now) { executors_.Deliver(c, now); }
  void On(const engine::SpawnExecutor& c, Instant now) { executors_.Spawn(c, now); }
  void On(const engine::KillExecutor& c, Instant now) { executors_.Kill(c, now); }
  // Clients and registry take note, and do nothing in answer.
  void On(const engine::NotifyWatch&, Instant) {}
  void On(const engine::EndWatch&, Instant) {}
  void On(const engine::RegisterWorker&, Instant) {}
  void On(const engine::DeregisterWorker&, Instant) {}
  void On(const engine::DrainComplete&, Instant) {}

  const Script& script_;
  bool recorded_ticks_;
  PlayGuesses guesses_;
  ScriptDonors donors_;
  ScriptQueue queue_;
  PlayedCalls calls_;
  ScriptPhases phases_;
  ScriptExecutors executors_;
  ScriptClients clients_;
  engine::Driver driver_;
};

ScriptPlay::ScriptPlay(const Script& script, const engine::Config& config,
                       const PlayOptions& options)
    : stage_(std::make_unique<Stage>(script, config, options)) {}
ScriptPlay::~ScriptPlay() = default;

engine::Driver& ScriptPlay::driver() { return stage_->driver(); }
bool ScriptPlay::Next() { return stage_->Next(); }
const PlayGuesses& ScriptPlay::guesses() const { return stage_->guesses(); }

}  // namespace blockx::sim
