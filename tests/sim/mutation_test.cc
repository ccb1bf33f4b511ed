// Damaged scenarios and traces: never a crash, and always either a sound value or something to
// tell.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "blockx/sim/scenario_reader.h"
#include "blockx/sim/trace.h"
#include "sim/input_files.h"

namespace blockx::sim {
namespace {

// splitmix64: the same mutations in every run.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}

  std::size_t Below(std::size_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return static_cast<std::size_t>((z ^ (z >> 31U)) % bound);
  }

 private:
  std::uint64_t state_;
};

std::string Mutated(std::string text, Numbers& numbers) {
  const std::size_t at = numbers.Below(text.size());
  const std::size_t length = 1 + numbers.Below(40);
  const std::size_t other = numbers.Below(text.size());
  switch (numbers.Below(7)) {
    case 0:  // A byte flips a bit.
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << numbers.Below(8)));
      break;
    case 1:  // A byte becomes any other.
      text[at] = static_cast<char>(numbers.Below(256));
      break;
    case 2:  // The end is lost.
      text.resize(at);
      break;
    case 3:  // A piece is lost.
      text.erase(at, length);
      break;
    case 4:  // A piece stands twice.
      text.insert(other, text.substr(at, length));
      break;
    case 5:  // Two bytes change places.
      std::swap(text[at], text[other]);
      break;
    default: {                                             // A line stands twice.
      const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0.
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(begin, end == std::string::npos ? end : end + 1 - begin);
      text.insert(begin, line);
    }
  }
  return text;
}

// A head of the file, long enough to have everything that its kind of file has.
std::string Head(const std::string& path, std::size_t bytes) {
  return ReadWholeFile(path).substr(0, bytes);
}

void ExpectSaid(const InputErrors& errors) {
  ASSERT_FALSE(errors.empty());
  for (const InputError& error : errors) EXPECT_FALSE(error.message.empty());
}

TEST(MutationTest, DamagedScenariosAreReadOrRefused) {
  Numbers numbers(1);
  int refused = 0;
  for (const std::string& name : ShippedScenarios()) {
    const std::string text = ReadWholeFile(ScenarioDirectory() + '/' + name + ".json");
    for (int i = 0; i < 500; ++i) {
      std::string damaged = Mutated(text, numbers);
      if (numbers.Below(4) == 0 && !damaged.empty()) damaged = Mutated(damaged, numbers);
      const ScenarioResult result = ParseScenario(damaged, ScenarioDirectory(), {});
      if (const auto* errors = std::get_if<InputErrors>(&result)) {
        ++refused;
        ExpectSaid(*errors);
      } else {
        ASSERT_FALSE(std::get<Scenario>(result).workload.empty());
      }
    }
  }
  EXPECT_GT(refused, 1'000);
  EXPECT_LT(refused, 3'000);
}

// Reads to the end or to the first error; how many rows there were.
int Drain(const TraceSpec& spec, std::string& error) {
  auto opened = TraceReader::Open(spec);
  if (const auto* problem = std::get_if<TraceError>(&opened)) {
    error = problem->message;
    return 0;
  }
  auto& reader = std::get<TraceReader>(opened);
  engine::Duration last{};
  for (int rows = 0;; ++rows) {
    const auto next = reader.Next();
    if (const auto* problem = std::get_if<TraceError>(&next)) {
      error = problem->message;
      return rows;
    }
    const auto& row = std::get<0>(next);
    if (!row) return rows;
    EXPECT_GE(row->arrival, last);
    last = row->arrival;
  }
}

void ExpectDamagedTracesAreReadOrRefused(const std::string& text, TraceSpec spec) {
  const TemporaryFile file("trace", text);
  spec.file = file.path();
  Numbers numbers(2);
  int refused = 0;
  constexpr int kMutations = 1'000;
  for (int i = 0; i < kMutations; ++i) {
    file.Write(Mutated(text, numbers));
    std::string error;
    const int rows = Drain(spec, error);
    if (error.empty()) {
      EXPECT_GT(rows, 0);
    } else {
      ++refused;
      EXPECT_EQ(error.find(spec.file), 0U) << error;
    }
  }
  EXPECT_GT(refused, kMutations / 10);
  EXPECT_LT(refused, kMutations);
}

TEST(MutationTest, DamagedCsvTracesAreReadOrRefused) {
  TraceSpec spec;
  spec.arrival_column = "arrival_s";
  spec.columns = {"context_tokens", "generated_tokens"};
  ExpectDamagedTracesAreReadOrRefused(Head(ScenarioDirectory() + "/data/llm_code.csv", 600), spec);
}

TEST(MutationTest, DamagedSwfTracesAreReadOrRefused) {
  std::string text = "; Version: 2.2\n; Computer: a cluster\n\n";
  for (int i = 1; i < 12; ++i) {
    text += std::to_string(i) + ' ' + std::to_string(i * 37) + " 5 " + std::to_string(600 + i) +
            " 4 -1 -1 4 7200 -1 1 3 1 -1 1 -1 -1 -1\n";
  }
  TraceSpec spec;
  spec.format = TraceFormat::kSwf;
  spec.columns = {"run", "processors"};
  ExpectDamagedTracesAreReadOrRefused(text, spec);
}

}  // namespace
}  // namespace blockx::sim
