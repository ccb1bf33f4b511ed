#include "blockx/sim/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace blockx::sim {
namespace {

struct TimeUnit {
  std::string_view name;
  std::int64_t microseconds;
};

constexpr std::array<TimeUnit, 6> kTimeUnits = {{{"us", 1},
                                                 {"ms", 1'000},
                                                 {"s", 1'000'000},
                                                 {"m", 60'000'000},
                                                 {"h", 3'600'000'000},
                                                 {"d", 86'400'000'000}}};

const TimeUnit* FindUnit(std::string_view name) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view Trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// number = value * unit / 10^decimals, exactly; nothing when that is no whole number or too large.
std::optional<std::int64_t> ScaleExactly(std::string_view whole, std::string_view fraction,
                                         std::int64_t unit) {
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  std::int64_t total = 0;
  for (const char c : whole) {
    if (__builtin_mul_overflow(total, 10, &total)) return std::nullopt;
    if (__builtin_add_overflow(total, c - '0', &total)) return std::nullopt;
  }
  if (__builtin_mul_overflow(total, unit, &total)) return std::nullopt;
  for (const char c : fraction) {
    // Each further digit needs a unit that is still a multiple of ten: else it is finer than a
    // microsecond.
    if (unit % 10 != 0) return std::nullopt;
    unit /= 10;
    if (__builtin_add_overflow(total, (c - '0') * unit, &total)) return std::nullopt;
  }
  return total;
}

}  // namespace

std::optional<engine::Duration> ParseDuration(std::string_view text) {
  text = Trim(text);
  std::size_t end = 0;
  while (end < text.size() && IsDigit(text[end])) ++end;
  const std::string_view whole = text.substr(0, end);
  std::string_view fraction;
  if (end < text.size() && text[end] == '.') {
    const std::size_t begin = ++end;
    while (end < text.size() && IsDigit(text[end])) ++end;
    fraction = text.substr(begin, end - begin);
    if (fraction.empty()) return std::nullopt;
  }
  const TimeUnit* unit = FindUnit(Trim(text.substr(end)));
  if (whole.empty() || unit == nullptr) return std::nullopt;
  const std::optional<std::int64_t> count = ScaleExactly(whole, fraction, unit->microseconds);
  if (!count) return std::nullopt;
  return engine::Duration(*count);
}

std::optional<double> ParseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> ParseMicroseconds(std::string_view text) {
  text = Trim(text);
  const std::size_t unit_at = text.find_last_not_of("usmhd");
  if (unit_at == std::string_view::npos) return std::nullopt;
  const TimeUnit* unit = FindUnit(text.substr(unit_at + 1));
  const std::optional<double> number = ParseNumber(Trim(text.substr(0, unit_at + 1)));
  if (unit == nullptr || !number) return std::nullopt;
  const double microseconds = *number * static_cast<double>(unit->microseconds);
  if (!std::isfinite(microseconds)) return std::nullopt;
  return microseconds;
}

std::optional<double> ParseRate(std::string_view text) {
  text = Trim(text);
  double seconds = 1;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const TimeUnit* unit = FindUnit(Trim(text.substr(slash + 1)));
    if (unit == nullptr) return std::nullopt;
    seconds = static_cast<double>(unit->microseconds) / 1e6;
    text = Trim(text.substr(0, slash));
  }
  const std::optional<double> number = ParseNumber(text);
  if (!number || *number < 0) return std::nullopt;
  const double rate = *number / seconds;
  if (!std::isfinite(rate)) return std::nullopt;
  return rate;
}

std::optional<double> ParseShare(std::string_view text) {
  text = Trim(text);
  double scale = 1;
  if (!text.empty() && text.back() == '%') {
    scale = 100;
    text = Trim(text.substr(0, text.size() - 1));
  }
  const std::optional<double> number = ParseNumber(text);
  if (!number || *number < 0 || *number > scale) return std::nullopt;
  return *number / scale;
}

std::string FormatDuration(engine::Duration duration) {
  std::int64_t us = duration.count();
  if (us == 0) return "0 s";
  std::string sign;
  if (us < 0) {
    sign = "-";
    us = us == INT64_MIN ? INT64_MAX : -us;
  }
  const auto scaled = [&](double unit, const char* name) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", static_cast<double>(us) / unit, name);
    return sign + text;
  };
  const auto pair = [&](std::int64_t large, char large_name, std::int64_t small, char small_name) {
    const std::int64_t rounded = us / small + (us % small * 2 >= small ? 1 : 0);
    const std::int64_t rest = rounded % (large / small);
    std::string text = sign + std::to_string(rounded / (large / small)) + ' ' + large_name;
    if (rest != 0) text += ' ' + std::to_string(rest) + ' ' + small_name;
    return text;
  };
  if (us < 1'000) return scaled(1, "us");
  if (us < 999'500) return scaled(1e3, "ms");
  if (us < 59'950'000) return scaled(1e6, "s");
  if (us < 3'599'500'000) return pair(60'000'000, 'm', 1'000'000, 's');
  if (us < 86'370'000'000) return pair(3'600'000'000, 'h', 60'000'000, 'm');
  return pair(86'400'000'000, 'd', 3'600'000'000, 'h');
}

}  // namespace blockx::sim
