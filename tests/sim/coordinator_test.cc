#include "blockx/sim/coordinator.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace blockx::sim {
namespace {

engine::Heartbeat WithFreeSlots(std::int64_t free_slots) {
  engine::Heartbeat heartbeat;
  heartbeat.free_slots = free_slots;
  return heartbeat;
}

constexpr std::uint64_t kSeed = 5;

TEST(CoordinatorTest, KnowsOnlyWorkersThatHavePublishedAndNotWithdrawn) {
  Coordinator coordinator(CoordinatorPolicy::kLeastLoaded, kSeed, 3);
  EXPECT_EQ(coordinator.Choose(1, 1), std::nullopt);
  coordinator.Publish(2, WithFreeSlots(1));
  EXPECT_EQ(coordinator.Choose(1, 1), 2u);
  coordinator.Publish(1, WithFreeSlots(9));
  EXPECT_EQ(coordinator.Choose(1, 1), 1u);
  coordinator.Withdraw(1);
  EXPECT_EQ(coordinator.Choose(1, 1), 2u);
  EXPECT_EQ(coordinator.registered(), 1u);
}

TEST(CoordinatorTest, LeastLoadedTakesMostFreeSlotsAndOfEqualsTheLowestNumber) {
  Coordinator coordinator(CoordinatorPolicy::kLeastLoaded, kSeed, 3);
  for (const std::uint32_t worker : {2u, 0u, 1u}) coordinator.Publish(worker, WithFreeSlots(4));
  EXPECT_EQ(coordinator.Choose(1, 1), 0u);
  coordinator.Publish(1, WithFreeSlots(5));
  EXPECT_EQ(coordinator.Choose(1, 1), 1u);
}

TEST(CoordinatorTest, ItsViewIsTheLastHeartbeatHoweverManyTasksItHasSent) {
  Coordinator coordinator(CoordinatorPolicy::kLeastLoaded, kSeed, 2);
  coordinator.Publish(0, WithFreeSlots(1));
  coordinator.Publish(1, WithFreeSlots(2));
  for (std::uint64_t task = 0; task < 10; ++task) EXPECT_EQ(coordinator.Choose(task, 1), 1u);
}

TEST(CoordinatorTest, AFullWorkerIsStillAskedWhenNoneLooksBetter) {
  Coordinator coordinator(CoordinatorPolicy::kLeastLoaded, kSeed, 1);
  coordinator.Publish(0, WithFreeSlots(0));
  EXPECT_EQ(coordinator.Choose(1, 1), 0u);
}

TEST(CoordinatorTest, RoundRobinTakesTurnsAmongTheRegistered) {
  Coordinator coordinator(CoordinatorPolicy::kRoundRobin, kSeed, 4);
  for (const std::uint32_t worker : {0u, 1u, 3u}) coordinator.Publish(worker, WithFreeSlots(1));
  for (const std::uint32_t expected : {0u, 1u, 3u, 0u, 1u, 3u}) {
    EXPECT_EQ(coordinator.Choose(1, 1), expected);
  }
}

TEST(CoordinatorTest, RandomTakesEachAboutEquallyOften) {
  Coordinator coordinator(CoordinatorPolicy::kRandom, kSeed, 4);
  for (std::uint32_t worker = 0; worker < 4; ++worker) {
    coordinator.Publish(worker, WithFreeSlots(worker));
  }
  std::array<int, 4> chosen{};
  for (std::uint64_t task = 0; task < 40'000; ++task) ++chosen.at(*coordinator.Choose(task, 1));
  // Standard deviation of each: sqrt(40000 * 1/4 * 3/4) = 87.
  for (const int count : chosen) EXPECT_NEAR(count, 10'000, 350);
}

TEST(CoordinatorTest, PowerOfTwoTakesTheBetterOfTwoSoTheWorstNever) {
  Coordinator coordinator(CoordinatorPolicy::kPowerOfTwo, kSeed, 4);
  for (std::uint32_t worker = 0; worker < 4; ++worker) {
    coordinator.Publish(worker, WithFreeSlots(worker));
  }
  std::array<int, 4> chosen{};
  for (std::uint64_t task = 0; task < 60'000; ++task) ++chosen.at(*coordinator.Choose(task, 1));
  // Of the six pairs worker 3 wins three, worker 2 two, worker 1 one.
  EXPECT_EQ(chosen[0], 0);
  EXPECT_NEAR(chosen[1], 10'000, 400);
  EXPECT_NEAR(chosen[2], 20'000, 500);
  EXPECT_NEAR(chosen[3], 30'000, 500);
}

TEST(CoordinatorTest, ARandomChoiceDependsOnTheTaskAndItsAttemptAlone) {
  Coordinator one(CoordinatorPolicy::kRandom, kSeed, 8);
  Coordinator other(CoordinatorPolicy::kRandom, kSeed, 8);
  for (std::uint32_t worker = 0; worker < 8; ++worker) {
    one.Publish(worker, WithFreeSlots(1));
    other.Publish(worker, WithFreeSlots(1));
  }
  for (std::uint64_t task = 0; task < 100; ++task) (void)other.Choose(task, 9);
  std::set<std::uint32_t> chosen;
  for (std::uint64_t task = 0; task < 100; ++task) {
    const auto first = one.Choose(task, 1);
    EXPECT_EQ(other.Choose(task, 1), first);
    chosen.insert(*first);
  }
  EXPECT_EQ(chosen.size(), 8u);
}

}  // namespace
}  // namespace blockx::sim
