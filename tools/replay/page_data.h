#ifndef BLOCKX_TOOLS_REPLAY_PAGE_DATA_H_
#define BLOCKX_TOOLS_REPLAY_PAGE_DATA_H_

#include "output.h"
#include "timeline.h"

namespace blockx::tools {

// The timeline as JSON for its page, in columns; timeline/data.js reads it. There is no '<' in it.
void WritePageData(const Timeline& timeline, Output& out);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_PAGE_DATA_H_
