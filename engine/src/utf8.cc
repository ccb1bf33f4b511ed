#include "blockx/engine/utf8.h"

#include <cstdint>
#include <cstring>

namespace blockx::engine {

namespace {

bool IsContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

std::size_t CharacterAt(const unsigned char* at, std::size_t left) {
  const unsigned char lead = at[0];
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || left < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(at[i])) return 0;
  }
  const bool overlong = (lead == 0xE0 && at[1] < 0xA0) || (lead == 0xF0 && at[1] < 0x90);
  const bool surrogate = lead == 0xED && at[1] > 0x9F;
  const bool too_large = lead == 0xF4 && at[1] > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

std::size_t CharacterAtStart(std::string_view text) {
  return CharacterAt(reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

bool IsUtf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t left = text.size();
  while (left > 0) {
    std::uint64_t word = 0x80;
    if (left >= sizeof(word)) std::memcpy(&word, at, sizeof(word));
    const bool plain = (word & 0x8080808080808080) == 0;  // Eight ASCII characters at once.
    const std::size_t length = plain ? sizeof(word) : CharacterAt(at, left);
    if (length == 0) return false;
    at += length;
    left -= length;
  }
  return true;
}

std::string_view CutAtCharacter(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && IsContinuation(static_cast<unsigned char>(text[limit]))) --limit;
  return text.substr(0, limit);
}

}  // namespace blockx::engine
