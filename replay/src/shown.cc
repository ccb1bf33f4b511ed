#include "shown.h"

#include "blockx/engine/utf8.h"

namespace blockx::replay {
namespace {

unsigned char Byte(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

}  // namespace

std::string AsUtf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = engine::CharacterAtStart(text.substr(at));
    out += length == 0 ? std::string_view("\uFFFD") : text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::string Shown(std::string_view text, std::size_t bytes_max) {
  const std::size_t size = engine::CutAtCharacter(text, bytes_max).size();
  std::string out;
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned char byte = Byte(text, i);
    // U+0080 to U+009F are controls as well; a terminal may take them for the start of a sequence.
    const bool is_pair = byte == 0xC2 && Byte(text, i + 1) >= 0x80 && Byte(text, i + 1) < 0xA0;
    out += byte < ' ' || byte == 0x7F || is_pair ? '?' : text[i];
    if (is_pair) ++i;
  }
  if (size < text.size()) out += "...";
  return out;
}

}  // namespace blockx::replay
