// The one conversion of events: the bytes of a log.v1.Event, both ways.
#ifndef BLOCKX_REPLAY_SRC_EVENT_CODEC_H_
#define BLOCKX_REPLAY_SRC_EVENT_CODEC_H_

#include <string>
#include <string_view>
#include <vector>

#include "blockx/engine/events.h"
#include "blockx/replay/convert.h"
#include "wire.h"

namespace blockx::replay {

// Whether text that is no UTF-8 is written all the same, or made to be.
enum class TextMode { kAsItIs, kUtf8 };

// Appends the event's field of a log.v1.Event.
void EncodeEvent(const engine::Event& event, PayloadMode payloads, WireWriter& wire,
                 TextMode text = TextMode::kAsItIs);

// Keeps the lists that a decoded event points to, so that reading one event after the other
// allocates nothing for them.
struct EventLists {
  std::vector<std::string_view> task_ids;
  std::vector<engine::CallSpec> calls;
};

// Reads one event; it borrows text from the bytes and lists from `lists`. False: `problem` says
// what is wrong, as a field's path in the text form and what was expected there.
bool DecodeEvent(std::string_view bytes, EventLists& lists, engine::Event& event,
                 std::string& problem);

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_EVENT_CODEC_H_
