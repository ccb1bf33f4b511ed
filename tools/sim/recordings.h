#ifndef BLOCKX_TOOLS_SIM_RECORDINGS_H_
#define BLOCKX_TOOLS_SIM_RECORDINGS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "blockx/engine/driver.h"
#include "blockx/replay/recorder.h"

namespace blockx::tools {

// An event log for each Worker of a simulation: FOLDER/worker-0 and so on. The same run gives the
// same bytes.
class Recordings {
 public:
  Recordings(std::string folder, replay::PayloadMode payloads, bool outputs)
      : folder_(std::move(folder)), payloads_(payloads), outputs_(outputs) {}

  // Null: it cannot be made; status() says why.
  engine::StepObserver* Begin(std::uint32_t worker, const engine::Driver& driver);
  // Ends all of them. The first error of any.
  absl::Status End();
  [[nodiscard]] const absl::Status& status() const { return status_; }

 private:
  std::string folder_;
  replay::PayloadMode payloads_;
  bool outputs_;
  std::vector<std::unique_ptr<replay::Recorder>> recorders_;
  absl::Status status_;
};

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_SIM_RECORDINGS_H_
