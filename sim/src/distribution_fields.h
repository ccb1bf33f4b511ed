// The distributions as a scenario writes them: {"type": "exponential", "mean": "1s"}. (A constant
// is the plain value.)
#ifndef BLOCKX_SIM_SRC_DISTRIBUTION_FIELDS_H_
#define BLOCKX_SIM_SRC_DISTRIBUTION_FIELDS_H_

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "blockx/sim/distribution.h"
#include "fields.h"

namespace blockx::sim {

// Units that a column of times may have, and how many microseconds each is.
[[nodiscard]] const std::vector<std::string_view>& TimeUnitNames();
[[nodiscard]] engine::Duration TimeUnit(std::size_t index);

void DistributionFields(FieldVisitor& visitor, Distribution& value, FormUnit unit);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_DISTRIBUTION_FIELDS_H_
