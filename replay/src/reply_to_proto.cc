#include <variant>

#include "blockx/engine/names.h"
#include "blockx/replay/convert.h"
#include "convert_parts.h"
#include "output_parts.h"

namespace blockx::replay {
namespace {

log::v1::ErrorCode::Value CodeOf(engine::ErrorCode code) {
  switch (code) {
    case engine::ErrorCode::kInvalidArgument:
      return log::v1::ErrorCode::INVALID_ARGUMENT;
    case engine::ErrorCode::kNoSlot:
      return log::v1::ErrorCode::NO_SLOT;
    case engine::ErrorCode::kUnavailable:
      return log::v1::ErrorCode::UNAVAILABLE;
    case engine::ErrorCode::kInvalidSlot:
      return log::v1::ErrorCode::INVALID_SLOT;
    case engine::ErrorCode::kNotFound:
      return log::v1::ErrorCode::NOT_FOUND;
    case engine::ErrorCode::kSlotUncertain:
      return log::v1::ErrorCode::SLOT_UNCERTAIN;
  }
  return log::v1::ErrorCode::UNSPECIFIED;
}

void Fill(const engine::TaskView& view, PayloadMode payloads, log::v1::Task& message) {
  message.set_task_id(Text(view.task_id));
  message.set_state(StateOf(view.state));
  if (view.slot) message.set_slot_id(SlotId(*view.slot));
  if (view.phase) message.set_phase(PhaseOf(*view.phase));
  if (view.lease_expires_at) {
    message.set_lease_expires_at_us(engine::ToMicroseconds(*view.lease_expires_at));
  }
  if (view.result != nullptr) SetResult(*view.result, payloads, *message.mutable_result());
}

}  // namespace

void ToProto(const engine::Reply& reply, log::v1::Reply& message, PayloadMode payloads) {
  message.Clear();
  std::visit(
      Overloaded{
          [](std::monostate) {},
          [&](const engine::Error& error) {
            message.mutable_error()->set_code(CodeOf(error.code));
            message.mutable_error()->set_message(Text(error.message));
          },
          [&](const engine::TaskView& view) { Fill(view, payloads, *message.mutable_task()); },
          [&](const engine::WatchView& view) {
            for (const engine::TaskView& task : view.tasks)
              Fill(task, payloads, *message.add_tasks());
          },
      },
      reply);
}

}  // namespace blockx::replay
