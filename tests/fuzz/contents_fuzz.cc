// The contents of a segment's blocks, before they are compressed. The first byte says whether the
// segment has an index. Then comes each block: a byte for its kind, one for how many records it
// claims, two for its size, its content.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/log_file.h"
#include "replay/segment_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kKinds = "HSCIPhscip";
  if (size == 0) return 0;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const bool has_index = (input.front() & 1) != 0;
  input.remove_prefix(1);
  std::vector<blockx::replay::RawBlock> blocks;
  std::int64_t next = 1;
  while (input.size() >= 4) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(input[i]); };
    blockx::replay::RawBlock& block = blocks.emplace_back();
    block.kind = kKinds[byte(0) % kKinds.size()];
    const bool is_chunk = block.kind == 'C' || block.kind == 'c';
    block.records = is_chunk ? byte(1) : 0;
    block.sequence = next + (byte(0) >= 200 ? 1 : 0) - (is_chunk ? 0 : 1);
    next += block.records;
    const std::size_t length = std::min<std::size_t>(byte(2) | byte(3) << 8, input.size() - 4);
    block.content = input.substr(4, length);
    input.remove_prefix(4 + length);
  }
  std::string file = PutTogether(blocks);
  if (!has_index) file.resize(file.size() - 1);
  blockx::fuzz::UseLog(file);
  return 0;
}
