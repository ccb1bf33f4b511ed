#include "line_input.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace blockx::tools {

std::optional<std::string_view> LineInput::Next() {
  while (true) {
    const std::size_t end = buffer_.find('\n', searched_);
    const bool last = end == std::string::npos && ended_ && begin_ < buffer_.size();
    if (end != std::string::npos || last) {
      const std::string_view line =
          std::string_view(buffer_).substr(begin_, last ? end : end - begin_);
      begin_ = last ? buffer_.size() : end + 1;
      searched_ = begin_;
      ++line_number_;
      return line;
    }
    searched_ = buffer_.size();
    if (ended_ || !ReadMore()) return std::nullopt;
  }
}

bool LineInput::ReadMore() {
  constexpr std::size_t kReadBytes = std::size_t{64} << 10;
  before_wait_();
  buffer_.erase(0, begin_);
  searched_ -= begin_;
  begin_ = 0;
  const std::size_t kept = buffer_.size();
  if (kept > kMaxLineBytes) {
    error_ = "line " + std::to_string(line_number_ + 1) + ": longer than " +
             std::to_string(kMaxLineBytes) + " bytes";
    return false;
  }
  buffer_.resize(kept + kReadBytes);
  ssize_t count = 0;
  do {
    count = read(descriptor_, buffer_.data() + kept, kReadBytes);
  } while (count < 0 && errno == EINTR);
  if (count < 0) error_ = "reading the input failed: " + std::generic_category().message(errno);
  buffer_.resize(kept + static_cast<std::size_t>(count < 0 ? 0 : count));
  ended_ = count == 0;
  return count >= 0;
}

}  // namespace blockx::tools
