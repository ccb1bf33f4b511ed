// What the fuzz programs share: a log of one segment in memory, and all that one can do with a log.
#ifndef BLOCKX_TESTS_FUZZ_LOG_FILE_H_
#define BLOCKX_TESTS_FUZZ_LOG_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace blockx::fuzz {

// Ends the program when a promise is broken.
void Expect(bool holds, const char* promise);

// Reads it through, seeks in it, and plays it.
void UseLog(std::string_view segment);

}  // namespace blockx::fuzz

#endif  // BLOCKX_TESTS_FUZZ_LOG_FILE_H_
