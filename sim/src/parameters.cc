#include "parameters.h"

#include <array>
#include <charconv>
#include <limits>

namespace blockx::sim {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

}  // namespace

std::string NumberText(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

std::string Unexpected(std::string_view name, std::string_view found, std::string_view expected) {
  std::string text(name);
  text += " is ";
  text += found;
  text += ", expected ";
  text += expected;
  return text;
}

std::string Unexpected(std::string_view name, double found, std::string_view expected) {
  return Unexpected(name, NumberText(found), expected);
}

Problem RequirePositive(std::string_view name, double value) {
  if (value > 0 && value <= kLargest) return std::nullopt;
  return Unexpected(name, value, "a finite number above 0");
}

Problem RequireNotNegative(std::string_view name, double value) {
  if (value >= 0 && value <= kLargest) return std::nullopt;
  return Unexpected(name, value, "a finite number of at least 0");
}

}  // namespace blockx::sim
