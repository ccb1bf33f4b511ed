#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/worker_fixture.h"

namespace blockx::engine {
namespace {

using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

SubmitTask Brief(SubmitTask task) {
  task.timeout = 1s;
  return task;
}

TEST(AdmissionTest, R_ADM_1_BuildersAreServedInOrderOfAsking) {
  Worker worker({.builder_slots = 1});
  worker.Ready();
  for (const char* task : {"t0", "t1", "t2"}) worker.Submit(task);
  for (const char* task : {"t0", "t2", "t1"}) worker.Prepared(task);
  EXPECT_THAT(worker.Built("t0"), ElementsAre("converge t0#1 SUCCEEDED", "start-builder t2#3"));
  EXPECT_THAT(worker.Built("t2"), ElementsAre("converge t2#3 SUCCEEDED", "start-builder t1#2"));
}

TEST(AdmissionTest, R_ADM_1_ExecutorTasksAreServedInOrderOfAsking) {
  Worker worker({.executor_task_slots = 1});
  worker.Ready();
  for (const char* task : {"t0", "t1", "t2"}) worker.ToBuilder(task);
  for (const char* task : {"t0", "t2", "t1"}) worker.Built(task, {"a"});
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t0#1 SUCCEEDED", "dispatch 2.1 on 0"));
  EXPECT_EQ(worker.Only<DispatchCall>().task_id, "t2");
}

TEST(AdmissionTest, R_ADM_1_StreamsAndListsShareTheExecutorTaskQueue) {
  Worker worker({.executor_task_slots = 1});
  worker.Ready().ToCalls("t0", {"a"});
  worker.ToStream("t1");
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t0#1 SUCCEEDED", "start-stream t1#2"));
}

TEST(AdmissionTest, R_ADM_1_ScansAreServedInOrderOfAsking) {
  Worker worker({.scan_slots = 1});
  worker.Ready();
  for (const char* task : {"t0", "t1", "t2"}) worker.ToBuilder(task);
  for (const char* task : {"t0", "t2", "t1"}) worker.BuiltStream(task);
  EXPECT_THAT(worker.StreamEnded("t0"),
              ElementsAre("converge t0#1 SUCCEEDED", "start-stream t2#3"));
}

TEST(AdmissionTest, R_ADM_1_WritersAreServedInOrderOfAsking) {
  Worker worker({.plugin_slots = 1});
  worker.Ready();
  for (const char* task : {"t0", "t1", "t2"}) worker.ToBuilder(TaskWithWriter(task));
  for (const char* task : {"t0", "t2", "t1"}) worker.Built(task);
  EXPECT_THAT(worker.Written("t0"), ElementsAre("converge t0#1 SUCCEEDED", "start-writer t2#3 []"));
}

TEST(AdmissionTest, R_ADM_1_ATaskThatEndsLeavesTheBuilderQueue) {
  Worker worker({.builder_slots = 1});
  worker.Ready().ToBuilder("t0");
  worker.ToBuilder(Brief(Task("t1")));
  worker.ToBuilder("t2");
  worker.At(1s).Tick();
  EXPECT_THAT(worker.Built("t0"), ElementsAre("converge t0#1 SUCCEEDED", "start-builder t2#3"));
}

TEST(AdmissionTest, R_ADM_1_ATaskThatEndsLeavesTheExecutorTaskQueue) {
  Worker worker({.executor_task_slots = 1});
  worker.Ready().ToCalls("t0", {"a"});
  worker.ToCalls(Brief(Task("t1")), {"b"});
  worker.ToCalls("t2", {"c"});
  worker.At(1s).Tick();
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("converge t0#1 SUCCEEDED", "dispatch 3.1 on 0"));
}

TEST(AdmissionTest, R_ADM_1_ATaskThatEndsLeavesTheScanQueue) {
  Worker worker({.scan_slots = 1});
  worker.Ready().ToStream("t0");
  worker.ToBuilder(Brief(Task("t1")));
  worker.BuiltStream("t1");
  worker.ToStream("t2");
  worker.At(1s).Tick();
  EXPECT_THAT(worker.StreamEnded("t0"),
              ElementsAre("converge t0#1 SUCCEEDED", "start-stream t2#3"));
}

TEST(AdmissionTest, R_ADM_1_ATaskThatEndsLeavesThePluginQueue) {
  Worker worker({.plugin_slots = 1});
  worker.Ready().ToPlugin("t0");
  worker.ToCalls(Brief(TaskWithWriter("t1")), {});
  worker.ToPlugin("t2");
  worker.At(1s).Tick();
  EXPECT_THAT(worker.Written("t0"), ElementsAre("converge t0#1 SUCCEEDED", "start-writer t2#3 []"));
}

TEST(AdmissionTest, R_ADM_2_ABuilderOfAnEndedTaskStillOccupies) {
  Worker worker({.builder_slots = 1});
  worker.Ready().ToBuilder(Brief(Task("t1")));
  worker.ToBuilder("t2");
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable"));
  EXPECT_EQ(worker.engine().load().builder.in_use, 1);
  EXPECT_THAT(worker.Built("t1", {"a"}), ElementsAre("start-builder t2#2"));
}

TEST(AdmissionTest, R_ADM_2_AWriterOfAnEndedTaskStillOccupies) {
  Worker worker({.plugin_slots = 1});
  worker.Ready().ToCalls(Brief(TaskWithWriter("t1")), {});
  worker.ToPlugin("t2");
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable"));
  EXPECT_THAT(worker.Written("t1"), ElementsAre("start-writer t2#2 []"));
}

TEST(AdmissionTest, R_ADM_2_AStreamOfAnEndedTaskStillOccupies) {
  Worker worker({.scan_slots = 1});
  worker.Ready().ToBuilder(Brief(Task("t1")));
  worker.BuiltStream("t1");
  worker.ToStream("t2");
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable"));
  EXPECT_THAT(worker.StreamFailed("t1", Final("CANCELLED")), ElementsAre("start-stream t2#2"));
}

TEST(AdmissionTest, R_ADM_2_AScanPermitComesBackWithTheEndOfTheStream) {
  Worker worker({.scan_slots = 1});
  worker.Ready().ToStream("t1");
  worker.Appended("t1", {"a"});
  worker.ToStream("t2");
  EXPECT_THAT(worker.StreamEnded("t1"), ElementsAre("start-stream t2#2"));
}

TEST(AdmissionTest, R_ADM_2_AnExecutorTaskPermitComesBackWhenTheTaskLeavesCalls) {
  Worker worker({.executor_task_slots = 1});
  worker.Ready().ToCalls(TaskWithWriter("t1"), {"a"});
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.Succeeded(1), ElementsAre("start-writer t1#1 ['']", "dispatch 2.1 on 0"));
}

