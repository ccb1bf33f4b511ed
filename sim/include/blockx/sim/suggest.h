// Words for messages about names that are not known.
#ifndef BLOCKX_SIM_SUGGEST_H_
#define BLOCKX_SIM_SUGGEST_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace blockx::sim {

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`; the case of
// letters does not count. Cost: the product of the lengths; only the first 64 bytes of each are
// looked at.
[[nodiscard]] std::size_t EditDistance(std::string_view a, std::string_view b);

// The name closest to `name`, the first of equals; empty when none is near enough to be what was
// meant.
[[nodiscard]] std::string_view Nearest(std::string_view name,
                                       std::span<const std::string_view> known);

// `found "polson", expected an arrival type: poisson, ... (did you mean "poisson"?)`.
[[nodiscard]] std::string ExpectedOneOf(std::string_view what, std::string_view found,
                                        std::span<const std::string_view> known);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SUGGEST_H_
