// An engine's state as JSON, and what differs between two.
#ifndef BLOCKX_TOOLS_REPLAY_STATE_JSON_H_
#define BLOCKX_TOOLS_REPLAY_STATE_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "blockx/engine/engine.h"

namespace blockx::tools {

// Everything that the state digest covers, and the heartbeat. Things stand by their names, so that
// an element more leaves all others where they are.
nlohmann::ordered_json StateJson(const engine::Engine& engine);

// Where two states are not the same.
struct Difference {
  std::string path;  // "/tasks/t1/active/phase"
  std::string a;     // As JSON; "(absent)"
  std::string b;
};
std::vector<Difference> Differences(const nlohmann::ordered_json& a,
                                    const nlohmann::ordered_json& b);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_STATE_JSON_H_
