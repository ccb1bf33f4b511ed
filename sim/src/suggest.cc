#include "blockx/sim/suggest.h"

#include <algorithm>
#include <array>
#include <limits>

namespace blockx::sim {
namespace {

constexpr std::size_t kLongest = 64;

// ASCII alone: names are, and a locale must not change what is suggested.
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

// The restricted Damerau-Levenshtein distance, row by row.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::array<std::array<std::size_t, kLongest + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i - 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = Lower(a[i - 1]) == Lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::string_view Nearest(std::string_view name, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const std::string_view candidate : known) {
    const std::size_t distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  // More than half of the letters wrong: another word, not a slip.
  return best_distance * 2 <= std::max(name.size(), best.size()) ? best : std::string_view();
}

std::string ExpectedOneOf(std::string_view what, std::string_view found,
                          std::span<const std::string_view> known) {
  std::string message =
      "found \"" + std::string(found) + "\", expected " + std::string(what) + ": ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) message += i + 1 == known.size() ? " or " : ", ";
    message += known[i];
  }
  if (const std::string_view nearest = Nearest(found, known); !nearest.empty()) {
    message += " (did you mean \"" + std::string(nearest) + "\"?)";
  }
  return message;
}

}  // namespace blockx::sim
