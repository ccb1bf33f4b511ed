#include "blockx/engine/driver.h"

#include "typed_door.h"

namespace blockx::engine {

Reply Driver::Apply(const Event& event, Instant now) { return ApplyTyped(*this, event, now); }

void Driver::Observe(const Event& event, const Reply& reply, Instant now) {
  observer_->OnStep(Step{.sequence = sequence_,
                         .now = now,
                         .event = event,
                         .reply = reply,
                         .commands = engine_.commands(),
                         .digest = digest_});
}

}  // namespace blockx::engine
