#include "blockx/sim/linear_form.h"

#include <gtest/gtest.h>

namespace blockx::sim {
namespace {

// The value of a form at a row with the columns a and b.
double At(const char* text, FormUnit unit, double a, double b) {
  auto parsed = LinearForm::Parse(text, unit);
  if (const auto* problem = std::get_if<std::string>(&parsed)) {
    ADD_FAILURE() << text << ": " << *problem;
    return -1;
  }
  auto& form = std::get<LinearForm>(parsed);
  std::vector<std::string> columns = {"a", "b"};
  form.Bind(columns);
  const double row[] = {a, b};
  return form.Evaluate(row);
}

std::string Problem(const char* text, FormUnit unit) {
  const auto parsed = LinearForm::Parse(text, unit);
  const auto* problem = std::get_if<std::string>(&parsed);
  return problem == nullptr ? "" : *problem;
}

TEST(LinearFormTest, TimesAreInMicroseconds) {
  EXPECT_EQ(At("50ms + 0.2ms*a + 3ms*b", FormUnit::kDuration, 100, 10), 50'000 + 20'000 + 30'000);
  EXPECT_EQ(At("1s*a", FormUnit::kDuration, 2.5, 0), 2'500'000);
  EXPECT_EQ(At("0.25us*a", FormUnit::kDuration, 8, 0), 2);
}

TEST(LinearFormTest, CountsHaveNoUnit) {
  EXPECT_EQ(At("1 + 0.5*a", FormUnit::kCount, 6, 0), 4);
  EXPECT_EQ(At("a", FormUnit::kCount, 6, 0), 6);
  EXPECT_EQ(At("b*2 - a", FormUnit::kCount, 1, 3), 5);
}

TEST(LinearFormTest, AFactorMayFollowItsColumnAndTermsMayRepeat) {
  EXPECT_EQ(At("a*2ms+b*1ms+a*1ms-1ms", FormUnit::kDuration, 1, 1), 3'000);
}

TEST(LinearFormTest, NegativeValuesBecomeZero) {
  EXPECT_EQ(At("1s*b - 1s*a", FormUnit::kDuration, 5, 3), 0);
  EXPECT_EQ(At("-3 + a", FormUnit::kCount, 1, 0), 0);
}

TEST(LinearFormTest, BindingSharesColumnsAndAddsMissingOnes) {
  auto parsed = LinearForm::Parse("c + a", FormUnit::kCount);
  std::vector<std::string> columns = {"a"};
  std::get<LinearForm>(parsed).Bind(columns);
  EXPECT_EQ(columns, (std::vector<std::string>{"a", "c"}));
  const double row[] = {10, 1};
  EXPECT_EQ(std::get<LinearForm>(parsed).Evaluate(row), 11);
}

TEST(LinearFormTest, ATimeNeedsAUnit) {
  EXPECT_EQ(Problem("50 + 1ms*a", FormUnit::kDuration),
            "at \"50 + 1ms*a\": expected a time with a unit (us, ms, s, m, h, d)");
  EXPECT_EQ(Problem("a", FormUnit::kDuration),
            "at the end: expected \"*\" and the time for one, such as \"1s\"");
}

TEST(LinearFormTest, AProblemNamesItsPlace) {
  EXPECT_EQ(Problem("", FormUnit::kCount), "at the end: expected a number or a column");
  EXPECT_EQ(Problem("1 +", FormUnit::kCount), "at the end: expected a number or a column");
  EXPECT_EQ(Problem("1 2", FormUnit::kCount), "at \"2\": expected \"+\" or \"-\"");
  EXPECT_EQ(Problem("2*3", FormUnit::kCount), "at \"3\": expected a column");
  EXPECT_EQ(Problem("a*b", FormUnit::kCount), "at \"b\": expected a number or a column");
  EXPECT_EQ(Problem("(a)", FormUnit::kCount), "at \"(a)\": expected a number or a column");
}

TEST(LinearFormTest, NumbersBeyondADoubleAreRefused) {
  EXPECT_NE(Problem("1e999", FormUnit::kCount), "");
  EXPECT_NE(Problem("1e308 + 1e308", FormUnit::kCount), "");
  EXPECT_EQ(At("1e308*a + 1e308*b", FormUnit::kCount, 1e300, -1e300), 0);
}

}  // namespace
}  // namespace blockx::sim
