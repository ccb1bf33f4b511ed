// The digests of the shipped scenarios, recorded. Every compiler and optimisation level must give
// them. A change that moves one says why in its message.
#include <gtest/gtest.h>

#include <ostream>
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
void PrintTo(const Recorded& recorded, std::ostream* out) { *out << recorded.scenario; }

const std::vector<Recorded>& RecordedDigests() {
  // clang-format off
  static const std::vector<Recorded> kDigests = {
      {"burst", 0xb4d33bebf13bb957},
      {"erlang-b", 0xf27393ba07501d1d},
      {"quickstart", 0xdb56d3d68c2f878e},
      {"real-trace", 0x22c9fcb925ff5738},
      {"slow-executors", 0x2d8497cff718e043},
      {"stale-heartbeats", 0x1d8c917f00775e7b},
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
