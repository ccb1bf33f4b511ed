#include "fates.h"

#include <algorithm>

namespace blockx::tools {
namespace {

std::string EndOf(const log::v1::TaskResult& result) {
  if (result.state() == log::v1::TaskState::SUCCEEDED) return "SUCCEEDED";
  return "FAILED " + result.failure_code() +
         (result.message().empty() ? "" : ": " + result.message());
}

bool Same(const std::vector<Fate>& a, const std::vector<Fate>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Fate& x, const Fate& y) { return x.what == y.what; });
}

std::string Joined(const std::vector<Fate>& fates) {
  if (fates.empty()) return "nothing";
  std::string out;
  for (const Fate& fate : fates) out += (out.empty() ? "" : ", then ") + fate.what;
  return out;
}

nlohmann::ordered_json ToJson(const std::vector<Fate>& fates) {
  auto out = nlohmann::ordered_json::array();
  for (const Fate& fate : fates) {
    out.push_back({{"sequence", fate.sequence}, {"nowUs", fate.now_us}, {"what", fate.what}});
  }
  return out;
}

}  // namespace

void FateBook::Add(const log::v1::Line& line) {
  const auto add = [&](const std::string& task_id, std::string what) {
    fates_[task_id].push_back(
        {static_cast<std::uint64_t>(line.sequence()), line.now_us(), std::move(what)});
  };
  if (line.reply().has_error()) {
    const std::string& code = log::v1::ErrorCode::Value_Name(line.reply().error().code());
    if (line.event().has_request_task_slot()) {
      add(line.event().request_task_slot().task_id(), "requestTaskSlot " + code);
    }
    if (line.event().has_submit_task()) {
      add(line.event().submit_task().task_id(), "submitTask " + code);
    }
  }
  for (const log::v1::Command& command : line.commands()) {
    if (!command.has_converge_task()) continue;
    add(command.converge_task().task_id(), EndOf(command.converge_task().result()));
  }
}

std::vector<ChangedFate> ChangedFates(const FateBook& a, const FateBook& b) {
  std::vector<ChangedFate> out;
  for (const auto& [task_id, fates] : a.fates()) {
    const auto other = b.fates().find(task_id);
    const std::vector<Fate> none;
    const std::vector<Fate>& there = other == b.fates().end() ? none : other->second;
    if (!Same(fates, there)) out.push_back({task_id, fates, there});
  }
  for (const auto& [task_id, fates] : b.fates()) {
    if (!a.fates().contains(task_id)) out.push_back({task_id, {}, fates});
  }
  std::sort(out.begin(), out.end(), [](const ChangedFate& x, const ChangedFate& y) {
    return x.task_id < y.task_id;
  });
  return out;
}

std::string TextOf(const std::vector<ChangedFate>& changes) {
  std::string out;
  for (const ChangedFate& change : changes) {
    out += "  task " + change.task_id + ": " + Joined(change.a) + " -> " + Joined(change.b) + "\n";
  }
  return out;
}

nlohmann::ordered_json ToJson(const std::vector<ChangedFate>& changes) {
  auto out = nlohmann::ordered_json::array();
  for (const ChangedFate& change : changes) {
    out.push_back({{"taskId", change.task_id}, {"a", ToJson(change.a)}, {"b", ToJson(change.b)}});
  }
  return out;
}

}  // namespace blockx::tools
