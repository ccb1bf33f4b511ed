// The parts of a timeline's page, from the files in timeline/.
#ifndef BLOCKX_TOOLS_REPLAY_TIMELINE_PAGE_H_
#define BLOCKX_TOOLS_REPLAY_TIMELINE_PAGE_H_

#include <string_view>

namespace blockx::tools {

// With {{style}}, {{data}} and {{script}} where the others go, in this order.
extern const std::string_view kTimelinePage;
extern const std::string_view kTimelineStyle;
extern const std::string_view kTimelineScript;

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_TIMELINE_PAGE_H_
