// The digests of the shipped scenarios, recorded. Every compiler and optimisation level must give
// them. A change that moves one says why in its message.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "blockx/sim/scenario_reader.h"
#include "sim/input_files.h"
#include "sim/runs.h"

namespace blockx::sim {
namespace {

struct Recorded {
  std::string scenario;
  std::uint64_t digest = 0;
};

const std::vector<Recorded>& RecordedDigests() {
  // clang-format off
  static const std::vector<Recorded> kDigests = {
      {"burst", 0xb460d0e240335b24},
      {"erlang-b", 0x94aba03145affdf3},
      {"quickstart", 0x3dd7945b23aae1a8},
      {"real-trace", 0x5706a40516667143},
      {"slow-executors", 0x04c5d8f8a6ed5280},
      {"stale-heartbeats", 0x1f715e13224871ad},
  };
  // clang-format on
  return kDigests;
}

class DigestsTest : public ::testing::TestWithParam<Recorded> {};

TEST_P(DigestsTest, AShippedScenarioGivesItsRecordedDigest) {
  const auto scenario = LoadScenario(ScenarioDirectory() + "/" + GetParam().scenario + ".json", {});
  ASSERT_TRUE(std::holds_alternative<Scenario>(scenario));
  const std::uint64_t digest = RunToEnd(std::get<Scenario>(scenario)).digest;
  EXPECT_EQ(digest, GetParam().digest)
      << GetParam().scenario << " now has the digest 0x" << std::hex << digest;
}

std::string NameOfCase(const ::testing::TestParamInfo<Recorded>& info) {
  std::string name = info.param.scenario;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Shipped, DigestsTest, ::testing::ValuesIn(RecordedDigests()), NameOfCase);

TEST(RecordedDigestsTest, EveryShippedScenarioIsRecorded) {
  std::vector<std::string> recorded;
  for (const Recorded& entry : RecordedDigests()) recorded.push_back(entry.scenario);
  EXPECT_EQ(recorded, ShippedScenarios());
}

}  // namespace
}  // namespace blockx::sim
