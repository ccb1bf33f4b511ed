// How scenario files are read as JSON, whatever their fields mean.
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

constexpr const char* kMinimal =
    R"({"workload": [{"name": "w", "arrivals": {"type": "poisson", "rate": "1/s"}, "tasks": 1,
        "task": {"calls": {"duration": "1s"}}}]})";

std::vector<std::string> Errors(const std::string& text,
                                const std::vector<std::string>& overrides = {}) {
  return ErrorsOf(ParseScenario(text, ".", overrides));
}

// The minimal scenario with more members in front.
std::string With(const std::string& members) {
  return "{" + members + ", " + std::string(kMinimal).substr(1);
}

TEST(JsonReaderTest, CommentsAreBlanks) {
  EXPECT_THAT(Errors(std::string("// one\n/* two\n */") + kMinimal + "// three"), ElementsAre());
}

TEST(JsonReaderTest, BrokenSyntaxIsNamedByLineAndColumn) {
  EXPECT_THAT(Errors("{\n  \"seed\": 1,\n  \"warmup\" \"1s\"\n}"),
              ElementsAre(StartsWith(": line 3, column 15: ")));
  EXPECT_THAT(Errors(""), ElementsAre(StartsWith(": line 1, column 1: ")));
  EXPECT_THAT(Errors("{} {}"), ElementsAre(StartsWith(": line 1, column 4: ")));
  EXPECT_THAT(Errors("{\"seed\": NaN}"), ElementsAre(StartsWith(": line 1, column ")));
}

TEST(JsonReaderTest, InvalidUtf8IsRefused) {
  EXPECT_THAT(Errors("{\"description\": \"\xff\"}"), ElementsAre(HasSubstr("UTF-8")));
  EXPECT_THAT(Errors("{\"description\": \"\xc3"), ElementsAre(StartsWith(": line 1, column ")));
}

TEST(JsonReaderTest, AKeyMayStandOnce) {
  EXPECT_THAT(Errors(R"({"worker": {"taskSlots": 1, "taskSlots": 2}})"),
              ElementsAre("/worker/taskSlots: the key stands twice in its object"));
}

TEST(JsonReaderTest, NumbersBeyondADoubleAreRefused) {
  EXPECT_THAT(Errors("{\"seed\": 1e999}"), ElementsAre(HasSubstr("line 1, column ")));
}

