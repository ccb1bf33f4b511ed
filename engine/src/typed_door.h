#ifndef BLOCKX_ENGINE_SRC_TYPED_DOOR_H_
#define BLOCKX_ENGINE_SRC_TYPED_DOOR_H_

#include <variant>

#include "blockx/engine/events.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/time.h"

namespace blockx::engine {

// Any event through a door that has an Apply for each kind of event: the Engine's and the Driver's.
template <class Door>
Reply ApplyTyped(Door& door, const Event& event, Instant now) {
  return std::visit(
      [&]<class E>(const E& typed) {
        if constexpr (Request<E>) {
          return ToReply(door.Apply(typed, now));
        } else {
          door.Apply(typed, now);
          return Reply();
        }
      },
      event);
}

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_TYPED_DOOR_H_
