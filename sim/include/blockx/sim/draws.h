#ifndef BLOCKX_SIM_DRAWS_H_
#define BLOCKX_SIM_DRAWS_H_

#include <variant>

#include "blockx/engine/time.h"
#include "blockx/sim/distribution.h"
#include "blockx/sim/random.h"
#include "blockx/sim/scenario.h"

// The random choices of the simulated world. Each is a function of its key alone, so it costs
// nothing to leave one out: what is constant or certain is not drawn.
namespace blockx::sim {

inline double Draw(const Distribution& distribution, const Key& key) {
  if (const auto* constant = std::get_if<Constant>(&distribution.shape())) return constant->value;
  KeyedStream stream(key);
  return distribution.Sample(stream);
}

inline engine::Duration DrawDuration(const Distribution& distribution, const Key& key) {
  return ToDuration(Draw(distribution, key));
}

// Whether something of that probability happens.
inline bool Happens(double probability, const Key& key) {
  return probability > 0 && KeyedStream(key).NextUnit() <= probability;
}

// An amount of one task: drawn, or `planned` when it was computed from the task's trace row.
inline double DrawAmount(const Amount& amount, double planned, const Key& key) {
  const auto* distribution = std::get_if<Distribution>(&amount);
  return distribution == nullptr ? planned : Draw(*distribution, key);
}

// A number of things: the nearest integer, halves upwards.
inline std::int64_t ToCount(double amount) { return ToDuration(amount).count(); }

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_DRAWS_H_
