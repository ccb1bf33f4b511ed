#ifndef BLOCKX_TOOLS_SIM_LINE_INPUT_H_
#define BLOCKX_TOOLS_SIM_LINE_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace blockx::tools {

// A line beyond this is no input but an accident; the parser's own limit is 2 GiB.
inline constexpr std::size_t kMaxLineBytes = std::size_t{256} << 20;

// The lines of a file descriptor, for programs that are talked to over a pipe.
class LineInput {
 public:
  // `before_wait` is called before each read, that is whenever no whole line is at hand: the time
  // to let go of what was answered so far, since the other side may be waiting for it.
  LineInput(int descriptor, std::function<void()> before_wait)
      : descriptor_(descriptor), before_wait_(std::move(before_wait)) {}

  // The next line, without its end; valid until the next call. Nothing: the input ended, or error()
  // says what went wrong.
  std::optional<std::string_view> Next();

  [[nodiscard]] std::uint64_t line_number() const {
    return line_number_;
  }  // of the last line, from 1
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  bool ReadMore();

  int descriptor_;
  std::function<void()> before_wait_;
  std::string buffer_;  // [begin_, size) was not given out yet
  std::size_t begin_ = 0;
  std::size_t searched_ = 0;  // up to here there is no line end; at least begin_
  bool ended_ = false;
  std::uint64_t line_number_ = 0;
  std::string error_;
};

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_SIM_LINE_INPUT_H_
