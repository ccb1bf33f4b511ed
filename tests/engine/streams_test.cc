#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One executor, so that one call runs and all others are buffered.
Config Buffering(std::int64_t max_buffered) {
  return {.stream_max_buffered_calls = max_buffered, .executor_count = 1};
}

TEST(StreamsTest, R_STREAM_CallsRunWhileOthersAreStillToCome) {
  Worker worker;
  EXPECT_THAT(worker.Ready().ToStream("t1"), ElementsAre("start-stream t1#1"));
  EXPECT_THAT(worker.Appended("t1", {"a", "b"}),
              ElementsAre("dispatch 1.1 on 0", "dispatch 2.1 on 1"));
  EXPECT_THAT(worker.Succeeded(1), IsEmpty());
  EXPECT_THAT(worker.Appended("t1", {"c"}), ElementsAre("dispatch 3.1 on 0"));
}

TEST(StreamsTest, R_STREAM_ThePhaseIsDoneWhenTheStreamHasEndedAndAllCallsAreDone) {
  Worker worker;
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b"});
  worker.Succeeded(1);
  EXPECT_THAT(worker.StreamEnded("t1"), IsEmpty());
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("converge t1#1 SUCCEEDED"));
}

TEST(StreamsTest, R_STREAM_ThePhaseIsNotDoneBeforeTheStreamHasEnded) {
  Worker worker;
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a"});
  EXPECT_THAT(worker.Succeeded(1), IsEmpty());
  EXPECT_THAT(worker.StreamEnded("t1"), ElementsAre("converge t1#1 SUCCEEDED"));
}

TEST(StreamsTest, R_STREAM_AStreamWithoutCallsIsDoneAtItsEnd) {
  Worker worker;
  worker.Ready().ToStream("t1");
  EXPECT_THAT(worker.StreamEnded("t1"), ElementsAre("converge t1#1 SUCCEEDED"));
}

TEST(StreamsTest, R_STREAM_TheWriterGetsTheOutcomesInTheOrderOfArrival) {
  Worker worker;
  worker.Ready().Submit(TaskWithWriter("t1"));
  worker.Prepared("t1");
  worker.BuiltStream("t1");
  worker.Appended("t1", {"a"});
  worker.Appended("t1", {"b"});
  worker.Succeeded(2, "two");
  worker.Succeeded(1, "one");
  EXPECT_THAT(worker.StreamEnded("t1"), ElementsAre("start-writer t1#1 ['one', 'two']"));
}

TEST(StreamsTest, R_STREAM_ItIsPausedAtTheLimit) {
  Worker worker(Buffering(4));
  worker.Ready().ToStream("t1");
  EXPECT_THAT(worker.Appended("t1", {"a", "b", "c", "d"}), ElementsAre("dispatch 1.1 on 0"));
  EXPECT_THAT(worker.Appended("t1", {"e"}), ElementsAre("pause-stream t1#1"));
}

TEST(StreamsTest, R_STREAM_ItIsJudgedAfterTheDispatches) {
  Worker worker({.stream_max_buffered_calls = 4, .executor_count = 4});
  worker.Ready().ToStream("t1");
  EXPECT_THAT(worker.Appended("t1", {"a", "b", "c", "d"}),
              ElementsAre("dispatch 1.1 on 0", "dispatch 2.1 on 1", "dispatch 3.1 on 2",
                          "dispatch 4.1 on 3"));
}

TEST(StreamsTest, R_STREAM_ItIsPausedOnce) {
  Worker worker(Buffering(4));
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b", "c", "d", "e"});
  EXPECT_THAT(worker.Appended("t1", {"f"}), IsEmpty());
}

TEST(StreamsTest, R_STREAM_ItIsResumedAtHalfTheLimit) {
  Worker worker(Buffering(4));
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b", "c", "d", "e"});
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("dispatch 2.1 on 0"));
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("dispatch 3.1 on 0", "resume-stream t1#1"));
}

TEST(StreamsTest, R_STREAM_HalfIsRoundedDown) {
  Worker worker(Buffering(5));
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b", "c", "d", "e", "f"});
  worker.Succeeded(1);
  EXPECT_THAT(worker.Succeeded(2), ElementsAre("dispatch 3.1 on 0"));  // three are buffered
  EXPECT_THAT(worker.Succeeded(3), ElementsAre("dispatch 4.1 on 0", "resume-stream t1#1"));
}

TEST(StreamsTest, R_STREAM_ALimitOfOneResumesAtZero) {
  Worker worker(Buffering(1));
  worker.Ready().ToStream("t1");
  EXPECT_THAT(worker.Appended("t1", {"a", "b"}),
              ElementsAre("dispatch 1.1 on 0", "pause-stream t1#1"));
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("dispatch 2.1 on 0", "resume-stream t1#1"));
}

TEST(StreamsTest, R_STREAM_ItMayBePausedAgain) {
  Worker worker(Buffering(2));
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b", "c"});
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("dispatch 2.1 on 0", "resume-stream t1#1"));
  EXPECT_THAT(worker.Appended("t1", {"d"}), ElementsAre("pause-stream t1#1"));
}

