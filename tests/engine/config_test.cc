#include "blockx/engine/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""us;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The path of the field that Validate names; nothing when all is sound.
std::string Problem(const Config& config) {
  const std::optional<ConfigProblem> problem = Validate(config);
  return problem ? problem->path : std::string();
}

Config With(const ConfigField& field, std::int64_t value) {
  Config config;
  SetField(config, field, value);
  return config;
}

TEST(ConfigTest, R_CFG_TheDefaultsAreSound) { EXPECT_EQ(Problem(Config()), ""); }

TEST(ConfigTest, R_CFG_EachFieldBelowItsRangeIsNamed) {
  for (const ConfigField& field : ConfigFields()) {
    if (field.unit == ConfigUnit::kBoolean) continue;
    EXPECT_EQ(Problem(With(field, field.min - 1)), field.path);
  }
}

TEST(ConfigTest, R_CFG_EachFieldAboveItsRangeIsNamed) {
  for (const ConfigField& field : ConfigFields()) {
    if (field.unit == ConfigUnit::kBoolean) continue;
    EXPECT_EQ(Problem(With(field, field.max + 1)), field.path);
  }
}

TEST(ConfigTest, R_CFG_NegativeTimesAreNamedDownToAMicrosecond) {
  EXPECT_EQ(Problem({.cancel_grace = -1us}), "dispatcher.cancelGraceMs");
}

TEST(ConfigTest, R_CFG_CountsPermitsWindowsAndBuffersAreAtLeastOne) {
  EXPECT_EQ(Problem({.task_slots = 0}), "worker.taskSlots");
  EXPECT_EQ(Problem({.default_max_attempts = 0}), "worker.defaultMaxAttempts");
  EXPECT_EQ(Problem({.max_calls_per_task = 0}), "worker.maxCallsPerTask");
  EXPECT_EQ(Problem({.builder_slots = 0}), "admission.builderSlots");
  EXPECT_EQ(Problem({.scan_slots = 0}), "admission.scanSlots");
  EXPECT_EQ(Problem({.ramp_up_initial_window = 0}), "dispatcher.rampUpInitialWindow");
  EXPECT_EQ(Problem({.stream_max_buffered_calls = 0}), "streamBuild.maxBufferedCalls");
  EXPECT_EQ(Problem({.executor_count = 0}), "executorCount");
  EXPECT_EQ(Problem({.executor_max_concurrent_calls = 0}), "executorMaxConcurrentCalls");
  EXPECT_EQ(Problem({.executor_max_restarts = 0}), "executorMaxRestarts");
}

TEST(ConfigTest, R_CFG_TheInitialWindowIsAtMostTheMaximum) {
  EXPECT_EQ(Problem({.ramp_up_initial_window = 9, .ramp_up_max_window = 9}), "");
  EXPECT_EQ(Problem({.ramp_up_initial_window = 9, .ramp_up_max_window = 8}),
            "dispatcher.rampUpInitialWindow");
}

TEST(ConfigTest, R_CFG_TheTaskDeadlineIsAtMostTheLongestTimeout) {
  EXPECT_EQ(Problem({.task_deadline = Milliseconds(9), .max_task_timeout = Milliseconds(9)}), "");
  EXPECT_EQ(Problem({.task_deadline = Milliseconds(9), .max_task_timeout = Milliseconds(8)}),
            "worker.taskDeadlineMs");
}

TEST(ConfigTest, R_CFG_JitterIsFrom0To5) {
  EXPECT_EQ(Problem({.default_retry_jitter_percent = 0}), "");
  EXPECT_EQ(Problem({.default_retry_jitter_percent = 5}), "");
  EXPECT_EQ(Problem({.default_retry_jitter_percent = 6}), "worker.defaultRetryJitterPercent");
}

TEST(ConfigTest, R_CFG_TimesAreAtMostTenYears) {
  const Duration ten_years = Milliseconds(std::int64_t{3'652} * 86'400'000);
  EXPECT_EQ(Problem({.result_retention = ten_years}), "");
  EXPECT_EQ(Problem({.result_retention = ten_years + Milliseconds(2 * 86'400'000)}),
            "worker.resultRetentionMs");
  EXPECT_EQ(Problem({.result_retention = Duration::max()}), "worker.resultRetentionMs");
}

TEST(ConfigTest, R_CFG_AProblemSaysWhatStandsThere) {
  const std::optional<ConfigProblem> problem = Validate({.task_slots = -7});
  ASSERT_TRUE(problem.has_value());
  EXPECT_THAT(problem->message, HasSubstr("-7"));
}

TEST(ConfigTest, R_CFG_AStallTimeoutOfZeroMeansItsDefault) {
  EXPECT_EQ(SchedulerStallTimeout(Config()), Milliseconds(70'000));
}

TEST(ConfigTest, FieldsReadBackWhatWasSet) {
  for (const ConfigField& field : ConfigFields()) {
    EXPECT_EQ(GetField(With(field, field.min), field), field.min) << field.path;
    EXPECT_EQ(GetField(With(field, field.max), field), field.max) << field.path;
  }
}

TEST(ConfigTest, EachFieldHasOneNameAndAMeaning) {
  std::set<std::string_view> paths;
  for (const ConfigField& field : ConfigFields()) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_FALSE(field.meaning.empty()) << field.path;
  }
}

TEST(ConfigTest, NamesAndDefaultsAreThoseOfTheConfigurationFile) {
  std::vector<std::string> fields;
  for (const ConfigField& field : ConfigFields()) {
    fields.push_back(std::string(field.path) + " " + std::to_string(GetField(Config(), field)));
  }
  EXPECT_THAT(
      fields,
      ElementsAre("worker.taskSlots 50", "worker.defaultTTLMs 5000", "worker.maxTTLMs 300000",
                  "worker.taskDeadlineMs 300000", "worker.maxTaskTimeoutMs 28800000",
                  "worker.resultRetentionMs 300000", "worker.watchDisconnectGraceMs 0",
                  "worker.tickIntervalMs 500", "worker.defaultMaxAttempts 3",
                  "worker.defaultBaseBackoffMs 10", "worker.defaultRetryJitterPercent 5",
                  "worker.maxRetainedResultBytes 1073741824", "worker.maxCallsPerTask 1000000",
                  "worker.maxTaskOutputBytes 268435456", "worker.maxWatches 20000",
                  "worker.maxWatchedIds 1000000", "admission.builderSlots 16",
                  "admission.executorTaskSlots 32", "admission.pluginSlots 16",
                  "admission.scanSlots 8", "dispatcher.callDeadlineMs 60000",
                  "dispatcher.maxBackoffMs 10000", "dispatcher.rampUpInitialWindow 4",
                  "dispatcher.rampUpMaxWindow 64", "dispatcher.maxSubcallDepth 8",
                  "dispatcher.cancelGraceMs 5000", "streamBuild.maxBufferedCalls 1024",
                  "executorCount 8", "executorMaxConcurrentCalls 1", "executorStartTimeoutMs 10000",
                  "executorHeartbeatIntervalMs 1000", "executorHeartbeatTimeoutMs 10000",
                  "schedulerStallTimeoutMs 0", "executorRestartEnabled 1",
                  "executorRestartDelayMs 1000", "executorMaxRestarts 10",
                  "executorRestartWindowMs 60000", "executorRestartBackoffMs 30000",
                  "heartbeatIntervalMs 200", "drainTimeoutMs 30000", "phaseIoTimeoutMs 10000"));
}

}  // namespace
}  // namespace blockx::engine
