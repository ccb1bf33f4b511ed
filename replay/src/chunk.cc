#include "chunk.h"

#include <utility>

namespace blockx::replay {

void ChunkBuilder::Add(std::uint64_t sequence, engine::Instant now, const engine::Event& event,
                       std::uint64_t digest, std::string_view outputs) {
  const std::int64_t now_us = engine::ToMicroseconds(now);
  if (empty()) {
    header_.sequence = static_cast<std::int64_t>(sequence);
    header_.now_us = now_us;
    last_now_us_ = now_us;
  }
  WireWriter wire(content_);
  wire.Message(1, [&] {
    // Wraps around where it overflows, and back when it is added.
    wire.Zigzag(1, static_cast<std::int64_t>(static_cast<std::uint64_t>(now_us) -
                                             static_cast<std::uint64_t>(last_now_us_)));
    wire.Fixed64(2, digest);
    wire.Message(3, [&] { EncodeEvent(event, payloads_, wire); });
    content_.append(outputs);
  });
  last_now_us_ = now_us;
  ++header_.records;
}

void ChunkBuilder::Take(std::string& memory) {
  std::swap(content_, memory);
  content_.clear();
  header_ = BlockHeader();
}

void ChunkReader::Start(const BlockHeader& header, std::string& content) {
  std::swap(content_, content);
  wire_ = WireReader(content_);
  records_left_ = header.records;
  sequence_ = static_cast<std::uint64_t>(header.sequence);
  now_us_ = header.now_us;
}

bool ChunkReader::Next(Record& record, std::string& problem) {
  if (!wire_.Has(1, WireType::kBytes)) {
    problem = "a record is missing";
    return false;
  }
  WireReader fields(wire_.Bytes());
  std::int64_t since_previous_us = 0;
  fields.Zigzag(1, since_previous_us);
  fields.Fixed64(2, record.digest);
  std::string_view event;
  fields.TextAlways(3, event);
  record.outputs = fields.Rest();
  if (!fields.ok() || !wire_.ok()) {
    problem = "its bytes are not those of a record";
    return false;
  }
  if (!DecodeEvent(event, lists_, record.event, problem)) return false;
  now_us_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(now_us_) +
                                      static_cast<std::uint64_t>(since_previous_us));
  record.now = engine::AtMicroseconds(now_us_);
  record.sequence = sequence_++;
  record.size = event.size();
  if (--records_left_ == 0 && !wire_.at_end()) {
    problem = "after it the chunk has more than it says";
    return false;
  }
  return true;
}

}  // namespace blockx::replay
