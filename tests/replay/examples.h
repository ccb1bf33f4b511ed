// One event and one command of each kind, every field of them other than its default, with their
// text forms.
#ifndef BLOCKX_TESTS_REPLAY_EXAMPLES_H_
#define BLOCKX_TESTS_REPLAY_EXAMPLES_H_

#include <string>
#include <string_view>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/events.h"

namespace blockx::replay {

struct EventExample {
  engine::Event event;
  std::string_view text;  // the value of the key "event" in a line
};

struct CommandExample {
  engine::Command command;
  std::string_view text;
};

// Both borrow from static data.
const std::vector<EventExample>& EventExamples();
const std::vector<CommandExample>& CommandExamples();

// A failed task's result with everything in it, and its text form.
const engine::TaskResult& ResultExample();
inline constexpr std::string_view kResultText =
    R"({"state":"FAILED","failureCode":"PLUGIN_FAILED","message":"disk full","retryable":true,"pluginResults":"YWI=",)"
    R"("calls":{"total":"5","failed":"2","retried":"3"},"times":{"acceptedUs":"1","activatedUs":"2","builderGrantedUs":"3",)"
    R"("builtUs":"4","scanGrantedUs":"5","executorsGrantedUs":"6","calledUs":"7","pluginGrantedUs":"8","endedUs":"9"}})";

}  // namespace blockx::replay

#endif  // BLOCKX_TESTS_REPLAY_EXAMPLES_H_