TEST(StreamsTest, R_STREAM_ARetryIsNotBuffered) {
  Worker worker(Buffering(2));
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b"});
  EXPECT_THAT(worker.Failed(1, Retryable("E")), ElementsAre("dispatch 2.1 on 0"));
  EXPECT_THAT(worker.At(1s).Tick(), IsEmpty());          // 1.2 waits, none is new
  EXPECT_THAT(worker.Appended("t1", {"c"}), IsEmpty());  // one is new
  EXPECT_THAT(worker.Appended("t1", {"d"}), ElementsAre("pause-stream t1#1"));
}

TEST(StreamsTest, R_STREAM_ASubcallIsNotBuffered) {
  Worker worker(Buffering(2));
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b"});
  worker.Subcall(1, 1);
  EXPECT_THAT(worker.Subcall(1, 2), IsEmpty());
}

TEST(StreamsTest, R_STREAM_NeverPausedAfterItsEnd) {
  Worker worker(Buffering(2));
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b"});
  worker.StreamEnded("t1");
  EXPECT_THAT(worker.Appended("t1", {"c", "d"}), IsEmpty());
}

TEST(StreamsTest, R_STREAM_NeverResumedAfterItsEnd) {
  Worker worker(Buffering(2));
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b", "c"});
  worker.StreamEnded("t1");
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("dispatch 2.1 on 0"));
}

TEST(StreamsTest, R_STREAM_CallsThatCameInSpiteOfAPauseAreTaken) {
  Worker worker(Buffering(2));
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a", "b", "c"});
  worker.Appended("t1", {"d"});
  worker.StreamEnded("t1");
  worker.Succeeded(1);
  worker.Succeeded(2);
  EXPECT_THAT(worker.Succeeded(3), ElementsAre("dispatch 4.1 on 0"));
}

TEST(StreamsTest, R_STREAM_CallsAfterTheEndAreDropped) {
  Worker worker;
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a"});
  worker.StreamEnded("t1");
  EXPECT_THAT(worker.Appended("t1", {"b"}), IsEmpty());
  EXPECT_EQ(worker.dropped(), 1U);
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t1#1 SUCCEEDED"));
}

TEST(StreamsTest, R_STREAM_CallsBeforeItsStartAreDropped) {
  Worker worker({.scan_slots = 1});
  worker.Ready().ToStream("t1");
  worker.ToStream("t2");
  EXPECT_THAT(worker.Appended("t2", {"a"}), IsEmpty());
  EXPECT_EQ(worker.dropped(), 1U);
}

TEST(StreamsTest, R_STREAM_CallsForATaskWithAListAreDropped) {
  Worker worker;
  worker.Ready().ToCalls("t1", {"a"});
  EXPECT_THAT(worker.Appended("t1", {"b"}), IsEmpty());
  EXPECT_THAT(worker.StreamFailed("t1", {}), IsEmpty());
  EXPECT_EQ(worker.dropped(), 2U);
}

TEST(StreamsTest, R_STREAM_AFailedStreamHasItsCode) {
  Worker worker;
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a"});
  EXPECT_THAT(worker.StreamFailed("t1", Retryable("SCAN_BROKE")),
              ElementsAre("converge t1#1 FAILED/SCAN_BROKE retryable", "cancel 1.1 on 0"));
}

TEST(StreamsTest, R_STREAM_AFailedStreamWithoutACodeIsBuilderFailed) {
  Worker worker;
  worker.Ready().ToStream("t1");
  EXPECT_THAT(worker.StreamFailed("t1", {}), ElementsAre("converge t1#1 FAILED/BUILDER_FAILED"));
}

TEST(StreamsTest, R_STREAM_EachStreamIsJudgedByItself) {
  Worker worker(Buffering(2));
  worker.Ready().ToStream("t1");
  worker.ToStream("t2");
  worker.Appended("t1", {"a", "b"});
  EXPECT_THAT(worker.Appended("t2", {"c", "d"}), ElementsAre("pause-stream t2#2"));
  EXPECT_THAT(worker.Appended("t1", {"e"}), ElementsAre("pause-stream t1#1"));
}

TEST(StreamsTest, R_STREAM_StreamsJudgedInOneStepGoByRun) {
  Worker worker(
      {.stream_max_buffered_calls = 2, .executor_count = 2, .executor_max_concurrent_calls = 4});
  worker.Ready(1).Exited(0);
  worker.ToStream("t1");
  worker.ToStream("t2");
  worker.Appended("t2", {"a", "b"});
  worker.Appended("t1", {"c", "d"});
  EXPECT_THAT(worker.Connected(1),
              ElementsAre("dispatch 1.1 on 1", "dispatch 3.1 on 1", "dispatch 2.1 on 1",
                          "dispatch 4.1 on 1", "resume-stream t1#1", "resume-stream t2#2"));
}

}  // namespace
}  // namespace blockx::engine
