#include "blockx/sim/worker_world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "blockx/engine/engine.h"

namespace blockx::sim {
namespace {

using engine::AtMicroseconds;
using engine::Instant;

Distribution Ms(double milliseconds) { return Distribution(Constant{milliseconds * 1e3}); }

// Who owes an end for what, by R-EV-2: entered with each command, struck out with each report.
class Ledger final : public engine::StepObserver {
 public:
  using Debt = std::tuple<std::string, std::int64_t, std::int64_t>;

  void OnStep(const engine::Step& step) override {
    std::visit([this](const auto& event) { Strike(event); }, step.event);
    for (const engine::Command& command : step.commands) {
      std::visit([this](const auto& c) { Enter(c); }, command);
    }
  }

  std::map<Debt, int> owed;            // Not yet reported.
  std::map<std::string, int> entered;  // Commands so far, by kind.
  std::vector<std::string> faults;     // Ends that nobody waited for.

 private:
  void Enter(const engine::StartBuilder& c) { Add("builder", c.run.value(), 0); }
  void Enter(const engine::StartCallStream& c) { Add("stream", c.run.value(), 0); }
  void Enter(const engine::StartWriter& c) { Add("writer", c.run.value(), 0); }
  void Enter(const engine::DispatchCall& c) {
    Add("call", c.call.value(), c.attempt.value());
    executor_of_call_[{c.call.value(), c.attempt.value()}] = c.executor.value();
  }
  void Enter(const engine::SpawnExecutor& c) {
    Add("executor", c.executor.value(), c.generation.value());
  }
  void Enter(const engine::CancelCall&) { ++entered["cancel"]; }
  void Enter(const engine::PauseCallStream&) { ++entered["pause"]; }
  void Enter(const engine::DeliverSubcall&) { ++entered["subcall"]; }
  void Enter(const engine::KillExecutor&) { ++entered["kill"]; }
  template <class Other>
  void Enter(const Other&) {}

  void Strike(const engine::BuilderFinished& e) { Remove("builder", e.run.value(), 0); }
  void Strike(const engine::CallStreamEnded& e) { Remove("stream", e.run.value(), 0); }
  void Strike(const engine::WriterFinished& e) { Remove("writer", e.run.value(), 0); }
  void Strike(const engine::CallSucceeded& e) { Remove("call", e.call.value(), e.attempt.value()); }
  void Strike(const engine::CallFailed& e) { Remove("call", e.call.value(), e.attempt.value()); }
  void Strike(const engine::ExecutorExited& e) {
    Remove("executor", e.executor.value(), e.generation.value());
    std::erase_if(owed, [&](const auto& debt) {
      const auto& [kind, call, attempt] = debt.first;
      return kind == "call" && executor_of_call_.at({call, attempt}) == e.executor.value();
    });
  }
  template <class Other>
  void Strike(const Other&) {}

  void Add(const std::string& kind, std::int64_t a, std::int64_t b) {
    ++entered[kind];
    if (++owed[{kind, a, b}] != 1) faults.push_back(kind + " begun twice");
  }
  void Remove(const std::string& kind, std::int64_t a, std::int64_t b) {
    if (owed.erase({kind, a, b}) != 1) faults.push_back(kind + " ended without being owed");
  }

  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> executor_of_call_;
};

// One Worker in its world, with nobody but the test around it.
class WorkerWorldTest : public ::testing::Test, public WorldListener {
 protected:
  WorkerWorldTest() {
    scenario_.config.executor_count = 2;
    source_.name = "tasks";
    source_.task.calls.duration = Ms(100);
  }

  void Start() {
    scenario_.workload = {source_};
    queue_ = std::make_unique<EventQueue>(1);
    world_ = std::make_unique<WorkerWorld>(scenario_, 0, *queue_, tasks_, *this);
    driver_ = std::make_unique<engine::Driver>(engine::Engine(scenario_.config), *world_, &ledger_);
    driver_->Apply(engine::Start{}, queue_->now());
    RunFor(scenario_.config.executor_start_timeout);
  }

  void RunFor(engine::Duration duration) {
    const Instant end = queue_->now() + duration;
    for (;;) {
      queue_->SetTick(0, driver_->engine().NextDeadline());
      const auto due = queue_->PopBefore(end);
      if (!due) break;
      if (due->kind == DueKind::kTick) {
        driver_->Apply(engine::Tick{}, due->at());
      } else {
        world_->Report(*due, *driver_);
      }
    }
    queue_->AdvanceTo(end);
  }

