#include "blockx/sim/units.h"

#include <gtest/gtest.h>

namespace blockx::sim {
namespace {

using engine::Duration;

TEST(UnitsTest, EveryUnitIsExact) {
  EXPECT_EQ(ParseDuration("10us"), Duration(10));
  EXPECT_EQ(ParseDuration("200ms"), Duration(200'000));
  EXPECT_EQ(ParseDuration("1.5s"), Duration(1'500'000));
  EXPECT_EQ(ParseDuration("5m"), Duration(300'000'000));
  EXPECT_EQ(ParseDuration("2h"), Duration(7'200'000'000));
  EXPECT_EQ(ParseDuration("1d"), Duration(86'400'000'000));
  EXPECT_EQ(ParseDuration("0.000001s"), Duration(1));
  EXPECT_EQ(ParseDuration("0s"), Duration(0));
}

TEST(UnitsTest, FractionsAreNotRoundedThroughDoubles) {
  EXPECT_EQ(ParseDuration("9007199254.740993s"), Duration(9'007'199'254'740'993));
  EXPECT_EQ(ParseDuration("0.1s"), Duration(100'000));
  EXPECT_EQ(ParseDuration("0.1000000000s"), Duration(100'000));
}

TEST(UnitsTest, BlanksAroundAndBeforeTheUnitAreFine) {
  EXPECT_EQ(ParseDuration(" 1.5 s "), Duration(1'500'000));
}

TEST(UnitsTest, NothingFinerThanAMicrosecond) {
  EXPECT_EQ(ParseDuration("0.5us"), std::nullopt);
  EXPECT_EQ(ParseDuration("0.0001ms"), std::nullopt);
}

TEST(UnitsTest, TheLongestDurationFitsAndOneMoreDoesNot) {
  EXPECT_EQ(ParseDuration("9223372036854775807us"), Duration::max());
  EXPECT_EQ(ParseDuration("9223372036854775808us"), std::nullopt);
  EXPECT_EQ(ParseDuration("106751992d"), std::nullopt);
  EXPECT_EQ(ParseDuration("99999999999999999999999s"), std::nullopt);
}

TEST(UnitsTest, WhatIsNoDurationIsRefused) {
  for (const char* text : {"", "s", "5", "-1s", "+1s", "1e3s", "1.s", ".5s", "1 s s", "1sec",
                           "1,5s", "infs", "0x1s"}) {
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
  }
}

TEST(UnitsTest, RatesArePerSecond) {
  EXPECT_EQ(ParseRate("45/s"), 45.0);
  EXPECT_EQ(ParseRate("3/m"), 0.05);
  EXPECT_EQ(ParseRate("10000/h"), 10000.0 / 3600);
  EXPECT_EQ(ParseRate("2 / ms"), 2000.0);
  EXPECT_EQ(ParseRate("0.5"), 0.5);
}

TEST(UnitsTest, WhatIsNoRateIsRefused) {
  for (const char* text : {"", "/s", "45/", "45/x", "-1/s", "nan", "inf/s", "1e308/us", "4 5/s"}) {
    EXPECT_EQ(ParseRate(text), std::nullopt) << text;
  }
}

TEST(UnitsTest, SharesAreFractions) {
  EXPECT_EQ(ParseShare("1%"), 0.01);
  EXPECT_EQ(ParseShare("100 %"), 1.0);
  EXPECT_EQ(ParseShare("0.25"), 0.25);
  for (const char* text : {"", "%", "101%", "1.5", "-1%", "nan%"}) {
    EXPECT_EQ(ParseShare(text), std::nullopt) << text;
  }
}

TEST(UnitsTest, FactorsMayBeFinerThanAMicrosecond) {
  EXPECT_EQ(ParseMicroseconds("0.2us"), 0.2);
  EXPECT_EQ(ParseMicroseconds("-3ms"), -3000.0);
  EXPECT_EQ(ParseMicroseconds("3"), std::nullopt);
  EXPECT_EQ(ParseMicroseconds("ms"), std::nullopt);
}

TEST(UnitsTest, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(FormatDuration(Duration(0)), "0 s");
  EXPECT_EQ(FormatDuration(Duration(999)), "999 us");
  EXPECT_EQ(FormatDuration(Duration(830'000)), "830 ms");
  EXPECT_EQ(FormatDuration(Duration(999'500)), "1 s");
  EXPECT_EQ(FormatDuration(Duration(1'250'000)), "1.25 s");
  EXPECT_EQ(FormatDuration(Duration(59'990'000)), "1 m");
  EXPECT_EQ(FormatDuration(Duration(125'000'000)), "2 m 5 s");
  EXPECT_EQ(FormatDuration(Duration(7'500'000'000)), "2 h 5 m");
  EXPECT_EQ(FormatDuration(Duration(180'000'000'000)), "2 d 2 h");
  EXPECT_EQ(FormatDuration(Duration(-830'000)), "-830 ms");
  EXPECT_FALSE(FormatDuration(Duration::min()).empty());
}

}  // namespace
}  // namespace blockx::sim
