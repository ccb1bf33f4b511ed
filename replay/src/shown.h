// Text of unknown origin, made fit to be shown.
#ifndef BLOCKX_REPLAY_SRC_SHOWN_H_
#define BLOCKX_REPLAY_SRC_SHOWN_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace blockx::replay {

// A piece of one line for people: at most that many bytes of it, cut between characters; control
// characters are '?'.
std::string Shown(std::string_view text, std::size_t bytes_max);

// With U+FFFD in the place of each byte that is no part of a UTF-8 character.
std::string AsUtf8(std::string_view text);

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_SHOWN_H_
