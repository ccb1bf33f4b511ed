#include "blockx/sim/event_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "blockx/sim/random.h"
#include "blockx/sim/sequence_map.h"

namespace blockx::sim {
namespace {

using engine::AtMicroseconds;
using engine::Instant;
using ::testing::ElementsAre;

void Push(EventQueue& queue, std::int64_t at, Rank rank, std::uint32_t index,
          Lane lane = Lane::kNone) {
  const DueKind kind = rank == Rank::kReport ? DueKind::kCall : DueKind::kArrival;
  queue.Push(AtMicroseconds(at), rank, kind, 0, index, 0, lane);
}

// Everything that is left, as (instant, index); a Tick has 1000 + its worker's number.
std::vector<std::pair<std::int64_t, std::uint32_t>> Drain(EventQueue& queue) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> order;
  while (const auto due = queue.PopBefore(Instant::max())) {
    const std::uint32_t index = due->kind == DueKind::kTick ? 1000 + due->owner : due->index;
    order.emplace_back(engine::ToMicroseconds(due->at()), index);
  }
  return order;
}

TEST(EventQueueTest, AtOneInstantReportsComeFirstThenTheTickThenClients) {
  EventQueue queue(1);
  Push(queue, 5, Rank::kClient, 1);
  queue.SetTick(0, AtMicroseconds(5));
  Push(queue, 5, Rank::kReport, 2);
  EXPECT_THAT(Drain(queue), ElementsAre(std::pair(5, 2u), std::pair(5, 1000u), std::pair(5, 1u)));
}

TEST(EventQueueTest, WithinARankTheOrderOfSchedulingCounts) {
  EventQueue queue(1);
  Push(queue, 5, Rank::kReport, 1);
  Push(queue, 5, Rank::kReport, 2, Lane::kExecutorHeartbeats);
  Push(queue, 5, Rank::kReport, 3);
  Push(queue, 4, Rank::kReport, 4, Lane::kExecutorHeartbeats);
  EXPECT_THAT(Drain(queue),
              ElementsAre(std::pair(4, 4u), std::pair(5, 1u), std::pair(5, 2u), std::pair(5, 3u)));
}

TEST(EventQueueTest, WhatIsPastIsDueNowAfterWhatWasDueBefore) {
  EventQueue queue(1);
  Push(queue, 7, Rank::kReport, 1);
  Push(queue, 7, Rank::kReport, 2);
  ASSERT_TRUE(queue.PopBefore(Instant::max()));
  Push(queue, 3, Rank::kReport, 3);
  EXPECT_THAT(Drain(queue), ElementsAre(std::pair(7, 2u), std::pair(7, 3u)));
}

TEST(EventQueueTest, AReportOfTheInstantGoesBeforeAClientThatWaitsForIt) {
  EventQueue queue(1);
  Push(queue, 7, Rank::kClient, 1);
  Push(queue, 7, Rank::kClient, 2);
  ASSERT_TRUE(queue.PopBefore(Instant::max()));
  Push(queue, 7, Rank::kReport, 3);
  EXPECT_THAT(Drain(queue), ElementsAre(std::pair(7, 3u), std::pair(7, 2u)));
}

TEST(EventQueueTest, ATickIsWhereItWasSetLastAndGoesWhenTaken) {
  EventQueue queue(3);
  queue.SetTick(0, AtMicroseconds(9));
  queue.SetTick(1, AtMicroseconds(8));
  queue.SetTick(2, AtMicroseconds(4));
  queue.SetTick(0, AtMicroseconds(8));
  queue.SetTick(2, std::nullopt);
  EXPECT_THAT(Drain(queue), ElementsAre(std::pair(8, 1000u), std::pair(8, 1001u)));
}

TEST(EventQueueTest, NothingIsTakenAtOrAfterTheEnd) {
  EventQueue queue(1);
  Push(queue, 5, Rank::kReport, 1);
  EXPECT_FALSE(queue.PopBefore(AtMicroseconds(5)));
  EXPECT_EQ(queue.now(), AtMicroseconds(0));
  EXPECT_TRUE(queue.PopBefore(AtMicroseconds(6)));
  EXPECT_EQ(queue.now(), AtMicroseconds(5));
}

// Lanes are a matter of speed: the same dues, in lanes or not, leave in the one total order.
TEST(EventQueueTest, TheContainerOfADueDoesNotChangeTheOrder) {
  EventQueue queue(1);
  KeyedStream random({1, 2, Choice::kPlacement, 3});
  std::vector<std::tuple<std::int64_t, Rank, std::uint32_t>> expected;
  std::vector<std::uint32_t> taken;
  std::uint32_t next = 0;
  for (int round = 0; round < 5'000; ++round) {
    for (std::uint64_t n = random.Below(3); n > 0; --n) {
      const std::int64_t at =
          engine::ToMicroseconds(queue.now()) + static_cast<std::int64_t>(random.Below(20));
      const Rank rank = random.Below(2) == 0 ? Rank::kReport : Rank::kClient;
      Push(queue, at, rank, next, static_cast<Lane>(random.Below(4)));
      expected.emplace_back(at, rank, next++);
    }
    const auto due = queue.PopBefore(Instant::max());
    if (!due) continue;
    const auto first = std::ranges::min_element(expected);
    EXPECT_EQ(due->index, std::get<2>(*first));
    expected.erase(first);
  }
}

TEST(IndexedMinTest, FindsTheSmallestOfManyKeysAndOfEqualOnesTheFirst) {
  for (const std::size_t count : {1, 2, 3, 5, 8, 13}) {
    IndexedMin min(count);
    std::vector<std::int64_t> keys(count, IndexedMin::kNoKey);
    KeyedStream random({7, count, Choice::kPlacement, 0});
    for (int round = 0; round < 1'000; ++round) {
      const std::size_t index = random.Below(count);
      keys[index] =
          random.Below(8) == 0 ? IndexedMin::kNoKey : static_cast<std::int64_t>(random.Below(10));
      min.Set(index, keys[index]);
      const auto smallest = std::ranges::min_element(keys);
      ASSERT_EQ(min.min_key(), *smallest);
      ASSERT_EQ(min.min_index(), static_cast<std::size_t>(smallest - keys.begin()));
    }
  }
}

TEST(SequenceMapTest, FindsWhatIsInItAndNothingElse) {
  SequenceMap map;
  for (std::int64_t key = 1; key <= 1'000; ++key) {
    map.Insert(key, static_cast<std::uint32_t>(2 * key));
    if (key % 3 != 0) map.Erase(key - key % 2);
  }
  std::size_t found = 0;
  for (std::int64_t key = 1; key <= 1'001; ++key) {
    const std::uint32_t record = map.Find(key);
    if (record == SequenceMap::kAbsent) continue;
    EXPECT_EQ(record, 2 * key);
    ++found;
  }
  EXPECT_EQ(found, map.size());
}

TEST(SequenceMapTest, AnOldNumberDoesNotHoldThePlaceOfLaterOnes) {
  SequenceMap map;
  map.Insert(1, 17);
  const std::size_t before = map.capacity();
  for (std::int64_t key = 2; key < 1'000'000; ++key) {
    map.Insert(key, 0);
    if (key > 10) map.Erase(key - 8);
  }
  EXPECT_EQ(map.Find(1), 17u);
  EXPECT_EQ(map.capacity(), before);
}

}  // namespace
}  // namespace blockx::sim
