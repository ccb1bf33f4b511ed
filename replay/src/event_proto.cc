#include <string>
#include <utility>

#include "absl/status/status.h"
#include "blockx/replay/convert.h"
#include "event_codec.h"

namespace blockx::replay {

void ToProto(const engine::Event& event, log::v1::Event& message) {
  std::string bytes;
  WireWriter wire(bytes);
  EncodeEvent(event, PayloadMode::kFull, wire, TextMode::kUtf8);
  message.ParseFromString(bytes);
}

struct EventReader::Memory {
  std::string bytes;
  EventLists lists;
};

EventReader::EventReader() : memory_(std::make_unique<Memory>()) {}
EventReader::~EventReader() = default;

absl::StatusOr<engine::Event> EventReader::Read(const log::v1::Event& message) {
  message.SerializeToString(&memory_->bytes);
  engine::Event event;
  std::string problem;
  if (!DecodeEvent(memory_->bytes, memory_->lists, event, problem)) {
    return absl::InvalidArgumentError(problem);
  }
  return event;
}

}  // namespace blockx::replay