TEST(JsonReaderTest, HostileNestingIsRefused) {
  for (const std::string& open : {std::string("["), std::string("{\"a\":")}) {
    std::string text;
    for (int i = 0; i < 500'000; ++i) text += open;
    EXPECT_THAT(Errors(text), ElementsAre(": objects and arrays are nested more than 64 deep"));
  }
}

TEST(JsonReaderTest, AHugeFileIsRefused) {
  EXPECT_THAT(Errors(std::string((4U << 20U) + 1, ' ')),
              ElementsAre(": the file has more than 4194304 bytes"));
}

TEST(JsonReaderTest, AFileThatCannotBeReadIsAnError) {
  EXPECT_THAT(ErrorsOf(LoadScenario("no/such/file.json", {})),
              ElementsAre(HasSubstr("cannot be opened")));
  EXPECT_THAT(ErrorsOf(LoadScenario(".", {})), ElementsAre(HasSubstr("is a directory")));
}

TEST(JsonReaderTest, AllErrorsAreToldAtOnceInTheOrderOfTheFormat) {
  EXPECT_THAT(
      Errors(With(
          R"("seed": -1, "worker": {"taskSlots": 0}, "fleet": {"workers": "two"}, "warmup": 5)")),
      ElementsAre("/seed: found -1, expected a whole number from 0 to 18446744073709551615",
                  "/fleet/workers: found \"two\", expected a whole number from 1 to 10000",
                  StartsWith("/worker/taskSlots: found 0, expected a whole number from 1 to "),
                  StartsWith("/warmup: found 5, expected a duration with a unit")));
}

TEST(JsonReaderTest, AnUnknownKeyIsAnErrorWithTheNearestKnownOne) {
  EXPECT_THAT(Errors(With(R"("worker": {"taskslot": 5})")),
              ElementsAre("/worker/taskslot: unknown key; did you mean \"taskSlots\"?"));
  EXPECT_THAT(Errors(With(R"("fleet": {"zzz": 5})")),
              ElementsAre("/fleet/zzz: unknown key; known here: workers"));
}

TEST(JsonReaderTest, AMissingFieldIsAnError) {
  EXPECT_THAT(Errors("{}"), ElementsAre("/workload: missing, but required (The sources of tasks.)"));
}

TEST(JsonReaderTest, WholeNumbersMayHaveAnExponentButNoFraction) {
  EXPECT_THAT(Errors(With(R"("worker": {"taskSlots": 1e3})")), ElementsAre());
  EXPECT_THAT(Errors(With(R"("worker": {"taskSlots": 1.5})")),
              ElementsAre(HasSubstr("found 1.5, expected a whole")));
  EXPECT_THAT(Errors(With(R"("worker": {"taskSlots": 99999999999999999999})")),
              ElementsAre(HasSubstr("expected a whole number")));
}

TEST(JsonReaderTest, AnObjectMustBeOne) {
  EXPECT_THAT(Errors(With(R"("worker": [])")),
              ElementsAre("/worker: found [], expected an object"));
  EXPECT_THAT(Errors("[]"), ElementsAre(": found [], expected an object"));
}

TEST(JsonReaderTest, ErrorsOfAFileThatIsWrongEverywhereAreCounted) {
  std::string members = "\"x0\": 0";
  for (int i = 1; i < 1000; ++i) members += ", \"x" + std::to_string(i) + "\": 0";
  const std::vector<std::string> errors = Errors(With(members));
  EXPECT_EQ(errors.size(), 101U);
  EXPECT_EQ(errors.back(), ": and 900 errors more");
}

TEST(JsonReaderTest, LongValuesAreCutInMessages) {
  const std::vector<std::string> errors =
      Errors(With("\"warmup\": \"" + std::string(100'000, 'x') + "\""));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_LT(errors.front().size(), 300U);
}

Scenario Overridden(const std::vector<std::string>& overrides) {
  auto result = ParseScenario(kMinimal, ".", overrides);
  EXPECT_THAT(ErrorsOf(result), ElementsAre());
  return std::holds_alternative<Scenario>(result) ? std::get<Scenario>(result) : Scenario();
}

TEST(JsonReaderTest, ASettingReplacesAField) {
  const Scenario scenario = Overridden({"workload.0.arrivals.rate=90", "seed=7", "warmup=3s"});
  EXPECT_EQ(std::get<PoissonArrivals>(std::get<ArrivalPattern>(scenario.workload[0].arrivals)).rate,
            90);
  EXPECT_EQ(scenario.seed, 7U);
  EXPECT_EQ(scenario.warmup, engine::Milliseconds(3'000));
}

TEST(JsonReaderTest, ASettingMakesTheObjectsOnItsWay) {
  EXPECT_EQ(Overridden({"worker.taskSlots=3"}).config.task_slots, 3);
  EXPECT_EQ(Overridden({R"(workload.0.client={"reserve": false})"}).workload[0].client.reserve,
            false);
}

TEST(JsonReaderTest, ASettingIsCheckedLikeTheFile) {
  EXPECT_THAT(Errors(kMinimal, {"worker.taskslots=3"}),
              ElementsAre("/worker/taskslots: unknown key; did you mean \"taskSlots\"?"));
  EXPECT_THAT(Errors(kMinimal, {"seed=x"}),
              ElementsAre(StartsWith("/seed: found \"x\", expected")));
}

TEST(JsonReaderTest, ASettingWithoutAPlaceIsAnError) {
  EXPECT_THAT(Errors(kMinimal, {"seed"}), ElementsAre(HasSubstr("expected path=value")));
  EXPECT_THAT(Errors(kMinimal, {"=5"}), ElementsAre(HasSubstr("expected path=value")));
  EXPECT_THAT(Errors(kMinimal, {"workload.1.tasks=5"}),
              ElementsAre("/workload/1: found \"1\", expected a place in the list, which has 1 "
                          "elements, counted from 0"));
  EXPECT_THAT(Errors(kMinimal, {"workload.0.tasks.x=5"}),
              ElementsAre("/workload/0/tasks/x: no such place: /workload/0/tasks is 1"));
}

}  // namespace
}  // namespace blockx::sim
