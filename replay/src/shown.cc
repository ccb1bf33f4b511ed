#include "shown.h"

namespace blockx::replay {
namespace {

unsigned char Byte(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// The length of the well-formed character there (table 3-7 of the Unicode Standard); 0: none.
std::size_t CharacterAt(std::string_view text, std::size_t at) {
  const unsigned char lead = Byte(text, at);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (Byte(text, at + 1) < low || Byte(text, at + 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((Byte(text, at + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string AsUtf8(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = CharacterAt(text, at);
    out += length == 0 ? std::string_view("\uFFFD") : text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::string Shown(std::string_view text, std::size_t bytes_max) {
  std::size_t size = text.size();
  if (size > bytes_max) {
    size = bytes_max;
    while (size > 0 && (Byte(text, size) & 0xC0) == 0x80) --size;
  }
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
