// Lines of the text form, each taken as what it is.
#include <string>
#include <string_view>
#include <variant>

#include "blockx/engine/driver.h"
#include "blockx/engine/step_digest.h"
#include "blockx/replay/brief.h"
#include "blockx/replay/convert.h"
#include "blockx/replay/log_reader.h"
#include "blockx/replay/log_text.h"
#include "blockx/replay/text.h"
#include "fuzz/log_file.h"

namespace {

using blockx::fuzz::Expect;

class SilentWorld final : public blockx::engine::World {
 public:
  void Carry(const blockx::engine::Command&, blockx::engine::Instant) override {}
};

std::uint64_t DigestOf(const blockx::engine::Event& event) {
  return std::visit(
      [](const auto& e) {
        return blockx::engine::ChainDigest(1, blockx::engine::Instant(), e, std::monostate(), {});
      },
      event);
}

void UseRecord(const blockx::replay::InputLine& line, blockx::engine::Driver& driver) {
  std::string outputs;
  const auto record = blockx::replay::RecordOf(line, outputs);
  if (record.ok()) {
    blockx::log::v1::Line again;
    blockx::replay::ToLine(*record, again);
    static_cast<void>(blockx::replay::JsonOf(again));
  }
  blockx::log::v1::Event message;
  blockx::replay::ToProto(line.event, message);
  static_cast<void>(blockx::replay::Brief(message));
  blockx::replay::EventReader reader;
  const auto event = reader.Read(message);
  Expect(event.ok() && DigestOf(*event) == DigestOf(line.event), "an event is its message");
  const blockx::engine::Reply reply = driver.Apply(line.event, line.now);
  blockx::replay::StepWriter writer;
  std::string out;
  writer.Append(driver.sequence(), reply, driver.engine().commands(),
                blockx::replay::StateAfter{driver.engine().NextDeadline(), driver.digest()}, out);
  Expect(!driver.engine().CheckInvariants(), "the engine's invariants");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  blockx::engine::Config config;
  config.task_slots = 3;
  config.executor_count = 2;
  SilentWorld world;
  blockx::engine::Driver driver(blockx::engine::Engine(config), world);
  blockx::replay::LineReader lines;
  while (!input.empty()) {
    const std::string_view text = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(input.size(), text.size() + 1));
    const auto line = lines.Read(text);
    if (!line.ok()) {
      Expect(line.status().message().find('\n') == std::string_view::npos,
             "a complaint is one line");
    } else if (line->message->has_header()) {
      static_cast<void>(blockx::replay::ConfigOf(line->message->header()));
    } else if (line->message->has_snapshot()) {
      const auto snapshot = blockx::replay::SnapshotOf(*line->message);
      if (snapshot.ok())
        static_cast<void>(blockx::engine::Engine::Restore(config, snapshot->state));
    } else {
      UseRecord(*line, driver);
    }
  }
  return 0;
}