  std::uint32_t Submit() {
    const std::uint32_t index = tasks_.Add();
    Task& task = tasks_[index];
    const std::string id = "t" + std::to_string(++submitted_);
    task.id_size = static_cast<std::uint8_t>(id.copy(task.id_text.data(), id.size()));
    task.spec = &scenario_.workload[0];
    task.entity = EntityWithin(1, submitted_);
    engine::SubmitTask submission;
    submission.task_id = id;
    submission.function.type = "simulated";
    if (source_.task.writer) submission.result_handler.type = "simulated";
    submission.timeout = source_.task.timeout;
    submission.failure_policy = source_.task.failure_policy;
    world_->ExpectSubmission(index);
    EXPECT_TRUE(driver_->Apply(submission, queue_->now()).ok());
    return index;
  }

  void OnTaskEnded(std::uint32_t task, const engine::TaskResult& result, Instant now) override {
    ends_.push_back({now, result.state, std::string(result.failure_code)});
    results_.push_back(result);
    tasks_[task].resolved = true;
    tasks_.RemoveIfDone(task);
  }
  void OnWatchNotified(std::uint32_t, bool) override {}
  void OnWatchEnded(std::uint32_t, Instant) override {}
  void OnRegistered(std::uint32_t) override { ++registered_; }
  void OnDeregistered(std::uint32_t) override {}

  // Everything is over: what is still owed is the running executors' exits.
  void ExpectAllEndsReported() {
    EXPECT_THAT(ledger_.faults, ::testing::IsEmpty());
    for (const auto& [debt, count] : ledger_.owed) EXPECT_EQ(std::get<0>(debt), "executor");
    EXPECT_LE(ledger_.owed.size(), static_cast<std::size_t>(scenario_.config.executor_count));
    EXPECT_EQ(world_->executors().calls(), 0u);
    EXPECT_EQ(tasks_.size(), 0u);
    EXPECT_EQ(driver_->engine().CheckInvariants(), std::nullopt);
  }

  struct End {
    Instant at;
    engine::TaskState state;
    std::string code;
  };

