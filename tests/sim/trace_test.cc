#include "blockx/sim/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/input_files.h"

namespace blockx::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

struct Rows {
  std::vector<std::vector<double>>
      values;  // Of each row: its arrival in microseconds, then its columns.
  std::int64_t skipped = 0;
  std::string error;
};

Rows ReadAll(const TraceSpec& spec) {
  Rows rows;
  auto opened = TraceReader::Open(spec);
  if (const auto* error = std::get_if<TraceError>(&opened)) {
    rows.error = error->message;
    return rows;
  }
  auto& reader = std::get<TraceReader>(opened);
  while (true) {
    const auto next = reader.Next();
    rows.skipped = reader.skipped_rows();
    if (const auto* error = std::get_if<TraceError>(&next)) {
      rows.error = error->message;
      return rows;
    }
    const auto& row = std::get<0>(next);
    if (!row) return rows;
    std::vector<double> values = {static_cast<double>(row->arrival.count())};
    values.insert(values.end(), row->values.begin(), row->values.end());
    rows.values.push_back(values);
  }
}

Rows ReadCsv(const std::string& content, TraceSpec spec = {}) {
  const TemporaryFile file("trace.csv", content);
  spec.file = file.path();
  if (spec.arrival_column == "submit") spec.arrival_column = "t";
  return ReadAll(spec);
}

TraceSpec Columns(std::vector<std::string> columns) {
  TraceSpec spec;
  spec.columns = std::move(columns);
  return spec;
}

constexpr const char* kSwfRow1 = "1 100 5 60 4 -1 -1 4 -1 -1 1 1 1 1 1 -1 -1 -1\n";
constexpr const char* kSwfRow2 = "2 130 5 -1 8 -1 -1 4 -1 -1 1 1 1 1 1 -1 -1 -1\n";

Rows ReadSwf(const std::string& content, std::vector<std::string> columns) {
  const TemporaryFile file("trace.swf", content);
  TraceSpec spec = Columns(std::move(columns));
  spec.file = file.path();
  spec.format = TraceFormat::kSwf;
  return ReadAll(spec);
}

