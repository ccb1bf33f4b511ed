#include "recordings.h"

namespace blockx::tools {

engine::StepObserver* Recordings::Begin(std::uint32_t worker, const engine::Driver& driver) {
  replay::RecorderOptions options;
  options.worker = "worker-" + std::to_string(worker);
  options.folder = folder_ + "/" + options.worker;
  options.world = log::v1::World::SIMULATION;
  options.engine_version = BLOCKX_VERSION;
  options.payloads = payloads_;
  options.outputs = outputs_;
  options.when_full = replay::RecorderOptions::WhenFull::kWait;
  auto recorder = replay::Recorder::Begin(std::move(options), driver);
  if (!recorder.ok()) {
    status_.Update(recorder.status());
    return nullptr;
  }
  recorders_.push_back(*std::move(recorder));
  return recorders_.back().get();
}

absl::Status Recordings::End() {
  for (const auto& recorder : recorders_) status_.Update(recorder->End());
  return status_;
}

}  // namespace blockx::tools
