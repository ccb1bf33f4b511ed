#include "output.h"

#include <nlohmann/json.hpp>

namespace blockx::tools {

Output::Output(const std::string& file)
    : file_(file.empty() ? stdout : std::fopen(file.c_str(), "wb")) {}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void Output::Write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), file_); }

bool Output::Close() {
  const bool written = std::fflush(file_) == 0 && std::ferror(file_) == 0;
  const bool closed = file_ == stdout || std::fclose(file_) == 0;
  file_ = nullptr;
  return written && closed;
}

std::string JsonString(std::string_view text) {
  const auto replace = nlohmann::json::error_handler_t::replace;
  std::string json = nlohmann::json(text).dump(-1, ' ', false, replace);
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at)) {
    json.replace(at, 1, "\\u003c");
  }
  return json;
}

std::string Utf8(std::string_view text) {
  return nlohmann::json::parse(JsonString(text)).get<std::string>();
}

}  // namespace blockx::tools
