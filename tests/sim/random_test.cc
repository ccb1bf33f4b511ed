#include "blockx/sim/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace blockx::sim {
namespace {

constexpr Key kSomeKey{.seed = 42, .entity = 7, .choice = Choice::kCallDuration, .n = 3};

// The sum of (observed - expected)^2 / expected over 256 classes: mean 255, standard
// deviation 22.6.
double ChiSquare(const std::array<std::uint64_t, 256>& observed, double total) {
  const double expected = total / 256;
  double sum = 0;
  for (const std::uint64_t count : observed) {
    const double distance = static_cast<double>(count) - expected;
    sum += distance * distance / expected;
  }
  return sum;
}

constexpr double kChiSquareMin = 170;
constexpr double kChiSquareMax = 360;

// Checks each byte of the words of 2^17 keys that differ in one component only.
void ExpectEvenBytes(const std::function<Key(std::uint64_t)>& key) {
  constexpr std::uint64_t kKeys = 1 << 17;
  std::array<std::array<std::uint64_t, 256>, 8> counts{};
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    const std::uint64_t word = WordOf(key(i));
    for (std::size_t byte = 0; byte < 8; ++byte) ++counts[byte][(word >> (8 * byte)) & 0xff];
  }
  for (std::size_t byte = 0; byte < 8; ++byte) {
    const double chi_square = ChiSquare(counts[byte], kKeys);
    EXPECT_GT(chi_square, kChiSquareMin) << "byte " << byte;
    EXPECT_LT(chi_square, kChiSquareMax) << "byte " << byte;
  }
}

TEST(RandomTest, BytesAreEvenAlongTheOrdinal) {
  ExpectEvenBytes([](std::uint64_t i) { return Key{1, 0, Choice::kArrivalGap, i}; });
}

TEST(RandomTest, BytesAreEvenAlongTheEntity) {
  ExpectEvenBytes([](std::uint64_t i) { return Key{1, i, Choice::kArrivalGap, 0}; });
}

TEST(RandomTest, BytesAreEvenAlongTheSeed) {
  ExpectEvenBytes([](std::uint64_t i) { return Key{i, 0, Choice::kArrivalGap, 0}; });
}

TEST(RandomTest, BytesAreEvenAlongTheChoice) {
  ExpectEvenBytes([](std::uint64_t i) { return Key{1, 0, static_cast<Choice>(i), 0}; });
}

TEST(RandomTest, BytesAreEvenAlongTheOrdinalsOfNestedEntities) {
  ExpectEvenBytes([](std::uint64_t i) {
    return Key{1, EntityWithin(EntityWithin(0, i / 4), i % 4), Choice::kCallDuration, 0};
  });
}

TEST(RandomTest, BytesAreEvenWithinAStream) {
  KeyedStream stream(kSomeKey);
  std::array<std::uint64_t, 256> counts{};
  for (int i = 0; i < (1 << 17); ++i) ++counts[stream.NextWord() >> 56];
  EXPECT_GT(ChiSquare(counts, 1 << 17), kChiSquareMin);
  EXPECT_LT(ChiSquare(counts, 1 << 17), kChiSquareMax);
}

TEST(RandomTest, OneBitOfTheKeyFlipsHalfOfTheWord) {
  for (int bit = 0; bit < 64; ++bit) {
    std::array<int, 3> flipped{};
    constexpr int kKeys = 2000;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      const Key key{i, i * 3 + 1, Choice::kBuilder, i * 5 + 2};
      std::array<Key, 3> others{key, key, key};
      others[0].seed ^= std::uint64_t{1} << bit;
      others[1].entity ^= std::uint64_t{1} << bit;
      others[2].n ^= std::uint64_t{1} << bit;
      for (std::size_t which = 0; which < 3; ++which) {
        flipped[which] += std::popcount(WordOf(key) ^ WordOf(others[which]));
      }
    }
    // Mean 32 with a standard deviation of 4 / sqrt(2000) = 0.09.
    for (const int sum : flipped)
      EXPECT_NEAR(static_cast<double>(sum) / kKeys, 32, 0.5) << "bit " << bit;
  }
}

