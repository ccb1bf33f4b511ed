#ifndef BLOCKX_SIM_SRC_PARAMETERS_H_
#define BLOCKX_SIM_SRC_PARAMETERS_H_

#include <optional>
#include <string>
#include <string_view>

namespace blockx::sim {

// The words for a bad parameter: its name, what stood there, what was expected. They are put behind
// a path by whoever knows where the parameter came from.
using Problem = std::optional<std::string>;

// The shortest text that reads back as the same number, in no locale.
std::string NumberText(double value);

std::string Unexpected(std::string_view name, std::string_view found, std::string_view expected);
std::string Unexpected(std::string_view name, double found, std::string_view expected);

inline Problem FirstOf(Problem first, Problem second) { return first ? first : second; }

// Nullopt if the value is fine.
Problem RequirePositive(std::string_view name, double value);     // Finite and > 0.
Problem RequireNotNegative(std::string_view name, double value);  // Finite and >= 0.

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_PARAMETERS_H_
