// What the fields of a scenario file mean, and what must hold between them.
#include "blockx/sim/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "blockx/sim/scenario_reader.h"
#include "sim/input_files.h"

namespace blockx::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kBase =
    R"({"workload": [{"name": "w", "arrivals": {"type": "poisson", "rate": "1/s"}, "tasks": 1,
        "task": {"calls": {"duration": "1s"}}}]})";

using Overrides = std::vector<std::string>;

std::vector<std::string> Errors(const Overrides& overrides, const std::string& directory = ".") {
  return ErrorsOf(ParseScenario(kBase, directory, overrides));
}

Scenario Read(const Overrides& overrides, const std::string& directory = ".") {
  auto result = ParseScenario(kBase, directory, overrides);
  EXPECT_THAT(ErrorsOf(result), ElementsAre());
  return std::holds_alternative<Scenario>(result) ? std::get<Scenario>(std::move(result))
                                                  : Scenario();
}

template <class Pattern>
Pattern ReadPattern(const std::string& arrivals) {
  const Scenario scenario = Read({"workload.0.arrivals=" + arrivals});
  return std::get<Pattern>(std::get<ArrivalPattern>(scenario.workload.at(0).arrivals));
}

template <class Shape>
Shape ReadShape(const std::string& distribution) {
  const Scenario scenario = Read({"workload.0.task.calls.duration=" + distribution});
  return std::get<Shape>(
      std::get<Distribution>(scenario.workload.at(0).task.calls.duration).shape());
}

TEST(ScenarioTest, ShippedScenariosAreSound) {
  for (const std::string& name : ShippedScenarios()) {
    const std::string path = ScenarioDirectory() + '/' + name + ".json";
    EXPECT_THAT(ErrorsOf(LoadScenario(path, {})), ElementsAre()) << path;
  }
}

TEST(ScenarioTest, AnEmptyTaskHasTheDefaultsOfTheFormat) {
  const Scenario scenario = Read({});
  EXPECT_EQ(scenario.config, engine::Config());
  EXPECT_EQ(scenario.fleet.workers, 1);
  EXPECT_EQ(scenario.coordinator.policy, CoordinatorPolicy::kLeastLoaded);
  const WorkloadSource& source = scenario.workload.at(0);
  EXPECT_TRUE(source.client.reserve);
  EXPECT_EQ(source.client.retry.max_attempts, 1);
  EXPECT_FALSE(source.client.watch);
  EXPECT_FALSE(source.task.writer.has_value());
  EXPECT_FALSE(source.task.retry.has_value());
  EXPECT_EQ(std::get<Distribution>(source.task.calls.count).Mean(), 1);
  EXPECT_EQ(std::get<Distribution>(source.task.calls.duration).Mean(), 1'000'000);
}

