// Text of unknown origin, as a piece of one line for people.
#ifndef BLOCKX_REPLAY_SRC_SHOWN_H_
#define BLOCKX_REPLAY_SRC_SHOWN_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace blockx::replay {

// At most that many bytes of it, cut between characters; control characters are '?'.
std::string Shown(std::string_view text, std::size_t bytes_max);

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_SHOWN_H_
