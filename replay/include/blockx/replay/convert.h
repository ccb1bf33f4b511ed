// The engine's types as messages of blockx/proto/event_log.proto, and events back: the one
// conversion, for the text form and for logs alike.
#ifndef BLOCKX_REPLAY_CONVERT_H_
#define BLOCKX_REPLAY_CONVERT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "blockx/engine/commands.h"
#include "blockx/engine/events.h"
#include "blockx/engine/replies.h"
#include "blockx/proto/event_log.pb.h"

namespace blockx::replay {

// What a record keeps of payloads. Whether a history is the same never depends on it (R-EV-4).
enum class PayloadMode {
  kDigest,  // size and fingerprint
  kFull,    // the bytes, where there are any
};

// Each fills a message of its own, and leaves nothing of what stood in it. Text must be UTF-8, as
// everything is that an engine accepted; in an event, which may have been refused, what is not
// becomes U+FFFD. Times in the fields of an event must be whole milliseconds
// or saturated ones, as every protocol gives them. A payload without bytes is told by size and
// fingerprint.
void ToProto(const engine::Event& event, log::v1::Event& message);
void ToProto(const engine::Command& command, log::v1::Command& message,
             PayloadMode payloads = PayloadMode::kFull);
// An event without a reply (monostate) gives an empty message, as does a watch over tasks that are
// all unknown.
void ToProto(const engine::Reply& reply, log::v1::Reply& message,
             PayloadMode payloads = PayloadMode::kFull);

// Makes the engine's event of a message, one after the other in the same memory.
class EventReader {
 public:
  EventReader();
  ~EventReader();
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  // The event borrows from this reader: it is valid until the next Read. Numbers and text are taken
  // as they are, since judging them is the engine's task; milliseconds saturate. InvalidArgument:
  // an alternative is missing or a value is unknown. The text names the field by its path in the
  // text form and says what was expected.
  [[nodiscard]] absl::StatusOr<engine::Event> Read(const log::v1::Event& message);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_CONVERT_H_
