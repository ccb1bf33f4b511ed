// Logs that were written once and stay as they are (tests/replay/corpus).
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "replay/recording.h"

namespace blockx::replay {
namespace {

struct OldLog {
  const char* name;
  std::uint64_t records;
  bool whole = true;
};
void PrintTo(const OldLog& log, std::ostream* out) { *out << log.name; }

class CorpusTest : public ::testing::TestWithParam<OldLog> {
 protected:
  [[nodiscard]] static std::string Path() {
    return std::string(BLOCKX_SOURCE_DIR "/tests/replay/corpus/v1/") + GetParam().name;
  }
};
INSTANTIATE_TEST_SUITE_P(Version1, CorpusTest,
                         ::testing::Values(OldLog{"quickstart", 651}, OldLog{"every-kind", 800},
                                           OldLog{"full", 200}, OldLog{"segments", 350},
                                           OldLog{"torn", 300, false}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(CorpusTest, ItReads) {
  const auto log = OpenLog(Path());
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(ReadAll(*log).records.size(), GetParam().records);
  EXPECT_EQ(log->whole(), GetParam().whole);
}

TEST_P(CorpusTest, ItVerifies) {
  const auto verified = Verify(Path());
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_EQ(*verified, GetParam().records);
}

}  // namespace
}  // namespace blockx::replay
