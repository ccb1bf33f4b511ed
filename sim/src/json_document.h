// JSON text with // and /* */ comments as a tree, and changes to single fields of it.
#ifndef BLOCKX_SIM_SRC_JSON_DOCUMENT_H_
#define BLOCKX_SIM_SRC_JSON_DOCUMENT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "blockx/sim/input_error.h"

namespace blockx::sim {

// Keeps the order of the keys, so that errors come in the order of the file.
using Json = nlohmann::ordered_json;

inline constexpr std::size_t kMaxJsonBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxJsonDepth = 64;

// The text of the file at `path`, or what keeps it from being read: then `errors` has grown.
// `expected` is what the file should have been: "a scenario file". Never more than a byte over
// kMaxJsonBytes, whatever stands there.
[[nodiscard]] std::optional<std::string> ReadJsonFile(const std::string& path,
                                                      std::string_view expected,
                                                      InputErrors& errors);

// Refused, with line and column: broken syntax, invalid UTF-8, numbers beyond a double, a key that
// stands twice in an object, nesting over kMaxJsonDepth, text over kMaxJsonBytes. On refusal
// `errors` has grown.
[[nodiscard]] std::optional<Json> ParseJson(std::string_view text, InputErrors& errors);

// Sets one field: "workload.0.arrivals.rate=90". Objects that are missing on the way are made; an
// index must exist. The value is read as JSON, or taken as text when it is none. On refusal
// `errors` has grown.
void ApplyOverride(Json& document, std::string_view assignment, InputErrors& errors);

// A path one step further, as a JSON pointer (RFC 6901).
[[nodiscard]] std::string PointerTo(const std::string& path, std::string_view key);
[[nodiscard]] std::string PointerTo(const std::string& path, std::size_t index);

// A value as it stands in a message: JSON on one line, cut when long.
[[nodiscard]] std::string Shown(const Json& value);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_SRC_JSON_DOCUMENT_H_
