#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "blockx/engine/engine.h"

// Replaces the global operator new of its program by one that counts.
namespace {

std::int64_t allocations = 0;
std::int64_t live_bytes = 0;

void* Counted(void* memory) {
  if (memory == nullptr) std::abort();
  ++allocations;
  live_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}

void Release(void* memory) {
  if (memory != nullptr) live_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return Counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return Counted(std::aligned_alloc(to, (size + to - 1) / to * to));
}
void operator delete(void* memory) noexcept { Release(memory); }
void operator delete(void* memory, std::size_t) noexcept { Release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { Release(memory); }

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;

// The length of a UUID in text.
constexpr std::size_t kIdLength = 36;

void WriteId(std::array<char, kIdLength>& id, std::int64_t number) {
  id.fill('-');
  for (std::size_t i = kIdLength; number > 0; number /= 10)
    id[--i] = static_cast<char>('0' + number % 10);
}

constexpr std::string_view kType = "a type name that is longer than what a string holds inside";
const Payload kPayload = Payload::FromBytes("some bytes that a call is given or gives back");
const std::vector<CallSpec> kSixCalls(6, CallSpec{.function = kType, .args = kPayload});
const std::vector<CallSpec> kOneCall(1, CallSpec{.function = kType, .args = kPayload});

// Drives one engine without a single allocation of its own.
class QuietWorker {
 public:
  explicit QuietWorker(const Config& config) : engine_(config), executors_(config.executor_count) {
    Apply(Start());
    for (std::int64_t i = 0; i < executors_; ++i) {
      Apply(ExecutorConnected{.executor = ExecutorId(i), .generation = Generation(1)});
    }
  }

  template <class E>
  void Apply(const E& event) {
    static_cast<void>(engine_.Apply(event, now_));
    for (const Command& command : engine_.commands()) {
      if (const auto* dispatch = std::get_if<DispatchCall>(&command))
        running_.at(running_count_++) = *dispatch;
    }
  }

  // Reserved, submitted, and built: a list of calls, or a stream when there are none.
  void ToCalls(const SubmitTask& task, std::span<const CallSpec> calls) {
    ++run_;
    Apply(RequestTaskSlot{.task_id = task.task_id});
    Apply(task);
    Apply(ActivationPrepared{.task_id = task.task_id, .run = run()});
    if (calls.empty()) {
      Apply(BuilderFinished{.task_id = task.task_id, .run = run(), .outcome = StreamMarker()});
    } else {
      Apply(BuilderFinished{.task_id = task.task_id, .run = run(), .outcome = CallList{calls}});
    }
  }
  // The attempt that was dispatched last, to be ended by one of the reports below.
  DispatchCall Take() { return running_.at(--running_count_); }
  void Succeed(const DispatchCall& call) {
    Apply(CallSucceeded{
        .executor = call.executor, .call = call.call, .attempt = call.attempt, .output = kPayload});
  }
  void SucceedAll() {
    while (running_count_ > 0) Succeed(Take());
  }
  void Fail(const DispatchCall& call, const Failure& failure) {
    Apply(CallFailed{
        .executor = call.executor, .call = call.call, .attempt = call.attempt, .failure = failure});
  }
  void Ask(const DispatchCall& parent, std::int64_t ref) {
    Apply(SubcallRequested{.executor = parent.executor,
                           .parent = parent.call,
                           .parent_attempt = parent.attempt,
                           .ref = SubcallRef(ref),
                           .spec = {.function = kType, .args = kPayload}});
  }
  void Write(std::string_view task_id) {
    Apply(WriterFinished{.task_id = task_id, .run = run(), .outcome = kPayload});
  }
  void Pass(Duration time) {
    now_ += time;
    for (std::int64_t i = 0; i < executors_; ++i) {
      Apply(ExecutorHeartbeat{.executor = ExecutorId(i), .generation = Generation(1)});
    }
    Apply(Tick());
  }

  [[nodiscard]] const Engine& engine() const { return engine_; }
  [[nodiscard]] Run run() const { return Run(run_); }

 private:
  Engine engine_;
  std::int64_t executors_;
  Instant now_ = AtMicroseconds(1'700'000'000'000'000);
  std::int64_t run_ = 0;
  std::array<DispatchCall, 16> running_{};
  std::size_t running_count_ = 0;
};

// Runs the life of one task, for the n-th time.
using Life = void (*)(QuietWorker&, std::string_view task_id);

// How many allocations the next hundred lives cost, when two hundred have warmed the engine.
std::int64_t AllocationsOf(Life life) {
  QuietWorker worker(Config{.result_retention = Milliseconds(5'000),
                            .watch_disconnect_grace = Milliseconds(60'000)});
  std::array<char, kIdLength> id{};
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < 300; ++i) {
    if (i == 200) before = allocations;
    WriteId(id, i);
    life(worker, std::string_view(id.data(), id.size()));
    worker.Pass(1s);
  }
  EXPECT_EQ(worker.engine().CheckInvariants(), std::nullopt);
  return allocations - before;
}

SubmitTask TaskOf(std::string_view task_id) {
  return {.task_id = task_id,
          .function = {.type = kType, .payload = kPayload},
          .result_handler = {.type = kType}};
}

TEST(AllocationTest, R_SLOT_6_ALeaseThatExpiresAllocatesNothing) {
  EXPECT_EQ(AllocationsOf([](QuietWorker& worker, std::string_view id) {
              worker.Apply(RequestTaskSlot{.task_id = id, .ttl = 2s});
            }),
            0);
}

TEST(AllocationTest, AWarmLifeAllocatesNothing) {
  EXPECT_EQ(AllocationsOf([](QuietWorker& worker, std::string_view id) {
              worker.ToCalls(TaskOf(id), kSixCalls);
              worker.SucceedAll();
              worker.Write(id);
              worker.Apply(GetTaskResult{.task_id = id});
            }),
            0);
}

TEST(AllocationTest, AWarmRetryAllocatesNothing) {
  EXPECT_EQ(AllocationsOf([](QuietWorker& worker, std::string_view id) {
              worker.ToCalls(TaskOf(id), kOneCall);
              worker.Fail(worker.Take(), {.code = "E", .retryable = true});
              worker.Pass(1s);
              worker.SucceedAll();
              worker.Write(id);
            }),
            0);
}

TEST(AllocationTest, AWarmSubcallAllocatesNothing) {
  EXPECT_EQ(AllocationsOf([](QuietWorker& worker, std::string_view id) {
              worker.ToCalls(TaskOf(id), kOneCall);
              const DispatchCall parent = worker.Take();
              worker.Ask(parent, 1);
              worker.Ask(parent, 2);
              worker.SucceedAll();
              worker.Succeed(parent);
              worker.Write(id);
            }),
            0);
}

TEST(AllocationTest, AWarmStreamAllocatesNothing) {
  EXPECT_EQ(AllocationsOf([](QuietWorker& worker, std::string_view id) {
              worker.ToCalls(TaskOf(id), {});
              worker.Apply(CallsAppended{.task_id = id, .run = worker.run(), .calls = kSixCalls});
              worker.SucceedAll();
              worker.Apply(CallsAppended{.task_id = id, .run = worker.run(), .calls = kOneCall});
              worker.Apply(CallStreamEnded{.task_id = id, .run = worker.run()});
              worker.SucceedAll();
              worker.Write(id);
            }),
            0);
}

TEST(AllocationTest, AWarmTimeoutAllocatesNothing) {
  EXPECT_EQ(AllocationsOf([](QuietWorker& worker, std::string_view id) {
              SubmitTask task = TaskOf(id);
              task.timeout = 1s;
              worker.ToCalls(task, kOneCall);
              const DispatchCall call = worker.Take();
              worker.Pass(1s);
              worker.Fail(call, {});
            }),
            0);
}

// Two watches a life. Being told, closing and reopening cost nothing.
TEST(AllocationTest, AWatchAllocatesAtMostOnceForItsOpening) {
  EXPECT_LE(AllocationsOf([](QuietWorker& worker, std::string_view id) {
              const std::array<std::string_view, 1> ids = {id};
              worker.Apply(OpenWatch{.watch_id = WatchId(1), .task_ids = ids});
              worker.ToCalls(TaskOf(id), kOneCall);
              worker.Apply(OpenWatch{.watch_id = WatchId(2), .task_ids = ids});
              worker.Apply(CloseWatch{.watch_id = WatchId(1)});
              worker.SucceedAll();
              worker.Write(id);
            }),
            2 * 100);
}

TEST(AllocationTest, ARefusalAllocatesNothing) {
  EXPECT_EQ(AllocationsOf([](QuietWorker& worker, std::string_view id) {
              worker.Apply(GetTaskResult{.task_id = id});
              worker.Apply(SubmitTask{.task_id = id});
              worker.Apply(RequestTaskSlot{.task_id = id, .ttl = -1s});
              worker.Apply(OpenWatch{.watch_id = WatchId(1)});
            }),
            0);
}

TEST(AllocationTest, ADroppedReportAllocatesNothing) {
  EXPECT_EQ(
      AllocationsOf([](QuietWorker& worker, std::string_view id) {
        worker.Apply(WriterFinished{.task_id = id, .run = worker.run(), .outcome = kPayload});
        worker.Apply(CallSucceeded{.call = CallId(5), .attempt = Attempt(1), .output = kPayload});
      }),
      0);
}

TEST(AllocationTest, R_SLOT_6_AFreeSlotNeedsAtMost16Bytes) {
  const std::int64_t before = live_bytes;
  const Engine engine(Config{.task_slots = 1'000'000});
  EXPECT_LT(live_bytes - before, 16'000'000);
}

TEST(AllocationTest, R_SLOT_2_ARetainedResultNeedsLessMemoryThanItWeighs) {
  constexpr std::int64_t kResults = 100'000;
  QuietWorker worker((Config{.result_retention = Milliseconds(10'000'000)}));
  std::array<char, kIdLength> id{};
  const std::int64_t before = live_bytes;
  for (std::int64_t i = 0; i < kResults; ++i) {
    WriteId(id, i);
    worker.ToCalls(TaskOf({id.data(), id.size()}), kOneCall);
    worker.SucceedAll();
    worker.Write({id.data(), id.size()});
  }
  EXPECT_LT((live_bytes - before) / kResults, 400);
}

}  // namespace
}  // namespace blockx::engine
