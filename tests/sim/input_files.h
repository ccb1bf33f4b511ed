// Files that the tests of scenarios and traces read.
#ifndef BLOCKX_TESTS_SIM_INPUT_FILES_H_
#define BLOCKX_TESTS_SIM_INPUT_FILES_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "blockx/sim/scenario_reader.h"

namespace blockx::sim {

inline std::string ScenarioDirectory() { return std::string(BLOCKX_SOURCE_DIR) + "/scenarios"; }

inline const std::vector<std::string>& ShippedScenarios() {
  static const std::vector<std::string> kNames = {
      "burst", "erlang-b", "quickstart", "real-trace", "slow-executors", "stale-heartbeats"};
  return kNames;
}

inline std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A file that lives as long as the object; its name has the test's, so that tests may run side by
// side.
class TemporaryFile {
 public:
  TemporaryFile(std::string_view name, std::string_view content) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    directory_ = std::filesystem::path(::testing::TempDir()) /
                 (std::string("blockx-") + test->test_suite_name() + '-' + test->name());
    std::filesystem::create_directories(directory_);
    path_ = directory_ / name;
    Write(content);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    std::filesystem::remove(directory_, ignored);  // Stays while another file of the test is in it.
  }

  void Write(std::string_view content) const {
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file << content;
  }

  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string directory() const { return directory_.string(); }

 private:
  std::filesystem::path directory_;
  std::filesystem::path path_;
};

// "/path: message" for each error of a scenario; none when it was read.
inline std::vector<std::string> ErrorsOf(const ScenarioResult& result) {
  std::vector<std::string> lines;
  if (const auto* errors = std::get_if<InputErrors>(&result)) {
    for (const InputError& error : *errors) lines.push_back(error.path + ": " + error.message);
  }
  return lines;
}

}  // namespace blockx::sim

#endif  // BLOCKX_TESTS_SIM_INPUT_FILES_H_
