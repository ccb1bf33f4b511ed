#ifndef BLOCKX_ENGINE_UTF8_H_
#define BLOCKX_ENGINE_UTF8_H_

#include <cstddef>
#include <string_view>

namespace blockx::engine {

// The length of the well-formed character that `text`, which is not empty, begins with; 0: it
// begins with none. By table 3-7 of the Unicode Standard: no overlong forms, no surrogates, nothing
// above U+10FFFF.
std::size_t CharacterAtStart(std::string_view text);

// Nothing but well-formed characters.
bool IsUtf8(std::string_view text);

// The longest start of `text` of at most `limit` bytes that does not end within a character.
std::string_view CutAtCharacter(std::string_view text, std::size_t limit);

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_UTF8_H_
