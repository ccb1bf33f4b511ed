#ifndef BLOCKX_ENGINE_FINGERPRINT_H_
#define BLOCKX_ENGINE_FINGERPRINT_H_

#include <cstdint>
#include <cstring>
#include <string_view>

namespace blockx::engine {

// Folds values into 64 bits, the same on every machine and with every compiler; the definition is
// part of the event log's format. Words are mixed in by a 64 x 64 -> 128 bit multiplication whose
// halves are xored (the step of Wang Yi's wyhash). Text adds a multiple of its length to the state,
// then its little-endian words in pairs, zero-padded at the end, at least one pair. It finds
// accidents, not forgers.
class Fingerprint {
 public:
  constexpr Fingerprint() = default;
  constexpr explicit Fingerprint(std::uint64_t start) : state_(start) {}

  constexpr void Add(std::uint64_t word) { state_ = Mix(word ^ kSecret1, state_ ^ kSecret0); }
  constexpr void Add(std::uint64_t first, std::uint64_t second) {  // both at the price of one
    state_ = Mix(first ^ kSecret1, second ^ state_ ^ kSecret2);
  }
  void Add(std::string_view text) {
    state_ += text.size() * kSecret0;
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left > 16; at += 16, left -= 16) Add(LoadWord(at), LoadWord(at + 8));
    if (left > 8) {
      // The second word overlaps the first: no byte beyond the text is read, and none is copied.
      Add(LoadWord(at), LoadWord(at + left - 8) >> (8 * (16 - left)));
    } else {
      Add(LoadPartial(at, left), 0);
    }
  }
  [[nodiscard]] constexpr std::uint64_t value() const { return state_; }

  [[nodiscard]] static std::uint64_t Of(std::string_view text) {
    Fingerprint fingerprint;
    fingerprint.Add(text);
    return fingerprint.value();
  }

 private:
  static constexpr std::uint64_t kSecret0 = 0xa0761d6478bd642f;
  static constexpr std::uint64_t kSecret1 = 0xe7037ed1a0b428db;
  static constexpr std::uint64_t kSecret2 = 0x8ebc6af09c88c6e3;

  static constexpr std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  template <class Word>
  static std::uint64_t Load(const char* from) {
    Word word = 0;
    std::memcpy(&word, from, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = sizeof(Word) == 8 ? __builtin_bswap64(word) : __builtin_bswap32(word);
#endif
    return word;
  }
  static std::uint64_t LoadWord(const char* from) { return Load<std::uint64_t>(from); }
  // 0 to 8 bytes, zero-padded. Overlapping halves here too.
  static std::uint64_t LoadPartial(const char* from, std::size_t bytes) {
    if (bytes >= 4) {
      const std::uint64_t high = Load<std::uint32_t>(from + bytes - 4) >> (8 * (8 - bytes));
      return Load<std::uint32_t>(from) | high << 32;
    }
    if (bytes == 0) return 0;
    const auto byte = [from](std::size_t i) {
      return std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
    };
    return byte(0) | byte(bytes / 2) | byte(bytes - 1);
  }

  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_FINGERPRINT_H_
