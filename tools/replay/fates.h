// What became of each task, read off the steps of any engine.
#ifndef BLOCKX_TOOLS_REPLAY_FATES_H_
#define BLOCKX_TOOLS_REPLAY_FATES_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "blockx/proto/segment.pb.h"

namespace blockx::tools {

// One thing that a task's clients were told: a refusal, or the end of a run.
struct Fate {
  std::uint64_t sequence = 0;
  std::int64_t now_us = 0;
  std::string what;  // "SUCCEEDED", "FAILED CALL_FAILED: no luck", "submitTask NO_SLOT"
};

class FateBook {
 public:
  void Add(const log::v1::Line& line);
  // By task id.
  [[nodiscard]] const std::map<std::string, std::vector<Fate>>& fates() const { return fates_; }

 private:
  std::map<std::string, std::vector<Fate>> fates_;
};

// The tasks that were told something else in `b` than in `a`, in the order of their ids; when is
// not looked at.
struct ChangedFate {
  std::string task_id;
  std::vector<Fate> a;
  std::vector<Fate> b;
};
std::vector<ChangedFate> ChangedFates(const FateBook& a, const FateBook& b);

// "task t1: SUCCEEDED -> FAILED CALL_FAILED: no luck", one line each.
std::string TextOf(const std::vector<ChangedFate>& changes);
nlohmann::ordered_json ToJson(const std::vector<ChangedFate>& changes);

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_FATES_H_
