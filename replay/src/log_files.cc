#include "log_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"

namespace blockx::replay {
namespace {

constexpr std::string_view kPrefix = "segment-";
constexpr std::string_view kSuffix = ".blxlog";

}  // namespace

std::string SegmentFileName(std::uint64_t sequence) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%020llu", static_cast<unsigned long long>(sequence));
  return std::string(kPrefix) + digits + std::string(kSuffix);
}

absl::StatusOr<std::vector<std::string>> SegmentFilesOf(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    return absl::NotFoundError(path + ": no such file or folder");
  }
  if (status.type() != std::filesystem::file_type::directory) {
    return std::vector<std::string>{path};
  }
  std::vector<std::string> files;
  std::filesystem::directory_iterator entries(path, error);
  if (error) return absl::PermissionDeniedError(path + ": " + error.message());
  std::vector<std::string> folders;
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kPrefix) && name.ends_with(kSuffix)) files.push_back(entry.path());
    if (entry.is_directory(error)) folders.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (!files.empty()) return files;
  std::sort(folders.begin(), folders.end());
  std::string text = path + ": no segment in this folder (expected files named " +
                     std::string(kPrefix) + "*" + std::string(kSuffix) + ")";
  if (!folders.empty()) text += "; is it " + folders.front() + "?";
  return absl::NotFoundError(text);
}

}  // namespace blockx::replay
