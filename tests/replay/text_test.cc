#include "blockx/replay/text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "replay/examples.h"

namespace blockx::replay {
namespace {

using engine::AtMicroseconds;

// The first step without state.
std::string Written(const engine::Reply& reply, std::span<const engine::Command> commands) {
  std::string out;
  StepWriter().Append(1, reply, commands, std::nullopt, out);
  return out;
}

std::string WithReply(std::string_view reply) {
  return R"({"step":1,"reply":)" + std::string(reply) + ",\"commands\":[]}\n";
}

std::string Refusal(std::string_view line) {
  LineReader reader;
  const auto input = reader.Read(line);
  return input.ok() ? "accepted" : std::string(input.status().message());
}

// As a message, which has no defaults and no spelling left to differ in.
std::string BytesOf(const engine::Event& event) {
  log::v1::Event message;
  ToProto(event, message);
  return message.SerializeAsString();
}

std::string BytesOf(std::string_view line) {
  LineReader reader;
  const auto input = reader.Read(line);
  return input.ok() ? BytesOf(input->event) : input.status().ToString();
}

// ---- Lines ----

TEST(LineReaderTest, ReadsEachKindOfEvent) {
  LineReader reader;
  for (const EventExample& example : EventExamples()) {
    const auto input = reader.Read(R"({"nowUs":"17","event":)" + std::string(example.text) + "}");
    ASSERT_TRUE(input.ok()) << example.text << input.status();
    EXPECT_EQ(BytesOf(input->event), BytesOf(example.event)) << example.text;
  }
}

TEST(LineReaderTest, ReadsIntegersFromNumbersAndFromStrings) {
  LineReader reader;
  for (const std::string_view now :
       {"1700000000000001", "\"1700000000000001\"", "1.700000000000001e15"}) {
    const auto input = reader.Read(R"({"nowUs":)" + std::string(now) + R"(,"event":{"tick":{}}})");
    ASSERT_TRUE(input.ok()) << now << input.status();
    EXPECT_EQ(input->now, AtMicroseconds(1'700'000'000'000'001)) << now;
  }
}

TEST(LineReaderTest, KeepsAllBitsOfALargeNumber) {
  LineReader reader;
  const auto input = reader.Read(R"({"event":{"closeWatch":{"watchId":9223372036854775807}}})");
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(std::get<engine::CloseWatch>(input->event).watch_id.value(), INT64_MAX);
}

TEST(LineReaderTest, TakesMissingFieldsAsTheirDefaults) {
  EXPECT_EQ(BytesOf(R"({"nowUs":1,"event":{"requestTaskSlot":{}}})"),
            BytesOf(R"({"nowUs":1,"event":{"requestTaskSlot":{"taskId":"","ttlMs":0}}})"));
}

TEST(LineReaderTest, TakesNullAsMissing) {
  EXPECT_EQ(BytesOf(R"({"event":{"submitTask":{"taskId":"t1","callRetryPolicy":null}}})"),
            BytesOf(R"({"event":{"submitTask":{"taskId":"t1"}}})"));
}

TEST(LineReaderTest, TakesAnEmptyAlternativeAsPresent) {
  LineReader reader;
  const auto input =
      reader.Read(R"({"event":{"builderFinished":{"taskId":"t1","run":1,"callList":{}}}})");
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_TRUE(std::holds_alternative<engine::CallList>(
      std::get<engine::BuilderFinished>(input->event).outcome));
}

TEST(LineReaderTest, ReadsTheNextLineAfterAMalformedOne) {
  LineReader reader;
  EXPECT_FALSE(reader.Read("nonsense").ok());
  EXPECT_TRUE(reader.Read(R"({"event":{"tick":{}}})").ok());
}

TEST(LineReaderTest, LeavesRangesToTheEngine) {
  LineReader reader;
  const auto input = reader.Read(R"({"nowUs":-5,"event":{"requestTaskSlot":{"ttlMs":-1}}})");
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(std::get<engine::RequestTaskSlot>(input->event).ttl, engine::Milliseconds(-1));
}

struct Malformed {
  std::string_view line;
  std::string_view complaint;
};

class MalformedLineTest : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedLineTest, IsRefusedInWords) {
  EXPECT_EQ(Refusal(GetParam().line), GetParam().complaint);
}

INSTANTIATE_TEST_SUITE_P(
    LineReaderTest, MalformedLineTest,
    testing::Values(
        Malformed{"nonsense", "not JSON: Unexpected token. At: nonsense"},
        Malformed{R"({"event":{"tick":{}}} x)",
                  "not JSON: Parsing terminated before end of input. At: x"},
        Malformed{R"({"event":)",
                  "not JSON: Unexpected end of string. Expected a value. At the end of the line."},
        Malformed{R"([])", R"(found no object, expected {"nowUs": ..., "event": {...}})"},
        Malformed{
            R"({"nowUs":1})",
            R"(event: missing; expected an object with one key, the event's name, such as {"tick": {}})"},
        Malformed{R"({"evnt":{}})", "evnt: unknown key; known here: nowUs, event, sequence, digest, reply, commands, header, snapshot"},
        Malformed{R"({"event":{"getTaskResult":{"task":"t"}}})",
                  "event.getTaskResult.task: unknown key; known here: taskId"},
        Malformed{R"({"event":{"tick":{"x":1}}})", "event.tick.x: unknown key; known here: none"},
        Malformed{
            R"({"nowUs":"x","event":{"tick":{}}})",
            R"(nowUs: found "x", expected a 64-bit integer, as a number or as a string of digits)"},
        Malformed{R"({"nowUs":9223372036854775808,"event":{"tick":{}}})",
                  "nowUs: found 9223372036854775808, expected a 64-bit integer, as a number or as "
                  "a string of digits"},
        Malformed{R"({"nowUs":[],"event":{"tick":{}}})",
                  "nowUs: found a list, expected a single value"},
        Malformed{R"({"event":{"closeWatch":{"watchId":{}}}})",
                  "event.closeWatch.watchId: found an object, expected a single value"},
        Malformed{R"({"event":{"openWatch":{"taskIds":["t",1]}}})",
                  "event.openWatch.taskIds[1]: found 1, expected a string"},
        Malformed{R"({"event":{"callFailed":{"retryable":1}}})",
                  "event.callFailed.retryable: found 1, expected true or false"},
        Malformed{
            R"({"event":{"callSucceeded":{"output":"!"}}})",
            R"(event.callSucceeded.output: found "!", expected bytes, as a string in base64)"},
        Malformed{R"({"event":{"tick":5}})", "event.tick: found 5, expected an object"},
        Malformed{
            R"({"event":{"submitTask":{"callFailurePolicy":"STOP"}}})",
            R"(event.submitTask.callFailurePolicy: found "STOP", expected one of FAIL_TASK, CONTINUE)"},
        Malformed{R"({"event":{"submitTask":{"callFailurePolicy":2}}})",
                  "event.submitTask.callFailurePolicy: found 2, expected FAIL_TASK or CONTINUE"},
        Malformed{R"({"event":{"builderFinished":{"taskId":"t"}}})",
                  "event.builderFinished: the outcome is missing; expected one of callList, "
                  "stream, failure"},
        Malformed{R"({"event":{"builderFinished":{"stream":{},"failure":{}}}})",
                  "event.builderFinished: has two alternatives, expected one of callList, stream, "
                  "failure"}));

TEST(LineReaderTest, RefusesTextThatIsNotUtf8) {
  EXPECT_NE(Refusal("{\"event\":{\"getTaskResult\":{\"taskId\":\"\xff\"}}}"), "accepted");
}

TEST(LineReaderTest, ComplainsOnOneShortLineWhateverTheKeyIs) {
  for (const std::string& key :
       {std::string(R"((a\nb) x)"), std::string(R"(a\nb)"), std::string(10'000, 'x')}) {
    const std::string complaint = Refusal("{\"" + key + "\":1}");
    EXPECT_EQ(complaint.find('\n'), std::string::npos) << complaint;
    EXPECT_LT(complaint.size(), 300U);
  }
}

TEST(LineReaderTest, RefusesNestingWithoutBounds) {
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += "{\"event\":";
  EXPECT_NE(Refusal(line), "accepted");
}

TEST(LineReaderTest, RefusesOrReadsWhateverItIsGiven) {
  std::uint64_t state = 1;
  const auto below = [&state](std::size_t n) {
    state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return static_cast<std::size_t>(state >> 33) % n;
  };
  constexpr std::string_view kAlphabet = "{}[]\":,.-+0123456789eEtrufalsn\\ \x01\xff\xc3";
  std::size_t refused = 0;
  LineReader reader;
  for (int i = 0; i < 5'000; ++i) {
    const EventExample& example = EventExamples()[below(EventExamples().size())];
    std::string line = R"({"nowUs":"17","event":)" + std::string(example.text) + "}";
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
      const std::size_t at = below(line.size());
      const std::size_t kind = below(3);
      if (kind == 0) line[at] = kAlphabet[below(kAlphabet.size())];
      if (kind == 1) line.erase(at, 1 + below(8));
      if (kind == 2) line.insert(at, line.substr(below(line.size()), below(20)));
      if (line.empty()) break;
    }
    const auto input = reader.Read(line);
    if (input.ok()) continue;
    ++refused;
    EXPECT_FALSE(input.status().message().empty()) << line;
    EXPECT_EQ(input.status().message().find('\n'), absl::string_view::npos) << line;
  }
  EXPECT_GT(refused, 1'000U);
}

// ---- Steps ----

TEST(StepWriterTest, WritesEachKindOfCommand) {
  for (const CommandExample& example : CommandExamples()) {
    EXPECT_EQ(Written({}, {&example.command, 1}),
              R"({"step":1,"reply":null,"commands":[)" + std::string(example.text) + "]}\n");
  }
}

TEST(StepWriterTest, WritesCommandsInOrder) {
  const std::array<engine::Command, 2> commands = {engine::RegisterWorker(),
                                                   engine::DeregisterWorker()};
  EXPECT_EQ(Written({}, commands),
            "{\"step\":1,\"reply\":null,\"commands\":[{\"registerWorker\":{}},{"
            "\"deregisterWorker\":{}}]}\n");
}

TEST(StepWriterTest, R_ERR_WritesEachCode) {
  using engine::ErrorCode;
  const std::vector<std::pair<ErrorCode, std::string>> names = {
      {ErrorCode::kInvalidArgument, "INVALID_ARGUMENT"},
      {ErrorCode::kNoSlot, "NO_SLOT"},
      {ErrorCode::kUnavailable, "UNAVAILABLE"},
      {ErrorCode::kInvalidSlot, "INVALID_SLOT"},
      {ErrorCode::kNotFound, "NOT_FOUND"},
      {ErrorCode::kSlotUncertain, "SLOT_UNCERTAIN"}};
  for (const auto& [code, name] : names) {
    EXPECT_EQ(Written(engine::Error{code, "why"}, {}),
              WithReply(R"({"error":{"code":")" + name + R"(","message":"why"}})"));
  }
}

TEST(StepWriterTest, WritesAReservedTask) {
  const engine::TaskView view = {.task_id = "t1",
                                 .state = engine::TaskState::kAllocated,
                                 .slot = engine::SlotIndex(0),
                                 .lease_expires_at = AtMicroseconds(0)};
  EXPECT_EQ(Written(view, {}),
            WithReply(R"({"task":{"taskId":"t1","state":"ALLOCATED","slotId":"slot-0",)"
                      R"("leaseExpiresAtUs":"0"}})"));
}

TEST(StepWriterTest, WritesEachPhaseOfATask) {
  using engine::Phase;
  const std::vector<std::pair<Phase, std::string>> names = {{Phase::kPreparing, "PREPARING"},
                                                            {Phase::kBuilder, "BUILDER"},
                                                            {Phase::kCalls, "CALLS"},
                                                            {Phase::kPlugin, "PLUGIN"},
                                                            {Phase::kTerminal, "TERMINAL"}};
  for (const auto& [phase, name] : names) {
    const engine::TaskView view = {
        .task_id = "t1", .state = engine::TaskState::kRunning, .phase = phase};
    EXPECT_EQ(Written(view, {}),
              WithReply(R"({"task":{"taskId":"t1","state":"RUNNING","phase":")" + name + "\"}}"));
  }
}

TEST(StepWriterTest, WritesAnEndedTaskWithItsResult) {
  const engine::TaskView view = {.task_id = "t1",
                                 .state = engine::TaskState::kFailed,
                                 .phase = engine::Phase::kTerminal,
                                 .result = &ResultExample()};
  EXPECT_EQ(Written(view, {}),
            WithReply(R"({"task":{"taskId":"t1","state":"FAILED","phase":"TERMINAL","result":)" +
                      std::string(kResultText) + "}}"));
}

TEST(StepWriterTest, LeavesOutTheTimesOfStepsThatWereNotReached) {
  const engine::TaskResult result = {
      .times = {.accepted = AtMicroseconds(0), .ended = AtMicroseconds(5)}};
  const engine::TaskView view = {
      .task_id = "t1", .state = engine::TaskState::kSucceeded, .result = &result};
  EXPECT_EQ(Written(view, {}),
            WithReply(R"({"task":{"taskId":"t1","state":"SUCCEEDED","result":{"state":"SUCCEEDED",)"
                      R"("calls":{},"times":{"acceptedUs":"0","endedUs":"5"}}}})"));
}

TEST(StepWriterTest, R_W_1_WritesTheTasksOfAWatch) {
  const std::array<engine::TaskView, 2> tasks = {engine::TaskView{.task_id = "t2"},
                                                 engine::TaskView{.task_id = "t1"}};
  EXPECT_EQ(
      Written(engine::WatchView{tasks}, {}),
      WithReply(
          R"({"tasks":[{"taskId":"t2","state":"ALLOCATED"},{"taskId":"t1","state":"ALLOCATED"}]})"));
}

TEST(StepWriterTest, WritesAWatchOverUnknownTasksAsAnEmptyList) {
  EXPECT_EQ(Written(engine::WatchView{}, {}), WithReply(R"({"tasks":[]})"));
}

TEST(StepWriterTest, WritesTheStateOnRequest) {
  std::string out;
  StepWriter().Append(7, {}, {}, StateAfter{.next_deadline = AtMicroseconds(12), .digest = 0xab},
                      out);
  EXPECT_EQ(out,
            "{\"step\":7,\"reply\":null,\"commands\":[],\"nextDeadlineUs\":\"12\",\"digest\":"
            "\"00000000000000ab\"}\n");
}

TEST(StepWriterTest, WritesNullWhenNothingIsPending) {
  std::string out;
  StepWriter().Append(7, {}, {}, StateAfter{.digest = UINT64_MAX}, out);
  EXPECT_EQ(out,
            "{\"step\":7,\"reply\":null,\"commands\":[],\"nextDeadlineUs\":null,\"digest\":"
            "\"ffffffffffffffff\"}\n");
}

TEST(StepWriterTest, Appends) {
  std::string out = "before ";
  StepWriter().Append(1, engine::WatchView{}, {}, std::nullopt, out);
  EXPECT_EQ(out, "before " + WithReply(R"({"tasks":[]})"));
}

}  // namespace
}  // namespace blockx::replay
