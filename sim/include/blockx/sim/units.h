// Numbers with units, as people write them: durations "200ms", "1.5s", "5m", rates "45/s", shares
// "1%".
#ifndef BLOCKX_SIM_UNITS_H_
#define BLOCKX_SIM_UNITS_H_

#include <optional>
#include <string>
#include <string_view>

#include "blockx/engine/time.h"

namespace blockx::sim {

// What each parser accepts, for messages: "expected " + text.
inline constexpr std::string_view kDurationExpected =
    "a duration with a unit (us, ms, s, m, h, d), such as \"200ms\" or \"1.5s\"";
inline constexpr std::string_view kRateExpected =
    "a rate, such as \"45/s\", \"3/m\", \"10000/h\", \"500/d\" or a plain number per second";
inline constexpr std::string_view kShareExpected = "a share from 0 to 1, such as \"1%\" or 0.01";

// A decimal number and one of the units us, ms, s, m, h, d; blanks may stand between the two.
// Exact: computed in integers. Nothing: not a duration, negative, finer than a microsecond, or
// beyond 64-bit microseconds.
[[nodiscard]] std::optional<engine::Duration> ParseDuration(std::string_view text);

// Microseconds, fractions of one included, from a decimal number of any sign and a unit: for
// factors, such as the "0.2us" for each of a million rows. Nothing: not of this form, or not
// finite.
[[nodiscard]] std::optional<double> ParseMicroseconds(std::string_view text);

// Events per second from "45/s", "3/m", "10000/h", "500/d" or "45". Nothing: not a finite number at
// or above 0.
[[nodiscard]] std::optional<double> ParseRate(std::string_view text);

// A share in [0, 1] from "1%" or "0.01". Nothing: not a number, or out of range.
[[nodiscard]] std::optional<double> ParseShare(std::string_view text);

// A finite decimal number that fills the whole text ("12", "-1.5", "2e3"; no blanks, no "inf", no
// hex).
[[nodiscard]] std::optional<double> ParseNumber(std::string_view text);

// For people, three significant digits or so: "830 ms", "1.25 s", "2 h 5 m", "0 s".
[[nodiscard]] std::string FormatDuration(engine::Duration duration);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_UNITS_H_
