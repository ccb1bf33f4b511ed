#include "list_command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "exit_code.h"
#include "scenario_file.h"

namespace blockx::tools {
namespace {

namespace fs = std::filesystem;

// Where scenarios are, seen from the program's own folder: once installed, and in a build tree.
std::optional<fs::path> ScenarioFolder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  for (const char* relative : {BLOCKX_SCENARIOS_INSTALLED, BLOCKX_SCENARIOS_IN_SOURCE}) {
    const fs::path folder = fs::weakly_canonical(program.parent_path() / relative, error);
    if (!error && fs::is_directory(folder, error)) return folder;
  }
  return std::nullopt;
}

std::vector<fs::path> ScenariosIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path& file = entry.path();
    if (file.extension() == ".json" && file.filename() != "schema.json") files.push_back(file);
  }
  std::ranges::sort(files);
  return files;
}

int List() {
  const std::optional<fs::path> folder = ScenarioFolder();
  if (!folder) {
    std::fprintf(stderr,
                 "found no folder of scenarios beside this program, neither in %s nor in %s\n",
                 BLOCKX_SCENARIOS_INSTALLED, BLOCKX_SCENARIOS_IN_SOURCE);
    return kInternal;
  }
  const std::vector<fs::path> files = ScenariosIn(*folder);
  std::size_t width = 0;
  for (const fs::path& file : files) width = std::max(width, file.filename().native().size());
  int exit_code = kDone;
  std::printf("in %s:\n", folder->c_str());
  for (const fs::path& file : files) {
    const auto scenario = ReadScenario(file.native(), {});
    if (scenario) {
      std::printf("  %-*s  %s\n", static_cast<int>(width), file.filename().c_str(),
                  scenario->description.c_str());
    } else {
      exit_code = kBadInput;
    }
  }
  return exit_code;
}

}  // namespace

void AddListCommand(CLI::App& app, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("list", "The scenarios that came with this program, with one line each");
  command.callback([&exit_code] { exit_code = List(); });
}

}  // namespace blockx::tools