TEST(AdmissionTest, R_ADM_2_AnExecutorTaskPermitDoesNotWaitForCancelledCalls) {
  Worker worker({.executor_task_slots = 1, .executor_count = 2});
  worker.Ready().ToCalls(Brief(Task("t1")), {"a"});
  worker.ToCalls("t2", {"b"});
  EXPECT_THAT(worker.At(1s).Tick(), ElementsAre("converge t1#1 FAILED/TIMED_OUT retryable",
                                                "cancel 1.1 on 0", "dispatch 2.1 on 1"));
}

// Twenty tasks ask; `grant` is what each one's permit would show as a command.
std::int64_t GrantedOf20(Worker& worker, std::string_view grant,
                         void (*ask)(Worker&, const std::string&)) {
  worker.Ready();
  std::int64_t granted = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string task = "t" + std::to_string(i);
    ask(worker, task);
    for (const std::string& command : worker.commands())
      granted += command.starts_with(grant) ? 1 : 0;
  }
  return granted;
}

TEST(AdmissionTest, R_ADM_3_NoMoreBuildersThanTheLimit) {
  Worker worker;
  EXPECT_EQ(GrantedOf20(worker, "start-builder",
                        [](Worker& w, const std::string& task) { w.ToBuilder(task); }),
            16);
  EXPECT_EQ(worker.engine().load().builder.in_use, 16);
  EXPECT_EQ(worker.engine().load().builder.waiting, 4);
}

TEST(AdmissionTest, R_ADM_3_NoMoreWritersThanTheLimit) {
  Worker worker;
  EXPECT_EQ(GrantedOf20(worker, "start-writer",
                        [](Worker& w, const std::string& task) { w.ToPlugin(task); }),
            16);
}

TEST(AdmissionTest, R_ADM_3_NoMoreStreamsThanTheLimit) {
  Worker worker;
  EXPECT_EQ(GrantedOf20(worker, "start-stream",
                        [](Worker& w, const std::string& task) { w.ToStream(task); }),
            8);
}

TEST(AdmissionTest, R_ADM_3_NoMoreExecutorTasksThanTheLimit) {
  Worker worker({.executor_task_slots = 3, .executor_count = 20});
  const auto ask = [](Worker& w, const std::string& task) { w.ToCalls(task, {"a"}); };
  EXPECT_EQ(GrantedOf20(worker, "dispatch", ask), 3);
}

TEST(AdmissionTest, R_ADM_3_AFreePermitIsGrantedInTheSameStep) {
  Worker worker({.builder_slots = 1, .plugin_slots = 1});
  worker.Ready().ToBuilder(TaskWithWriter("t1"));
  EXPECT_THAT(worker.ToBuilder("t2"), IsEmpty());
  EXPECT_THAT(worker.Built("t1"), ElementsAre("start-builder t2#2", "start-writer t1#1 []"));
}

}  // namespace
}  // namespace blockx::engine
