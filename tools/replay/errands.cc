#include "errands.h"

#include <optional>

namespace blockx::tools {
namespace {

using replay::RequestHistory;
using replay::RunHistory;
using replay::TaskHistory;

const RunHistory* AcceptedBy(const RequestHistory& request, const TaskHistory& task) {
  if (request.kind != RequestHistory::Kind::kSubmit) return nullptr;
  for (const RunHistory& run : task.runs) {
    if (run.accepted.sequence == request.at.sequence) return &run;
  }
  return nullptr;
}

// A run from before the log, and what was asked before it ended.
const RunHistory* UnderWay(const TaskHistory& task) {
  const bool has = !task.runs.empty() && !task.runs.front().accepted.happened();
  return has ? &task.runs.front() : nullptr;
}

bool IsOver(const RunHistory& run, const RequestHistory& request) {
  return run.ended.happened() && run.ended.sequence < request.at.sequence;
}

void AddErrandsOf(const TaskHistory& task, Errands& errands) {
  const RunHistory* const under_way = UnderWay(task);
  if (under_way != nullptr) ++errands.left_out;
  std::optional<std::size_t> present;
  std::size_t count = 0;
  for (const RequestHistory& request : task.requests) {
    if (under_way != nullptr && !IsOver(*under_way, request)) continue;
    const RunHistory* const run = AcceptedBy(request, task);
    // What the Worker only answers from a result that it keeps begins nothing anew.
    const bool wants = request.kind != RequestHistory::Kind::kResult &&
                       (run != nullptr || request.slot || request.refused);
    const RunHistory* const before = present ? errands.all[*present].run : nullptr;
    if (wants && (!present || (before != nullptr && IsOver(*before, request)))) {
      present = errands.all.size();
      errands.all.push_back({&task, count++, {}, nullptr});
    }
    if (!present) continue;
    Errand& errand = errands.all[*present];
    errand.requests.push_back(&request);
    if (run != nullptr) errand.run = run;
  }
}

}  // namespace

bool IsGrant(const RequestHistory& request) {
  return request.kind == RequestHistory::Kind::kReserve && request.slot.has_value();
}

Errands ErrandsOf(const replay::History& history) {
  Errands errands;
  for (const TaskHistory& task : history.tasks()) AddErrandsOf(task, errands);
  return errands;
}

}  // namespace blockx::tools
