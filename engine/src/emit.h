#ifndef BLOCKX_ENGINE_SRC_EMIT_H_
#define BLOCKX_ENGINE_SRC_EMIT_H_

#include <utility>
#include <vector>

#include "blockx/engine/commands.h"

namespace blockx::engine {

// Adds a command to a step's. It is made in its place: a variant that was put together elsewhere
// and then copied would be loaded wider than it was just stored, and the processor would wait for
// that.
template <class C>
void Emit(std::vector<Command>& out, const C& command) {
  out.emplace_back(std::in_place_type<C>, command);
}

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_EMIT_H_
