// Protobuf's wire format, written and read by hand: records are many, and they go through here on
// an engine's own thread. What is written is what the generated code would write (fields in the
// order of their numbers, defaults left out), and only that is read: anything else is damage.
#ifndef BLOCKX_REPLAY_SRC_WIRE_H_
#define BLOCKX_REPLAY_SRC_WIRE_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace blockx::replay {

enum class WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2 };

// Appends fields. Numbers are written as int64 messages have them: in two's complement.
class WireWriter {
 public:
  static constexpr bool kWrites = true;

  explicit WireWriter(std::string& out) : out_(out) {}

  void Number(int field, std::int64_t value) {
    if (value == 0) return;
    Tag(field, WireType::kVarint);
    Varint(static_cast<std::uint64_t>(value));
  }
  void Zigzag(int field, std::int64_t value) {
    Number(field, static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 1 ^
                                            static_cast<std::uint64_t>(value >> 63)));
  }
  void Flag(int field, bool value) { Number(field, value ? 1 : 0); }
  void Fixed64(int field, std::uint64_t value) {
    if (value == 0) return;
    Tag(field, WireType::kFixed64);
    static_assert(std::endian::native == std::endian::little);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof bytes);
  }
  void Text(int field, std::string_view text) {
    if (!text.empty()) TextAlways(field, text);
  }
  // A member of a oneof is there even when it is empty.
  void TextAlways(int field, std::string_view text) {
    Tag(field, WireType::kBytes);
    Varint(text.size());
    out_.append(text);
  }
  // `fill` appends the message's fields. Most are shorter than 128 bytes: one byte is kept for the
  // length, and a longer one moves what follows.
  template <class Fill>
  void Message(int field, Fill fill) {
    Tag(field, WireType::kBytes);
    const std::size_t at = out_.size();
    out_.push_back('\0');
    fill();
    const std::size_t size = out_.size() - at - 1;
    if (size < 0x80) {
      out_[at] = static_cast<char>(size);
      return;
    }
    std::string length;
    WireWriter(length).Varint(size);
    out_.replace(at, 1, length);
  }

  void Varint(std::uint64_t word) {
    for (; word >= 0x80; word >>= 7) out_.push_back(static_cast<char>(word | 0x80));
    out_.push_back(static_cast<char>(word));
  }

 private:
  void Tag(int field, WireType type) {
    Varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
  }

  std::string& out_;
};

// Reads fields in the order in which they were written. After the first thing that does not fit,
// everything reads as nothing and ok() is false. Text borrows from the bytes.
class WireReader {
 public:
  static constexpr bool kWrites = false;

  explicit WireReader(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  void Number(int field, std::int64_t& value) {
    value = Has(field, WireType::kVarint) ? static_cast<std::int64_t>(NonZero()) : 0;
  }
  void Zigzag(int field, std::int64_t& value) {
    std::int64_t coded = 0;
    Number(field, coded);
    const auto word = static_cast<std::uint64_t>(coded);
    value = static_cast<std::int64_t>(word >> 1 ^ (~(word & 1) + 1));
  }
  void Flag(int field, bool& value) {
    std::int64_t number = 0;
    Number(field, number);
    value = number != 0;
    if (number > 1 || number < 0) Refuse();
  }
  void Fixed64(int field, std::uint64_t& value) {
    value = 0;
    if (!Has(field, WireType::kFixed64)) return;
    if (end_ - at_ < static_cast<std::ptrdiff_t>(sizeof value)) return Refuse();
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    if (value == 0) Refuse();
  }
  void Text(int field, std::string_view& text) {
    text = {};
    if (!Has(field, WireType::kBytes)) return;
    text = Bytes();
    if (text.empty()) Refuse();
  }
  void TextAlways(int field, std::string_view& text) {
    text = Has(field, WireType::kBytes) ? Bytes() : std::string_view();
  }
  // Whether the next field is this one; then its tag is passed.
  bool Has(int field, WireType type) {
    const std::uint64_t tag =
        static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type);
    const char* const before = at_;
    if (at_ == end_ || !ok_) return false;
    if (tag < 0x80) {
      if (static_cast<unsigned char>(*at_) != tag) return false;
      ++at_;
      return true;
    }
    if (Varint() == tag && ok_) return true;
    at_ = before;
    ok_ = true;
    return false;
  }
  // The bytes of a length-delimited field whose tag was passed.
  std::string_view Bytes() {
    const std::uint64_t size = Varint();
    if (size > static_cast<std::uint64_t>(end_ - at_)) {
      Refuse();
      return {};
    }
    const std::string_view bytes(at_, static_cast<std::size_t>(size));
    at_ += size;
    return bytes;
  }
  std::uint64_t Varint() {
    std::uint64_t word = 0;
    for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      word |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) {
        if ((byte == 0 && shift > 0) || (byte > 1 && shift == 63)) break;  // Not as it is written.
        return word;
      }
    }
    Refuse();
    return 0;
  }

  // All that was not read yet; then this is at its end.
  std::string_view Rest() {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    at_ = end_;
    return rest;
  }

  void Refuse() {
    ok_ = false;
    at_ = end_;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return at_ == end_; }

 private:
  std::uint64_t NonZero() {
    const std::uint64_t word = Varint();
    if (word == 0) Refuse();
    return word;
  }

  const char* at_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_SRC_WIRE_H_
