// The engine's types as messages of blockx/proto/event_log.proto, and events back: the one
// conversion, for the text form and for logs alike.
#ifndef BLOCKX_REPLAY_CONVERT_H_
#define BLOCKX_REPLAY_CONVERT_H_

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "blockx/engine/commands.h"
#include "blockx/engine/events.h"
#include "blockx/engine/replies.h"
#include "blockx/proto/event_log.pb.h"

namespace blockx::replay {

// Each fills a message of its own, and leaves nothing of what stood in it. Text must be UTF-8, as
// everything is that an engine accepted. Times in the fields of an event must be whole milliseconds
// or saturated ones, as every protocol gives them. A payload whose bytes were left out has none in
// the message either.
void ToProto(const engine::Event& event, log::v1::Event& message);
void ToProto(const engine::Command& command, log::v1::Command& message);
// An event without a reply (monostate) gives an empty message, as does a watch over tasks that are
// all unknown.
void ToProto(const engine::Reply& reply, log::v1::Reply& message);

// Makes the engine's event of a message. It keeps the lists that the event points to, so that
// reading one event after the other allocates nothing for them.
class EventReader {
 public:
  // The event borrows the message's text and this reader's lists: it is valid until either changes.
  // Numbers and text are taken as they are, since judging them is the engine's task; milliseconds
  // saturate. InvalidArgument: an alternative is missing or a value is unknown. The text names the
  // field by its path in the text form and says what was expected.
  [[nodiscard]] absl::StatusOr<engine::Event> Read(const log::v1::Event& message);

 private:
  absl::StatusOr<engine::Event> Read(const log::v1::SubmitTask& message);
  absl::StatusOr<engine::Event> Read(const log::v1::BuilderFinished& message);
  engine::Event Read(const log::v1::OpenWatch& message);
  engine::Event Read(const log::v1::CallsAppended& message);
  std::span<const engine::CallSpec> ReadCalls(
      const google::protobuf::RepeatedPtrField<log::v1::Call>& calls);

  std::vector<std::string_view> task_ids_;
  std::vector<engine::CallSpec> calls_;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_CONVERT_H_
