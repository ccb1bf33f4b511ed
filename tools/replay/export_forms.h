// The forms of a timeline, each in a file of its own. All text is UTF-8, whatever the log holds.
#ifndef BLOCKX_TOOLS_REPLAY_EXPORT_FORMS_H_
#define BLOCKX_TOOLS_REPLAY_EXPORT_FORMS_H_

#include "output.h"
#include "timeline.h"

namespace blockx::tools {

// A row for each run of a task and for each refused request (docs/replay-export.md).
void WriteCsv(const Timeline& timeline, Output& out);

// Slots, executors and levels as tracks of a Chrome trace, for ui.perfetto.dev.
void WritePerfetto(const Timeline& timeline, Output& out);

// A page of its own, which loads nothing.
void WriteHtml(const Timeline& timeline, Output& out);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_EXPORT_FORMS_H_
