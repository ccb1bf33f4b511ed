// A segment's file as it is. Checksums are set right first, or nothing behind them would be
// reached.
#include <xxhash.h>

#include <cstring>
#include <string>

#include "fuzz/log_file.h"

namespace {

constexpr std::string_view kMarker =
    "\xB1\x0C"
    "BLX\x1A\r\n";

void SetChecksums(std::string& file) {
  for (std::size_t at = file.find(kMarker); at != std::string::npos;
       at = file.find(kMarker, at + 1)) {
    if (file.size() - at < 48) return;
    std::uint32_t frame_size = 0;
    std::memcpy(&frame_size, file.data() + at + 12, sizeof frame_size);
    if (frame_size > file.size() - at - 48) continue;
    const char* const head = file.data() + at;
    const std::uint64_t checksum =
        XXH3_64bits_withSeed(head + 48, frame_size, XXH3_64bits(head, 40));
    std::memcpy(file.data() + at + 40, &checksum, sizeof checksum);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  blockx::fuzz::UseLog(file);
  SetChecksums(file);
  blockx::fuzz::UseLog(file);
  return 0;
}