  Scenario scenario_;
  WorkloadSource source_;
  Ledger ledger_;
  TaskTable tasks_;
  std::unique_ptr<EventQueue> queue_;
  std::unique_ptr<WorkerWorld> world_;
  std::unique_ptr<engine::Driver> driver_;
  std::uint64_t submitted_ = 0;
  int registered_ = 0;
  std::vector<End> ends_;
  std::vector<engine::TaskResult> results_;
};

TEST_F(WorkerWorldTest, ATaskTakesTheTimesOfItsSteps) {
  source_.task.activation = Ms(1);
  source_.task.builder.duration = Ms(20);
  source_.task.writer.emplace().duration = Ms(3);
  Start();
  const Instant submitted = queue_->now();
  Submit();
  RunFor(engine::Milliseconds(1'000));
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].state, engine::TaskState::kSucceeded);
  EXPECT_EQ(ends_[0].at - submitted, engine::Milliseconds(124));
  ExpectAllEndsReported();
}

TEST_F(WorkerWorldTest, TheWorkerRegistersWhenAnExecutorHasConnected) {
  scenario_.executors.start_delay = Ms(300);
  Start();
  EXPECT_EQ(registered_, 1);
  EXPECT_EQ(driver_->engine().DeriveHeartbeat().healthy_executors, 2);
}

TEST_F(WorkerWorldTest, R_EX_3_HeartbeatsComeAtTheConfiguredInterval) {
  Start();
  const std::uint64_t before = driver_->sequence();
  RunFor(10 * scenario_.config.executor_heartbeat_interval);
  const std::uint64_t ticks = 20;  // Heartbeat time-outs are looked at each 500 ms at the most.
  EXPECT_GE(driver_->sequence() - before, 20u);
  EXPECT_LE(driver_->sequence() - before, 20u + ticks);
  EXPECT_EQ(ledger_.entered["kill"], 0);
}

TEST_F(WorkerWorldTest, R_EX_4_ALongCallOnALivelyExecutorIsNoWedge) {
  source_.task.calls.duration = Ms(500'000);
  source_.task.timeout = engine::Milliseconds(2'000'000);
  scenario_.config.call_deadline = engine::Milliseconds(1'000'000);
  scenario_.config.scheduler_stall_timeout = engine::Milliseconds(5'000);
  Start();
  Submit();
  RunFor(engine::Milliseconds(600'000));
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].state, engine::TaskState::kSucceeded);
  EXPECT_EQ(ledger_.entered["kill"], 0);
}

TEST_F(WorkerWorldTest, AFailedStartIsReportedAsAnExitAndTriedAgain) {
  scenario_.executors.start_failure = 0.5;
  scenario_.config.executor_count = 8;
  Start();
  RunFor(engine::Milliseconds(120'000));
  EXPECT_GT(ledger_.entered["executor"], 8);
  EXPECT_EQ(driver_->engine().DeriveHeartbeat().healthy_executors, 8);
  ExpectAllEndsReported();
}

TEST_F(WorkerWorldTest, CallsOfOneExecutorRunSideBySide) {
  scenario_.config.executor_count = 1;
  scenario_.config.executor_max_concurrent_calls = 3;
  source_.task.calls.count = Distribution(Constant{3});
  Start();
  const Instant submitted = queue_->now();
  Submit();
  RunFor(engine::Milliseconds(1'000));
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].at - submitted, engine::Milliseconds(100));
}

TEST_F(WorkerWorldTest, ACallWaitsForItsSubcallsBetweenEqualPartsOfItsDuration) {
  auto& subcalls = source_.task.calls.subcalls.emplace();
  subcalls.count = Distribution(Constant{2});
  subcalls.duration = Ms(10);
  Start();
  const Instant submitted = queue_->now();
  Submit();
  RunFor(engine::Milliseconds(1'000));
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].at - submitted, engine::Milliseconds(120));
  EXPECT_EQ(results_[0].calls.total, 3u);
  EXPECT_EQ(ledger_.entered["subcall"], 2);
  ExpectAllEndsReported();
}

TEST_F(WorkerWorldTest, AStreamGivesItsCallsInBatchesAndStopsWhilePaused) {
  scenario_.config.stream_max_buffered_calls = 10;
  source_.task.calls.count = Distribution(Constant{95});
  source_.task.builder.stream = StreamSpec{10, Ms(1)};
  Start();
  Submit();
  RunFor(engine::Milliseconds(60'000));
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].state, engine::TaskState::kSucceeded);
  EXPECT_EQ(results_[0].calls.total, 95u);
  EXPECT_GT(ledger_.entered["pause"], 0);
  ExpectAllEndsReported();
}

TEST_F(WorkerWorldTest, AStreamWithoutCallsEndsAtOnce) {
  source_.task.calls.count = Distribution(Constant{0});
  source_.task.builder.stream = StreamSpec{10, Ms(50)};
  Start();
  const Instant submitted = queue_->now();
  Submit();
  RunFor(engine::Milliseconds(1'000));
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].at, submitted);
  ExpectAllEndsReported();
}

TEST_F(WorkerWorldTest, R_EV_2_ABuilderThatIsCancelledEndsAfterItsLatencyAndReturnsItsPermit) {
  source_.task.builder.duration = Ms(60'000);
  source_.task.builder.cancel_latency = Ms(40);
  source_.task.timeout = engine::Milliseconds(100);
  Start();
  Submit();
  RunFor(engine::Milliseconds(120));
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_EQ(ends_[0].code, "TIMED_OUT");
  EXPECT_EQ(driver_->engine().load().builder.in_use, 1);
  RunFor(engine::Milliseconds(40));
  EXPECT_EQ(driver_->engine().load().builder.in_use, 0);
  ExpectAllEndsReported();
}

TEST_F(WorkerWorldTest, R_EV_2_ABuilderThatDoesNotListenIsAbandonedAfterTheIoTimeout) {
  source_.task.builder.duration = Ms(600'000);
  source_.task.builder.cancel_latency = Ms(600'000);
  source_.task.timeout = engine::Milliseconds(100);
  scenario_.config.phase_io_timeout = engine::Milliseconds(2'000);
  Start();
  Submit();
  RunFor(engine::Milliseconds(2'099));
  EXPECT_EQ(driver_->engine().load().builder.in_use, 1);
  RunFor(engine::Milliseconds(2));
  EXPECT_EQ(driver_->engine().load().builder.in_use, 0);
  ExpectAllEndsReported();
}

TEST_F(WorkerWorldTest, R_CALL_6_AnExecutorThatIgnoresACancellationIsKilledAndComesBack) {
  source_.task.calls.duration = Ms(600'000);
  source_.task.timeout = engine::Milliseconds(1'000);
  scenario_.executors.cancel_latency = Ms(300'000);
  scenario_.executors.exit_latency = Ms(20);
  Start();
  Submit();
  RunFor(engine::Milliseconds(30'000));
  EXPECT_EQ(ledger_.entered["kill"], 1);
  EXPECT_EQ(ledger_.entered["executor"], 3);
  EXPECT_EQ(driver_->engine().DeriveHeartbeat().healthy_executors, 2);
  ExpectAllEndsReported();
}

TEST_F(WorkerWorldTest, AKilledExecutorReportsNothingButItsExit) {
  scenario_.config.executor_count = 1;
  source_.task.calls.duration = Ms(3'000);
  source_.task.timeout = engine::Milliseconds(1'000);
  scenario_.config.cancel_grace = engine::Milliseconds(500);
  scenario_.executors.cancel_latency = Ms(300'000);
  scenario_.executors.exit_latency = Ms(5'000);
  Start();
  Submit();
  RunFor(engine::Milliseconds(1'600));  // Killed half a second after the deadline.
  ASSERT_EQ(ledger_.entered["kill"], 1);
  const auto owed = ledger_.owed;
  RunFor(engine::Milliseconds(4'800));
  EXPECT_EQ(ledger_.owed, owed);
  RunFor(engine::Milliseconds(200));
  EXPECT_EQ(world_->executors().calls(), 0u);
}

// Everything at once, each seed another history: the books must balance.
class WorkerWorldLedgerTest : public WorkerWorldTest, public ::testing::WithParamInterface<int> {};

TEST_P(WorkerWorldLedgerTest, R_EV_2_EveryEndIsReportedExactlyOnce) {
  scenario_.seed = static_cast<std::uint64_t>(GetParam());
  engine::Config& config = scenario_.config;
  config.executor_count = 4;
  config.builder_slots = 3;
  config.scan_slots = 2;
  config.plugin_slots = 2;
  config.call_deadline = engine::Milliseconds(400);
  config.cancel_grace = engine::Milliseconds(300);
  config.phase_io_timeout = engine::Milliseconds(500);
  config.stream_max_buffered_calls = 4;
  config.executor_max_concurrent_calls = 1 + GetParam() % 3;
  config.executor_restart_delay = engine::Milliseconds(50);
  config.executor_max_restarts = 1'000'000;
  scenario_.executors = {Distribution(Exponential{5e3}), 0.1, Distribution(Exponential{2e5}),
                         Distribution(Exponential{1e4})};
  TaskSpec& task = source_.task;
  task.activation = Distribution(Exponential{1e3});
  task.activation_failure = 0.05;
  task.builder.duration = Distribution(Exponential{1e5});
  task.builder.failure = 0.05;
  task.builder.cancel_latency = Distribution(Exponential{4e5});
  if (GetParam() % 2 == 0) {
    task.builder.stream = StreamSpec{3, Distribution(Exponential{1e4})};
  }
  task.calls.count = Distribution(Uniform{0, 12});
  task.calls.duration = Distribution(Exponential{1.5e5});
  task.calls.failure = 0.1;
  task.calls.retryable = 0.7;
  auto& subcalls = task.calls.subcalls.emplace();
  subcalls.count = Distribution(Uniform{0, 3});
  subcalls.duration = Distribution(Exponential{5e4});
  auto& writer = task.writer.emplace();
  writer.duration = Distribution(Exponential{1e5});
  writer.failure = 0.1;
  writer.cancel_latency = Distribution(Exponential{4e5});
  task.timeout = engine::Milliseconds(1'500);
  if (GetParam() % 4 == 1) task.failure_policy = engine::CallFailurePolicy::kContinue;
  Start();
  RunFor(engine::Milliseconds(10'000));
  constexpr int kTasks = 300;
  for (int i = 0; i < kTasks; ++i) {
    Submit();
    RunFor(engine::Milliseconds(70));
    ASSERT_EQ(driver_->engine().CheckInvariants(), std::nullopt);
  }
  RunFor(engine::Milliseconds(20'000));
  EXPECT_EQ(ends_.size(), static_cast<std::size_t>(kTasks));
  ExpectAllEndsReported();
  // Each of the situations that this test is about was really met.
  EXPECT_GT(ledger_.entered["cancel"], 0);
  EXPECT_GT(ledger_.entered["kill"], 0);
  EXPECT_GT(ledger_.entered["subcall"], 0);
  EXPECT_GT(ledger_.entered["writer"], 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, WorkerWorldLedgerTest, ::testing::Range(1, 9));

}  // namespace
}  // namespace blockx::sim
