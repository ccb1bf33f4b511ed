#ifndef BLOCKX_REPLAY_SRC_JSON_PROBLEM_H_
#define BLOCKX_REPLAY_SRC_JSON_PROBLEM_H_

#include <string>
#include <string_view>

namespace blockx::replay {

// Protobuf's complaint about the JSON of a Line, said in the words of the text form, on one
// line: the path of the field as it stands in the text, what was found there, what was expected. A
// complaint of an unknown kind stays as it is.
[[nodiscard]] std::string ExplainJsonProblem(std::string_view complaint);

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_JSON_PROBLEM_H_
