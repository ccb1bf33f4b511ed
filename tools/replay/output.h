#ifndef BLOCKX_TOOLS_REPLAY_OUTPUT_H_
#define BLOCKX_TOOLS_REPLAY_OUTPUT_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace blockx::tools {

// A file that is written from its beginning to its end, or stdout.
class Output {
 public:
  // Empty: stdout. Whether it can be written is told by `ready`.
  explicit Output(const std::string& file);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  [[nodiscard]] bool ready() const { return file_ != nullptr; }
  void Write(std::string_view text);
  // False: not everything could be written.
  [[nodiscard]] bool Close();

 private:
  std::FILE* file_;
};

// A JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD; there is no '<' in it, so
// that it can stand in a page (no end tag, no comment begins).
std::string JsonString(std::string_view text);
// The text in UTF-8, replaced as above.
std::string Utf8(std::string_view text);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_OUTPUT_H_
