#include "blockx/engine/fingerprint.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "blockx/engine/payload.h"

namespace blockx::engine {
namespace {

constexpr std::string_view kText = "abcdefghijklmnopqrstuvwxyz";

// The halves of a 128-bit product, xored; without a 128-bit type.
std::uint64_t Folded(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a_low = a & 0xffffffff;
  const std::uint64_t a_high = a >> 32;
  const std::uint64_t b_low = b & 0xffffffff;
  const std::uint64_t b_high = b >> 32;
  const std::uint64_t low = a_low * b_low;
  const std::uint64_t middle = a_high * b_low + (low >> 32);
  const std::uint64_t carried = a_low * b_high + (middle & 0xffffffff);
  const std::uint64_t high = a_high * b_high + (middle >> 32) + (carried >> 32);
  return high ^ (a * b);
}

// Where a text of that length starts from.
std::uint64_t StateForLength(std::size_t length) {
  return 0x9e3779b97f4a7c15 + length * 0xa0761d6478bd642f;
}

TEST(FingerprintTest, AWordIsMixedByItsDefinition) {
  Fingerprint fingerprint(1);
  std::uint64_t expected = 1;
  for (const std::uint64_t word :
       {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{0x0123456789abcdef}}) {
    fingerprint.Add(word);
    expected = Folded(word ^ 0xe7037ed1a0b428db, expected ^ 0xa0761d6478bd642f);
    EXPECT_EQ(fingerprint.value(), expected);
  }
}

TEST(FingerprintTest, APairIsMixedByItsDefinition) {
  Fingerprint fingerprint(7);
  fingerprint.Add(0x0123456789abcdef, 0xfedcba9876543210);
  EXPECT_EQ(fingerprint.value(), Folded(0x0123456789abcdef ^ 0xe7037ed1a0b428db,
                                        0xfedcba9876543210 ^ 7 ^ 0x8ebc6af09c88c6e3));
}

TEST(FingerprintTest, TextIsItsLengthThenPairsOfLittleEndianWords) {
  Fingerprint expected(StateForLength(19));
  expected.Add(0x6867666564636261, 0x706f6e6d6c6b6a69);  // "abcdefgh", "ijklmnop"
  expected.Add(0x737271, 0);                             // "qrs"
  EXPECT_EQ(Fingerprint::Of("abcdefghijklmnopqrs"), expected.value());
}

TEST(FingerprintTest, EachLengthOfTheTailIsPaddedWithZeros) {
  for (std::size_t length = 1; length <= 16; ++length) {
    std::uint64_t words[2] = {0, 0};
    for (std::size_t i = 0; i < length; ++i) {
      words[i / 8] |= std::uint64_t{static_cast<unsigned char>(kText[i])} << (8 * (i % 8));
    }
    Fingerprint expected(StateForLength(length));
    expected.Add(words[0], words[1]);
    EXPECT_EQ(Fingerprint::Of(kText.substr(0, length)), expected.value()) << length;
  }
}

TEST(FingerprintTest, BytesAboveAsciiAreUnsigned) {
  Fingerprint expected(StateForLength(2));
  expected.Add(0xff80, 0);
  EXPECT_EQ(Fingerprint::Of("\x80\xff"), expected.value());
}

TEST(FingerprintTest, EachLengthOfTheTailDiffers) {
  std::set<std::uint64_t> seen;
  for (std::size_t length = 0; length <= kText.size(); ++length)
    seen.insert(Fingerprint::Of(kText.substr(0, length)));
  EXPECT_EQ(seen.size(), kText.size() + 1);
}

TEST(FingerprintTest, ZeroBytesAtTheEndCount) {
  EXPECT_NE(Fingerprint::Of(std::string_view("a", 1)), Fingerprint::Of(std::string_view("a\0", 2)));
  EXPECT_NE(Fingerprint::Of(""), Fingerprint::Of(std::string_view("\0", 1)));
}

TEST(FingerprintTest, EachChangedByteChangesIt) {
  for (std::size_t at = 0; at < kText.size(); ++at) {
    std::string changed(kText);
    changed[at] ^= 1;
    EXPECT_NE(Fingerprint::Of(changed), Fingerprint::Of(kText)) << at;
  }
}

TEST(FingerprintTest, TheOrderOfTextsCounts) {
  Fingerprint one;
  one.Add("ab");
  one.Add("c");
  Fingerprint other;
  other.Add("a");
  other.Add("bc");
  EXPECT_NE(one.value(), other.value());
}

TEST(FingerprintTest, WhereTheTextLiesDoesNotMatter) {
  const std::string shifted = "x" + std::string(kText);
  EXPECT_EQ(Fingerprint::Of(std::string_view(shifted).substr(1)), Fingerprint::Of(kText));
}

// Event logs hold these: a change of the definition is a change of their format.
TEST(FingerprintTest, GoldenValues) {
  EXPECT_EQ(Fingerprint().value(), 0x9e3779b97f4a7c15U);
  EXPECT_EQ(Fingerprint::Of(""), 0x9bc1245d9c0a6f96U);
  EXPECT_EQ(Fingerprint::Of("a"), 0xc7bf20c7cccf8a6fU);
  EXPECT_EQ(Fingerprint::Of("abc"), 0x31906b5a384d10b4U);
  EXPECT_EQ(Fingerprint::Of("abcdefg"), 0x2357c6075ed9da07U);
  EXPECT_EQ(Fingerprint::Of("abcdefgh"), 0xaf928af282387918U);
  EXPECT_EQ(Fingerprint::Of("abcdefghi"), 0xed9195b2081521ebU);
  EXPECT_EQ(Fingerprint::Of("abcdefghijklmnop"), 0xd7c8f82c1424bf10U);
  EXPECT_EQ(Fingerprint::Of(kText), 0x6baccf38c63368feU);
}

TEST(PayloadTest, R_EV_4_APayloadHasItsSizeAndFingerprint) {
  const Payload payload = Payload::FromBytes("abc");
  EXPECT_EQ(payload.size(), 3U);
  EXPECT_EQ(payload.fingerprint(), Fingerprint::Of("abc"));
  EXPECT_EQ(*payload.bytes(), "abc");
}

TEST(PayloadTest, R_EV_4_APayloadLeftOutHasNoBytes) {
  const Payload payload = Payload::LeftOut(3, 7);
  EXPECT_EQ(payload.size(), 3U);
  EXPECT_EQ(payload.fingerprint(), 7U);
  EXPECT_EQ(payload.bytes(), nullptr);
}

TEST(PayloadTest, NoBytesAreTheEmptyPayload) {
  EXPECT_EQ(Payload::FromBytes("").size(), 0U);
  EXPECT_EQ(Payload::FromBytes("").fingerprint(), Payload().fingerprint());
  EXPECT_EQ(Payload::FromBytes("").bytes(), nullptr);
}

TEST(PayloadTest, CopiesShareTheirBytes) {
  const Payload payload = Payload::FromBytes("abc");
  const Payload copy =
      payload;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the subject
  EXPECT_EQ(copy.bytes(), payload.bytes());
}

}  // namespace
}  // namespace blockx::engine
