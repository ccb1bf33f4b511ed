#include "replay/examples.h"

#include <array>

namespace blockx::replay {
namespace {

using engine::AtMicroseconds;
using engine::Attempt;
using engine::CallId;
using engine::CallOutcome;
using engine::CallSpec;
using engine::CodeEpoch;
using engine::ExecutorId;
using engine::Failure;
using engine::Generation;
using engine::Milliseconds;
using engine::Payload;
using engine::Run;
using engine::SlotIndex;
using engine::SubcallRef;
using engine::WatchId;

const Payload& Ab() {
  static const Payload payload = Payload::FromBytes("ab");
  return payload;
}

const std::array<CallSpec, 2>& TwoCalls() {
  static const std::array<CallSpec, 2> calls = {CallSpec{"f", Ab()}, CallSpec{"g", Payload()}};
  return calls;
}

constexpr Failure kFailure = {.code = "X", .message = "why", .retryable = true};
constexpr std::array<std::string_view, 2> kTaskIds = {"t1", "t2"};

}  // namespace

const std::vector<EventExample>& EventExamples() {
  static const std::vector<EventExample> examples = {
      {engine::RequestTaskSlot{"t1", Milliseconds(5000)},
       R"({"requestTaskSlot":{"taskId":"t1","ttlMs":"5000"}})"},
      {engine::SubmitTask{"t1",
                          "slot-3",
                          {"list", Ab()},
                          {"file", Ab()},
                          Milliseconds(70),
                          engine::CallFailurePolicy::kContinue,
                          engine::RetryPolicy{4, Milliseconds(20), 5}},
       R"({"submitTask":{"taskId":"t1","slotId":"slot-3","function":{"type":"list","payload":"YWI="},)"
       R"("resultHandler":{"type":"file","payload":"YWI="},"taskTimeoutMs":"70","callFailurePolicy":"CONTINUE",)"
       R"("callRetryPolicy":{"maxAttempts":"4","baseBackoffMs":"20","jitterPercent":"5"}}})"},
      {engine::GetTaskResult{"t1"}, R"({"getTaskResult":{"taskId":"t1"}})"},
      {engine::OpenWatch{WatchId(7), kTaskIds},
       R"({"openWatch":{"watchId":"7","taskIds":["t1","t2"]}})"},
      {engine::CloseWatch{WatchId(7)}, R"({"closeWatch":{"watchId":"7"}})"},
      {engine::ActivationPrepared{"t1", Run(2), "slot-3", CodeEpoch(9)},
       R"({"activationPrepared":{"taskId":"t1","run":"2","slotId":"slot-3","taskCodeEpoch":"9"}})"},
      {engine::ActivationFailed{"t1", Run(2), kFailure},
       R"({"activationFailed":{"taskId":"t1","run":"2","code":"X","message":"why","retryable":true}})"},
      {engine::BuilderFinished{"t1", Run(2), engine::CallList{TwoCalls()}},
       R"({"builderFinished":{"taskId":"t1","run":"2","callList":{"calls":[{"function":"f","args":"YWI="},{"function":"g"}]}}})"},
      {engine::BuilderFinished{"t1", Run(2), engine::CallList{}},
       R"({"builderFinished":{"taskId":"t1","run":"2","callList":{}}})"},
      {engine::BuilderFinished{"t1", Run(2), engine::StreamMarker{}},
       R"({"builderFinished":{"taskId":"t1","run":"2","stream":{}}})"},
      {engine::BuilderFinished{"t1", Run(2), kFailure},
       R"({"builderFinished":{"taskId":"t1","run":"2","failure":{"code":"X","message":"why","retryable":true}}})"},
      {engine::CallsAppended{"t1", Run(2), TwoCalls()},
       R"({"callsAppended":{"taskId":"t1","run":"2","calls":[{"function":"f","args":"YWI="},{"function":"g"}]}})"},
      {engine::CallStreamEnded{"t1", Run(2), kFailure},
       R"({"callStreamEnded":{"taskId":"t1","run":"2","failure":{"code":"X","message":"why","retryable":true}}})"},
      {engine::CallStreamEnded{"t1", Run(2), {}},
       R"({"callStreamEnded":{"taskId":"t1","run":"2"}})"},
      {engine::WriterFinished{"t1", Run(2), Ab()},
       R"({"writerFinished":{"taskId":"t1","run":"2","pluginResults":"YWI="}})"},
      {engine::WriterFinished{"t1", Run(2), kFailure},
       R"({"writerFinished":{"taskId":"t1","run":"2","failure":{"code":"X","message":"why","retryable":true}}})"},
      {engine::ExecutorConnected{ExecutorId(1), Generation(2), 4711},
       R"({"executorConnected":{"executorId":"1","generation":"2","pid":"4711"}})"},
      {engine::ExecutorHeartbeat{ExecutorId(1), Generation(2), CallId(3), 99},
       R"({"executorHeartbeat":{"executorId":"1","generation":"2","runningCallId":"3","lastSchedulerActiveAtMs":"99"}})"},
      {engine::ExecutorExited{ExecutorId(1), Generation(2), "gone"},
       R"({"executorExited":{"executorId":"1","generation":"2","reason":"gone"}})"},
      {engine::CallSucceeded{ExecutorId(1), CallId(3), Attempt(2), Ab()},
       R"({"callSucceeded":{"executorId":"1","callId":"3","attempt":"2","output":"YWI="}})"},
      {engine::CallFailed{ExecutorId(1), CallId(3), Attempt(2), kFailure},
       R"({"callFailed":{"executorId":"1","callId":"3","attempt":"2","code":"X","message":"why","retryable":true}})"},
      {engine::SubcallRequested{ExecutorId(1), CallId(3), Attempt(2), SubcallRef(8), {"f", Ab()}},
       R"({"subcallRequested":{"executorId":"1","parentCallId":"3","parentAttempt":"2","subcallRef":"8","function":"f","args":"YWI="}})"},
      {engine::Start{}, R"({"start":{}})"},
      {engine::Tick{}, R"({"tick":{}})"},
      {engine::BeginDrain{}, R"({"beginDrain":{}})"},
      {engine::ForceStop{}, R"({"forceStop":{}})"},
  };
  return examples;
}

const engine::TaskResult& ResultExample() {
  static const engine::TaskResult result = {
      .state = engine::TaskState::kFailed,
      .retryable = true,
      .calls = {.total = 5, .failed = 2, .retried = 3},
      .failure_code = "PLUGIN_FAILED",
      .message = "disk full",
      .plugin_results = Ab(),
      .times = {AtMicroseconds(1), AtMicroseconds(2), AtMicroseconds(3), AtMicroseconds(4),
                AtMicroseconds(5), AtMicroseconds(6), AtMicroseconds(7), AtMicroseconds(8),
                AtMicroseconds(9)},
  };
  return result;
}

const std::vector<CommandExample>& CommandExamples() {
  static const std::array<CallOutcome, 2> outcomes = {CallOutcome{&Ab(), {}},
                                                      CallOutcome{nullptr, kFailure}};
  static const std::string converge =
      R"({"convergeTask":{"taskId":"t1","run":"2","result":)" + std::string(kResultText) + "}}";
  static const std::string notify =
      R"({"notifyWatch":{"watchId":"7","taskId":"t1","state":"FAILED","phase":"TERMINAL","terminal":true,"result":)" +
      std::string(kResultText) + "}}";
  static const std::vector<CommandExample> examples = {
      {engine::PrepareActivation{"t1", Run(2), SlotIndex(0)},
       R"({"prepareActivation":{"taskId":"t1","run":"2","slotId":"slot-0"}})"},
      {engine::StartBuilder{"t1", Run(2)}, R"({"startBuilder":{"taskId":"t1","run":"2"}})"},
      {engine::StartCallStream{"t1", Run(2)}, R"({"startCallStream":{"taskId":"t1","run":"2"}})"},
      {engine::PauseCallStream{"t1", Run(2)}, R"({"pauseCallStream":{"taskId":"t1","run":"2"}})"},
      {engine::ResumeCallStream{"t1", Run(2)}, R"({"resumeCallStream":{"taskId":"t1","run":"2"}})"},
      {engine::DispatchCall{ExecutorId(1), CallId(3), "t1", Run(2), Attempt(4), AtMicroseconds(60),
                            "f", &Ab(), CodeEpoch(9)},
       R"({"dispatchCall":{"executorId":"1","callId":"3","taskId":"t1","run":"2","attempt":"4","deadlineUs":"60",)"
       R"("function":"f","args":"YWI=","taskCodeEpoch":"9"}})"},
      {engine::CancelCall{ExecutorId(1), CallId(3), Attempt(4)},
       R"({"cancelCall":{"executorId":"1","callId":"3","attempt":"4"}})"},
      {engine::DeliverSubcall{ExecutorId(1), CallId(3), SubcallRef(8), outcomes[0]},
       R"({"deliverSubcall":{"executorId":"1","parentCallId":"3","subcallRef":"8","output":"YWI="}})"},
      {engine::DeliverSubcall{ExecutorId(1), CallId(3), SubcallRef(8), outcomes[1]},
       R"({"deliverSubcall":{"executorId":"1","parentCallId":"3","subcallRef":"8",)"
       R"("failure":{"code":"X","message":"why","retryable":true}}})"},
      {engine::StartWriter{"t1", Run(2), outcomes},
       R"({"startWriter":{"taskId":"t1","run":"2","outcomes":[{"output":"YWI="},)"
       R"({"failure":{"code":"X","message":"why","retryable":true}}]}})"},
      {engine::ConvergeTask{"t1", Run(2), &ResultExample()}, converge},
      {engine::NotifyWatch{WatchId(7), "t1", engine::TaskState::kRunning, engine::Phase::kCalls,
                           nullptr},
       R"({"notifyWatch":{"watchId":"7","taskId":"t1","state":"RUNNING","phase":"CALLS"}})"},
      {engine::NotifyWatch{WatchId(7), "t1", engine::TaskState::kFailed, engine::Phase::kTerminal,
                           &ResultExample()},
       notify},
      {engine::EndWatch{WatchId(7), true}, R"({"endWatch":{"watchId":"7","complete":true}})"},
      {engine::SpawnExecutor{ExecutorId(1), Generation(2)},
       R"({"spawnExecutor":{"executorId":"1","generation":"2"}})"},
      {engine::KillExecutor{ExecutorId(1), Generation(2), engine::KillReason::kStartTimeout},
       R"({"killExecutor":{"executorId":"1","generation":"2","reason":"START_TIMEOUT"}})"},
      {engine::KillExecutor{ExecutorId(1), Generation(2), engine::KillReason::kHeartbeatTimeout},
       R"({"killExecutor":{"executorId":"1","generation":"2","reason":"HEARTBEAT_TIMEOUT"}})"},
      {engine::KillExecutor{ExecutorId(1), Generation(2), engine::KillReason::kWedged},
       R"({"killExecutor":{"executorId":"1","generation":"2","reason":"WEDGED"}})"},
      {engine::KillExecutor{ExecutorId(1), Generation(2), engine::KillReason::kCancelGrace},
       R"({"killExecutor":{"executorId":"1","generation":"2","reason":"CANCEL_GRACE"}})"},
      {engine::KillExecutor{ExecutorId(1), Generation(2), engine::KillReason::kStopped},
       R"({"killExecutor":{"executorId":"1","generation":"2","reason":"STOPPED"}})"},
      {engine::RegisterWorker{}, R"({"registerWorker":{}})"},
      {engine::DeregisterWorker{}, R"({"deregisterWorker":{}})"},
      {engine::DrainComplete{true}, R"({"drainComplete":{"clean":true}})"},
  };
  return examples;
}

}  // namespace blockx::replay