TEST(TraceTest, ColumnsAreFoundByName) {
  const Rows rows = ReadCsv("t,a,b\n0,1,2\n0.5,3,4\n", Columns({"b", "a"}));
  EXPECT_EQ(rows.error, "");
  EXPECT_THAT(rows.values, ElementsAre(ElementsAre(0, 2, 1), ElementsAre(500'000, 4, 3)));
}

TEST(TraceTest, CommentsBlankLinesQuotesAndForeignLineEndsAreFine) {
  const Rows rows = ReadCsv(
      "\xEF\xBB\xBF# made by hand\r\n\"t\", \"a\"\r\n\r\n0,\"1\"\r\n  \r\n# more\r\n \"1\" , 2",
      Columns({"a"}));
  EXPECT_EQ(rows.error, "");
  EXPECT_THAT(rows.values, ElementsAre(ElementsAre(0, 1), ElementsAre(1'000'000, 2)));
}

TEST(TraceTest, AQuotedFieldMayHoldCommasAndQuotes) {
  TraceSpec spec = Columns({"a,\"b\""});
  spec.where = {{"k", "x, y"}};
  const Rows rows = ReadCsv("t,\"a,\"\"b\"\"\",k\n0,1,\"x, y\"\n1,2,z\n", spec);
  EXPECT_EQ(rows.error, "");
  EXPECT_THAT(rows.values, ElementsAre(ElementsAre(0, 1)));
}

TEST(TraceTest, ArrivalsCountFromTheFirstKeptRowInTheirUnit) {
  TraceSpec spec;
  spec.arrival_unit = engine::Milliseconds(1);
  EXPECT_THAT(ReadCsv("t\n1700000000000\n1700000000000.5\n", spec).values,
              ElementsAre(ElementsAre(0), ElementsAre(500)));
}

TEST(TraceTest, OnlyRowsWithTheTextsAskedForAreKept) {
  TraceSpec spec = Columns({"a"});
  spec.where = {{"class", "big"}};
  const Rows rows = ReadCsv("t,a,class\n5,,small\n6,2,big\n7,3,bigger\n", spec);
  EXPECT_EQ(rows.error, "");
  EXPECT_THAT(rows.values, ElementsAre(ElementsAre(0, 2)));
}

TEST(TraceTest, ABadNumberIsNamedByFileAndLine) {
  const Rows rows = ReadCsv("t,a\n0,1\n\n1,many\n2,3\n", Columns({"a"}));
  EXPECT_THAT(rows.error, EndsWith("trace.csv:4: column \"a\": found \"many\", expected a number"));
  EXPECT_EQ(rows.values.size(), 1U);
  EXPECT_THAT(ReadCsv("t,a\n0,\n", Columns({"a"})).error,
              EndsWith(":2: column \"a\": found \"\", expected a number"));
  EXPECT_THAT(ReadCsv("t\nnan\n").error,
              EndsWith(":2: column \"t\": found \"nan\", expected a number"));
}

TEST(TraceTest, ARowOfAnotherLengthIsNamed) {
  EXPECT_THAT(ReadCsv("t,a\n0,1\n1\n").error, EndsWith("trace.csv:3: found 1 fields, expected 2"));
  EXPECT_THAT(ReadCsv("t,a\n0,1,2\n").error, EndsWith("trace.csv:2: found 3 fields, expected 2"));
}

TEST(TraceTest, ArrivalsNeverGoBackwards) {
  EXPECT_THAT(ReadCsv("t\n0\n5\n4.9\n").error,
              HasSubstr("trace.csv:4: found an arrival 100 ms before"));
}

TEST(TraceTest, ArrivalsBeyond64BitsAreNamed) {
  EXPECT_THAT(ReadCsv("t\n1e300\n").error, HasSubstr("trace.csv:2: the arrival is beyond"));
}

TEST(TraceTest, BrokenQuotesAreNamed) {
  EXPECT_THAT(ReadCsv("t,a\n0,\"1\n").error,
              HasSubstr("trace.csv:2: a field's quote is not closed"));
  EXPECT_THAT(ReadCsv("t,a\n\"0\"1,1\n").error,
              HasSubstr("trace.csv:2: found \"1,1\" after a quoted field"));
}

TEST(TraceTest, AnEndlessLineIsNamed) {
  EXPECT_THAT(ReadCsv("t\n0\n" + std::string(100'000, '1')).error,
              HasSubstr("trace.csv:3: the line has more than 65535 bytes"));
}

TEST(TraceTest, AnEmptyFileHasNoColumns) {
  EXPECT_THAT(ReadCsv("").error, HasSubstr("expected a header line"));
  EXPECT_THAT(ReadCsv("# nothing\n").error, HasSubstr("expected a header line"));
}

TEST(TraceTest, ATraceWithoutRowsToKeepIsAnError) {
  EXPECT_THAT(ReadCsv("t\n").error,
              EndsWith("trace.csv: no row to replay; 0 left out because a value is unknown"));
  TraceSpec spec;
  spec.where = {{"class", "big"}};
  EXPECT_THAT(ReadCsv("t,class\n1,small\n", spec).error, HasSubstr("no row to replay"));
  EXPECT_THAT(ReadSwf(kSwfRow2, {"run"}).error, HasSubstr("no row to replay; 1 left out"));
}

TEST(TraceTest, AnUnknownColumnIsAnErrorWithTheNearestKnownOne) {
  EXPECT_THAT(ReadCsv("t,tokens\n", Columns({"tokns"})).error,
              HasSubstr("(did you mean \"tokens\"?)"));
}

TEST(TraceTest, ErrorsStay) {
  const TemporaryFile file("trace.csv", "t\nx\n1\n");
  TraceSpec spec;
  spec.file = file.path();
  spec.arrival_column = "t";
  auto opened = TraceReader::Open(spec);
  auto& reader = std::get<TraceReader>(opened);
  EXPECT_TRUE(std::holds_alternative<TraceError>(reader.Next()));
  EXPECT_TRUE(std::holds_alternative<TraceError>(reader.Next()));
}

TEST(TraceTest, SwfColumnsHaveNames) {
  const Rows rows = ReadSwf(std::string("; Version: 2.2\n\n") + kSwfRow1 +
                                "3\t101 0 7 2 -1 -1 4 -1 -1 1 1 1 1 1 -1 -1 -1",
                            {"run", "processors"});
  EXPECT_EQ(rows.error, "");
  EXPECT_THAT(rows.values, ElementsAre(ElementsAre(0, 60, 4), ElementsAre(1'000'000, 7, 2)));
}

TEST(TraceTest, SwfRowsWithoutAValueThatIsNeededAreLeftOutAndCounted) {
  const Rows needed = ReadSwf(std::string(kSwfRow1) + kSwfRow2, {"run"});
  EXPECT_EQ(needed.values.size(), 1U);
  EXPECT_EQ(needed.skipped, 1);
  const Rows not_needed = ReadSwf(std::string(kSwfRow1) + kSwfRow2, {"processors"});
  EXPECT_EQ(not_needed.values.size(), 2U);
  EXPECT_EQ(not_needed.skipped, 0);
}

TEST(TraceTest, ASwfRowHas18Fields) {
  EXPECT_THAT(ReadSwf("; c\n1 2 3\n", {}).error,
              EndsWith("trace.swf:2: found 3 fields, expected 18"));
}

TEST(TraceTest, TheShippedTraceIsReadWhole) {
  TraceSpec spec = Columns({"context_tokens", "generated_tokens"});
  spec.file = ScenarioDirectory() + "/data/llm_code.csv";
  spec.arrival_column = "arrival_s";
  const Rows rows = ReadAll(spec);
  EXPECT_EQ(rows.error, "");
  ASSERT_EQ(rows.values.size(), 8'819U);
  EXPECT_THAT(rows.values.at(2), ElementsAre(98'189, 110, 27));
}

}  // namespace
}  // namespace blockx::sim
