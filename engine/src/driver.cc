#include "blockx/engine/driver.h"

namespace blockx::engine {

Reply Driver::Apply(const Event& event, Instant now) {
  return std::visit(
      [&]<class E>(const E& typed) {
        if constexpr (Request<E>) {
          return ToReply(Apply(typed, now));
        } else {
          Apply(typed, now);
          return Reply();
        }
      },
      event);
}

void Driver::Observe(const Event& event, const Reply& reply, Instant now) {
  observer_->OnStep(Step{.sequence = sequence_,
                         .now = now,
                         .event = event,
                         .reply = reply,
                         .commands = engine_.commands(),
                         .digest = digest_});
}

}  // namespace blockx::engine
