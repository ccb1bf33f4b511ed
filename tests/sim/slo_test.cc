#include "blockx/sim/slo.h"

#include <gtest/gtest.h>

namespace blockx::sim {
namespace {

Slo Parsed(const char* text) {
  auto parsed = ParseSlo(text);
  if (const auto* problem = std::get_if<std::string>(&parsed)) {
    ADD_FAILURE() << text << ": " << *problem;
    return {};
  }
  return std::get<Slo>(parsed);
}

std::string Problem(const char* text) {
  const auto parsed = ParseSlo(text);
  const auto* problem = std::get_if<std::string>(&parsed);
  return problem == nullptr ? "" : *problem;
}

TEST(SloTest, LatencyBoundsAreMicroseconds) {
  const Slo slo = Parsed("p99.9(builderPermit) < 1.5s");
  const auto& metric = std::get<LatencyMetric>(slo.metric);
  EXPECT_EQ(metric.statistic, LatencyStatistic::kP999);
  EXPECT_EQ(metric.step, LatencyStep::kBuilderPermit);
  EXPECT_EQ(slo.comparison, Comparison::kLess);
  EXPECT_EQ(slo.bound, 1'500'000);
  EXPECT_EQ(slo.text, "p99.9(builderPermit) < 1.5s");
}

TEST(SloTest, APercentSignMakesAShareAndItsAbsenceACount) {
  EXPECT_TRUE(std::get<OutcomeMetric>(Parsed("refused <= 1%").metric).share);
  EXPECT_EQ(Parsed("refused<=1%").bound, 0.01);
  EXPECT_FALSE(std::get<OutcomeMetric>(Parsed("failed <= 10").metric).share);
  EXPECT_EQ(Parsed("succeeded >= 1000").bound, 1000);
}

TEST(SloTest, UtilisationIsAShare) {
  const Slo slo = Parsed("utilisation(executors) >= 60%");
  EXPECT_EQ(std::get<UtilisationMetric>(slo.metric).resource, UtilisedResource::kExecutors);
  EXPECT_EQ(slo.bound, 0.6);
}

TEST(SloTest, ComparisonsIncludeTheirBoundOrNot) {
  EXPECT_TRUE(Parsed("failed <= 10").IsMetBy(10));
  EXPECT_FALSE(Parsed("failed < 10").IsMetBy(10));
  EXPECT_TRUE(Parsed("succeeded >= 10").IsMetBy(10));
  EXPECT_FALSE(Parsed("succeeded > 10").IsMetBy(10));
}

TEST(SloTest, EveryStatisticAndStepHasItsName) {
  for (const char* statistic : {"p50", "p90", "p95", "p99", "p99.9", "max", "mean"}) {
    for (const char* step : {"total", "slot", "activation", "builderPermit", "building",
                             "executors", "calls", "pluginPermit", "writing"}) {
      const std::string text = std::string(statistic) + '(' + step + ") <= 1s";
      const auto metric = std::get<LatencyMetric>(Parsed(text.c_str()).metric);
      EXPECT_EQ(NameOf(metric.statistic), statistic);
      EXPECT_EQ(NameOf(metric.step), step);
    }
  }
}

TEST(SloTest, AProblemSaysWhatWasExpected) {
  EXPECT_EQ(Problem("p99(totl) <= 2s"),
            "found \"totl\", expected a step: total, slot, activation, builderPermit, building, "
            "executors, calls, "
            "pluginPermit or writing (did you mean \"total\"?)");
  EXPECT_NE(Problem("p99(total) <= 2").find("expected a duration with a unit"), std::string::npos);
  EXPECT_NE(Problem("refused <= lots").find("expected a share"), std::string::npos);
  EXPECT_NE(Problem("p98(total) <= 2s").find("is no metric"), std::string::npos);
  EXPECT_NE(Problem("p99(total)").find("expected a metric, one of <= < >= >, and a bound"),
            std::string::npos);
  EXPECT_NE(Problem("").find("expected a metric"), std::string::npos);
  EXPECT_NE(Problem("utilisation(memory) <= 1%").find("expected a resource"), std::string::npos);
}

}  // namespace
}  // namespace blockx::sim