TEST(ScenarioTest, ConfigurationHasProductionsNamesAndUnits) {
  const Scenario scenario = Read(
      {"worker.defaultTTLMs=250", "dispatcher.callDeadlineMs=1.5s", "executorCount=3",
       "admission.scanSlots=2", "executorRestartEnabled=false", "streamBuild.maxBufferedCalls=9"});
  EXPECT_EQ(scenario.config.default_ttl, engine::Milliseconds(250));
  EXPECT_EQ(scenario.config.call_deadline, engine::Milliseconds(1'500));
  EXPECT_EQ(scenario.config.executor_count, 3);
  EXPECT_EQ(scenario.config.scan_slots, 2);
  EXPECT_FALSE(scenario.config.executor_restart_enabled);
  EXPECT_EQ(scenario.config.stream_max_buffered_calls, 9);
}

TEST(ScenarioTest, R_CFG_MillisecondsAreWhole) {
  EXPECT_THAT(Errors({"worker.defaultTTLMs=1.0005s"}), ElementsAre(HasSubstr("milliseconds")));
  EXPECT_THAT(Errors({"worker.defaultTTLMs=-1"}),
              ElementsAre(StartsWith("/worker/defaultTTLMs: found -1")));
}

TEST(ScenarioTest, R_CFG_FieldsThatContradictEachOtherAreNamed) {
  EXPECT_THAT(Errors({"worker.taskDeadlineMs=2000", "worker.maxTaskTimeoutMs=1000"}),
              ElementsAre(StartsWith("/worker/taskDeadlineMs: ")));
}

TEST(ScenarioTest, EveryArrivalTypeIsRead) {
  EXPECT_EQ(ReadPattern<PoissonArrivals>(R"({"type": "poisson", "rate": "30/m"})").rate, 0.5);
  EXPECT_EQ(ReadPattern<ConstantArrivals>(R"({"type": "constant", "rate": 4})").interval_us,
            250'000);
  EXPECT_EQ(ReadPattern<ConstantArrivals>(R"({"type": "constant", "interval": "2s"})").interval_us,
            2'000'000);
  const auto bursty = ReadPattern<BurstyArrivals>(
      R"({"type": "mmpp", "states": [{"rate": 1, "meanStay": "30s"}, {"rate": 9, "meanStay": "2s"}]})");
  EXPECT_EQ(bursty.states[1].rate, 9);
  EXPECT_EQ(bursty.states[1].mean_stay_us, 2'000'000);
  const auto piecewise = ReadPattern<PiecewiseArrivals>(
      R"({"type": "piecewise", "pieces": [{"from": "0s", "rate": 1}, {"from": "8h", "rate": 5}], "period": "1d"})");
  EXPECT_EQ(piecewise.pieces.at(1).from, engine::Milliseconds(28'800'000));
  EXPECT_EQ(piecewise.period, engine::Milliseconds(86'400'000));
  EXPECT_EQ(ReadPattern<RenewalArrivals>(R"({"type": "renewal", "gap": "1s"})").gap_us.Mean(),
            1'000'000);
  const Scenario scenario =
      Read({R"(workload.0.arrivals={"type": "closed", "clients": 7, "thinkTime": "1s"})"});
  EXPECT_EQ(std::get<ClosedArrivals>(scenario.workload.at(0).arrivals).clients, 7);
}

TEST(ScenarioTest, ArrivalsThatMakeNoSenseAreNamed) {
  EXPECT_THAT(Errors({R"(workload.0.arrivals={"type": "poison", "rate": 1})"}),
              ElementsAre(AllOf(StartsWith("/workload/0/arrivals/type: found \"poison\""),
                                HasSubstr("did you mean \"poisson\"?"))));
  EXPECT_THAT(
      Errors({"workload.0.arrivals.rate=fast"}),
      ElementsAre(StartsWith("/workload/0/arrivals/rate: found \"fast\", expected a rate")));
  EXPECT_THAT(Errors({R"(workload.0.arrivals={"type": "constant"})"}),
              ElementsAre("/workload/0/arrivals: expected either rate or interval"));
  EXPECT_THAT(
      Errors(
          {R"(workload.0.arrivals={"type": "mmpp", "states": [{"rate": 1, "meanStay": "1s"}]})"}),
      ElementsAre(StartsWith("/workload/0/arrivals/states: ")));
}

TEST(ScenarioTest, EveryDistributionIsRead) {
  EXPECT_EQ(ReadShape<Constant>("5ms").value, 5'000);
  EXPECT_EQ(ReadShape<Uniform>(R"({"type": "uniform", "low": "1ms", "high": "3ms"})").high, 3'000);
  EXPECT_EQ(ReadShape<Exponential>(R"({"type": "exponential", "mean": "1s"})").mean, 1'000'000);
  EXPECT_EQ(ReadShape<LogNormal>(R"({"type": "lognormal", "median": "1s", "sigma": 0.5})").sigma,
            0.5);
  EXPECT_NEAR(
      Distribution(ReadShape<LogNormal>(R"({"type": "lognormal", "mean": "1s", "cv": 2})")).Mean(),
      1e6, 1);
  EXPECT_EQ(ReadShape<Pareto>(R"({"type": "pareto", "minimum": "1s", "shape": 2, "maximum": "9s"})")
                .maximum,
            9e6);
  EXPECT_EQ(ReadShape<Weibull>(R"({"type": "weibull", "scale": "1s", "shape": 2})").scale, 1e6);
  EXPECT_EQ(ReadShape<Gamma>(R"({"type": "gamma", "mean": "1s", "shape": 3})").shape, 3);
  EXPECT_EQ(
      ReadShape<Empirical>(
          R"({"type": "empirical", "quantiles": [{"p": 0, "value": "0s"}, {"p": "100%", "value": "1s"}]})")
          .quantiles.at(1)
          .value,
      1e6);
  const auto mix = ReadShape<Mix>(
      R"({"type": "mix", "branches": [{"weight": 9, "value": "1ms"}, {"weight": 1, "value": {"type": "exponential", "mean": "1s"}}]})");
  EXPECT_EQ(mix.branches.at(0).weight, 9);
  EXPECT_EQ(mix.branches.at(1).value.Mean(), 1e6);
}

TEST(ScenarioTest, ADistributionThatMakesNoSenseIsNamed) {
  const std::string field = "workload.0.task.calls.duration=";
  EXPECT_THAT(Errors({field + R"({"type": "uniform", "low": "3ms", "high": "1ms"})"}),
              ElementsAre(StartsWith("/workload/0/task/calls/duration: ")));
  EXPECT_THAT(Errors({field + R"({"type": "lognormal", "mean": "1s"})"}),
              ElementsAre(HasSubstr("either median and sigma, or mean and cv")));
  EXPECT_THAT(Errors({field + R"({"type": "empirical"})"}),
              ElementsAre(HasSubstr("either quantiles or a file")));
  EXPECT_THAT(Errors({field + R"({"type": "exponential", "mean": 5})"}),
              ElementsAre(StartsWith(
                  "/workload/0/task/calls/duration/mean: found 5, expected a duration")));
  EXPECT_THAT(
      Errors({field + "7"}),
      ElementsAre(StartsWith("/workload/0/task/calls/duration: found 7, expected a duration")));
}

TEST(ScenarioTest, SamplesComeFromAFileOrOneOfItsColumns) {
  const TemporaryFile plain("samples.txt", "# ms\n10\n30\n\n20\n");
  const TemporaryFile table("steps.csv", "phase,took\ncall,1.5\nplugin,9\ncall,0.5\n");
  const Scenario scenario = Read(
      {R"(workload.0.task.calls.duration={"type": "empirical", "file": "samples.txt", "unit": "ms"})",
       R"(workload.0.task.activation={"type": "empirical", "file": "steps.csv", "column": "took", "where": {"phase": "call"}})"},
      plain.directory());
  EXPECT_EQ(std::get<Distribution>(scenario.workload.at(0).task.calls.duration).Mean(), 20'000);
  EXPECT_EQ(scenario.workload.at(0).task.activation.Mean(), 1'000'000);
}

TEST(ScenarioTest, AFaultInASampleFileIsNamedByLine) {
  const TemporaryFile file("samples.txt", "10\nmany\n");
  EXPECT_THAT(
      Errors({R"(workload.0.task.activation={"type": "empirical", "file": "samples.txt"})"},
             file.directory()),
      ElementsAre(AllOf(StartsWith("/workload/0/task/activation: "), HasSubstr("samples.txt:2: "),
                        HasSubstr("found \"many\", expected a number"))));
  EXPECT_THAT(Errors({R"(workload.0.task.activation={"type": "empirical", "file": "none.txt"})"},
                     file.directory()),
              ElementsAre(HasSubstr("cannot be opened")));
}

TEST(ScenarioTest, ATraceFeedsLinearForms) {
  const TemporaryFile trace("t.csv", "at,size,steps\n0,100,2\n1.5,300,4\n");
  const Scenario scenario =
      Read({R"(workload.0.arrivals={"type": "trace", "file": "t.csv", "arrival": "at"})",
            "workload.0.task.calls.count=1 + 0.5*steps",
            "workload.0.task.calls.duration=10ms + 1ms*size"},
           trace.directory());
  const auto& spec = std::get<TraceSpec>(scenario.workload.at(0).arrivals);
  auto opened = TraceReader::Open(spec);
  auto& reader = std::get<TraceReader>(opened);
  auto next = reader.Next();
  next = reader.Next();
  const TraceRow row = *std::get<0>(next);
  EXPECT_EQ(row.arrival, engine::Milliseconds(1'500));
  const TaskSpec& task = scenario.workload.at(0).task;
  EXPECT_EQ(std::get<LinearForm>(task.calls.count).Evaluate(row.values), 3);
  EXPECT_EQ(std::get<LinearForm>(task.calls.duration).Evaluate(row.values), 310'000);
}

TEST(ScenarioTest, AnUnknownColumnIsAnErrorWithTheNearestKnownOne) {
  const TemporaryFile trace("t.csv", "at,context_tokens\n0,100\n");
  const std::string arrivals =
      R"(workload.0.arrivals={"type": "trace", "file": "t.csv", "arrival": "at"})";
  EXPECT_THAT(
      Errors({arrivals, "workload.0.task.calls.duration=1ms*context_token"}, trace.directory()),
      ElementsAre(AllOf(StartsWith("/workload/0/task/calls/duration: found \"context_token\""),
                        HasSubstr("did you mean \"context_tokens\"?"))));
  EXPECT_THAT(Errors({arrivals, "workload.0.arrivals.arrival=a"}, trace.directory()),
              ElementsAre(StartsWith("/workload/0/arrivals/arrival: found \"a\"")));
  EXPECT_THAT(
      Errors({arrivals, "workload.0.arrivals.file=u.csv"}, trace.directory()),
      ElementsAre(AllOf(StartsWith("/workload/0/arrivals/file: "), HasSubstr("cannot be opened"))));
}

TEST(ScenarioTest, AFormWithoutColumnsIsAConstant) {
  EXPECT_EQ(ReadShape<Constant>("20ms + 1.5ms").value, 21'500);
}

TEST(ScenarioTest, ColumnsNeedATrace) {
  EXPECT_THAT(
      Errors({"workload.0.task.calls.duration=1ms*size"}),
      ElementsAre(StartsWith("/workload/0/task/calls/duration: found the trace column \"size\"")));
}

TEST(ScenarioTest, ATraceSaysWhereItsArrivalsAre) {
  EXPECT_THAT(Errors({R"(workload.0.arrivals={"type": "trace", "file": "t.csv"})"}),
              ElementsAre(StartsWith("/workload/0/arrivals: a CSV trace needs \"arrival\"")));
  EXPECT_THAT(
      Errors(
          {R"(workload.0.arrivals={"type": "trace", "file": "t.swf", "format": "swf", "unit": "ms"})"}),
      ElementsAre(StartsWith("/workload/0/arrivals: an SWF trace has its arrivals")));
}

TEST(ScenarioTest, ATraceThatEndsInSwfIsOne) {
  EXPECT_THAT(Errors({R"(workload.0.arrivals={"type": "trace", "file": "t.swf", "unit": "ms"})"}),
              ElementsAre(StartsWith("/workload/0/arrivals: an SWF trace has its arrivals")));
  EXPECT_THAT(
      Errors({R"(workload.0.arrivals={"type": "trace", "file": "t.swf", "format": "csv"})"}),
      ElementsAre(StartsWith("/workload/0/arrivals: a CSV trace needs \"arrival\"")));
}

TEST(ScenarioTest, ASourceMustEnd) {
  const std::string endless = R"(workload=[{"name": "w", "arrivals": {"type": "poisson", "rate": 1},
                                            "task": {"calls": {"duration": "1s"}}}])";
  EXPECT_THAT(Errors({endless}), ElementsAre(StartsWith("/workload/0: never ends")));
  EXPECT_THAT(Errors({endless, "workload.0.duration=1m"}), ElementsAre());
  EXPECT_THAT(Errors({endless, "until=1m"}), ElementsAre());
}

TEST(ScenarioTest, NamesOfSourcesAreUnique) {
  const std::string source =
      R"({"name": "w", "arrivals": {"type": "poisson", "rate": 1}, "tasks": 1,
                                 "task": {"calls": {"duration": "1s"}}})";
  EXPECT_THAT(
      Errors({"workload=[" + source + "," + source + "]"}),
      ElementsAre("/workload/1/name: found \"w\" a second time, expected a name of its own"));
}

TEST(ScenarioTest, TimesFitTogether) {
  EXPECT_THAT(Errors({"warmup=10s", "until=10s"}), ElementsAre(StartsWith("/until: found 10 s")));
  EXPECT_THAT(Errors({"workload.0.task.timeout=9h"}),
              ElementsAre("/workload/0/task/timeout: found 9 h, expected at most "
                          "worker.maxTaskTimeoutMs, which is 8 h"));
  EXPECT_THAT(Errors({"workload.0.task.timeout=10us"}),
              ElementsAre(HasSubstr("whole milliseconds")));
}

TEST(ScenarioTest, TaskAndClientAreRead) {
  const Scenario scenario = Read({
      R"(workload.0.task={"activation": "1ms", "activationFailure": "1%",
        "builder": {"duration": "2ms", "failure": 0.02, "cancelLatency": "3ms", "stream": {"batchSize": 5, "batchGap": "4ms"}},
        "calls": {"count": 3, "duration": "5ms", "failure": "4%", "retryable": "50%", "subcalls": {"count": 2, "duration": "6ms"}},
        "writer": {"duration": "7ms", "failure": "5%", "cancelLatency": "8ms"},
        "timeout": "9s", "failurePolicy": "continue", "retry": {"maxAttempts": 2, "baseBackoffMs": 11, "jitterPercent": 0}})",
      R"(workload.0.client={"reserve": false, "retry": {"maxAttempts": 4, "backoff": "12ms"}, "watch": true})",
      R"(executors={"startDelay": "1ms", "startFailure": "1%", "cancelLatency": "2ms", "exitLatency": "3ms"})"});
  const TaskSpec& task = scenario.workload.at(0).task;
  EXPECT_EQ(task.activation.Mean(), 1'000);
  EXPECT_EQ(task.activation_failure, 0.01);
  EXPECT_EQ(task.builder.failure, 0.02);
  EXPECT_EQ(task.builder.cancel_latency.Mean(), 3'000);
  EXPECT_EQ(task.builder.stream->batch_size, 5);
  EXPECT_EQ(task.builder.stream->batch_gap.Mean(), 4'000);
  EXPECT_EQ(std::get<Distribution>(task.calls.count).Mean(), 3);
  EXPECT_EQ(task.calls.retryable, 0.5);
  EXPECT_EQ(std::get<Distribution>(task.calls.subcalls->duration).Mean(), 6'000);
  EXPECT_EQ(task.writer->failure, 0.05);
  EXPECT_EQ(task.timeout, engine::Milliseconds(9'000));
  EXPECT_EQ(task.failure_policy, engine::CallFailurePolicy::kContinue);
  EXPECT_EQ(task.retry->max_attempts, 2);
  EXPECT_EQ(task.retry->base_backoff, engine::Milliseconds(11));
  EXPECT_EQ(task.retry->jitter_percent, 0);
  const ClientSpec& client = scenario.workload.at(0).client;
  EXPECT_FALSE(client.reserve);
  EXPECT_EQ(client.retry.max_attempts, 4);
  EXPECT_EQ(client.retry.backoff.Mean(), 12'000);
  EXPECT_TRUE(client.watch);
  EXPECT_EQ(scenario.executors.exit_latency.Mean(), 3'000);
}

TEST(ScenarioTest, AFaultyObjectiveIsNamedByItsPlace) {
  EXPECT_THAT(Errors({R"(slo=["refused <= 1%", "p99(total) <= soon"])"}),
              ElementsAre(StartsWith("/slo/1: found the bound \"soon\"")));
}

}  // namespace
}  // namespace blockx::sim