TEST(RandomTest, NeighbouringKeysAreUncorrelated) {
  constexpr int kPairs = 200'000;
  double ordinals = 0;
  double entities = 0;
  double choices = 0;
  for (std::uint64_t i = 0; i < kPairs; ++i) {
    const auto centred = [](std::uint64_t entity, Choice choice, std::uint64_t n) {
      return KeyedStream({9, entity, choice, n}).NextUnit() - 0.5;
    };
    const double here = centred(5, Choice::kBuilder, i);
    ordinals += here * centred(5, Choice::kBuilder, i + 1);
    entities += here * centred(6, Choice::kBuilder, i);
    choices += here * centred(5, Choice::kWriter, i);
  }
  // Each product has variance 1/144; six standard deviations of the mean.
  const double allowed = 6.0 / 12 / std::sqrt(kPairs);
  EXPECT_NEAR(ordinals / kPairs, 0, allowed);
  EXPECT_NEAR(entities / kPairs, 0, allowed);
  EXPECT_NEAR(choices / kPairs, 0, allowed);
}

TEST(RandomTest, KeysOfOneScenarioDoNotCollide) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t entity = 0; entity < 100; ++entity) {
    for (std::uint64_t n = 0; n < 1000; ++n) {
      words.push_back(WordOf({1, entity, Choice::kBuilder, n}));
      words.push_back(WordOf({1, entity, Choice::kWriter, n}));
      words.push_back(WordOf({2, entity, Choice::kBuilder, n}));
    }
  }
  std::ranges::sort(words);
  EXPECT_EQ(std::ranges::adjacent_find(words), words.end());
}

TEST(RandomTest, EntityWithinTellsParentFromChild) {
  EXPECT_NE(EntityWithin(1, 2), EntityWithin(2, 1));
  EXPECT_NE(EntityWithin(EntityWithin(0, 1), 2), EntityWithin(0, EntityWithin(1, 2)));
}

TEST(RandomTest, ACopyOfAStreamRepeatsTheFutureOfTheOriginal) {
  KeyedStream stream(kSomeKey);
  (void)stream.NextWord();
  KeyedStream copy = stream;
  EXPECT_EQ(stream.NextWord(), copy.NextWord());
  EXPECT_EQ(stream.NextWord(), copy.NextWord());
}

TEST(RandomTest, UnitsLieAboveZeroUpToOneWithTheMomentsOfTheUniform) {
  KeyedStream stream(kSomeKey);
  constexpr int kDraws = 1'000'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double unit = stream.NextUnit();
    ASSERT_GT(unit, 0);
    ASSERT_LE(unit, 1);
    sum += unit;
    squares += unit * unit;
  }
  EXPECT_NEAR(sum / kDraws, 1.0 / 2, 0.0015);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 0.0015);
}

TEST(RandomTest, BelowIsEvenAndStaysBelow) {
  KeyedStream stream(kSomeKey);
  std::array<int, 6> counts{};
  constexpr int kDraws = 600'000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t drawn = stream.Below(6);
    ASSERT_LT(drawn, 6u);
    ++counts[drawn];
  }
  // Standard deviation 289; five of them.
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 6, 1450);
  EXPECT_EQ(stream.Below(1), 0u);
}

TEST(RandomTest, BelowIsUnbiasedAlsoForHugeRanges) {
  // With 3/4 of 2^64, a plain product would give the results divisible by three twice as often.
  KeyedStream stream(kSomeKey);
  constexpr std::uint64_t kRange = std::uint64_t{3} << 62;
  constexpr int kDraws = 300'000;
  int divisible = 0;
  for (int i = 0; i < kDraws; ++i) divisible += stream.Below(kRange) % 3 == 0 ? 1 : 0;
  EXPECT_NEAR(divisible, kDraws / 3, 1300);
}

// Every digest of a simulation rests on these words: changing them changes all recorded results.
TEST(RandomTest, WordsAreTheRecordedOnes) {
  EXPECT_EQ(WordOf(kSomeKey), 0xb8862f85159c9f8au);
  EXPECT_EQ(WordOf({}), 0x19ee890b4f66d002u);
  EXPECT_EQ(EntityNamed("requests"), 0xf6c0520bde9cc7eu);
  EXPECT_EQ(WordOf({1, 0, Choice::kArrivalGap, 0}), 0xb98839ad34aa1832u);
  EXPECT_EQ(WordOf({1, 0, Choice::kArrivalGap, 1}), 0x1c6d2ca4a0480357u);
  EXPECT_EQ(EntityWithin(1, 2), 0xa3b7d77113da3e7u);
  KeyedStream stream(kSomeKey);
  (void)stream.NextWord();
  EXPECT_EQ(stream.NextWord(), 0x1c0b01a14974f9e2u);
  EXPECT_EQ(stream.NextUnit(), 0x1.ceda24426d89p-4);
  EXPECT_EQ(stream.Below(1'000'000), 858'884u);
}

}  // namespace
}  // namespace blockx::sim
