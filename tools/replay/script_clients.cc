#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "blockx/engine/names.h"
#include "script_of_log.h"

namespace blockx::tools {
namespace {

using engine::Elapsed;
using engine::Instant;
using replay::Moment;
using replay::RequestHistory;
using replay::WatchHistory;
using After = sim::ActionScript::After;
using Kind = sim::ActionScript::Kind;

Kind KindOf(const RequestHistory& request) {
  switch (request.kind) {
    case RequestHistory::Kind::kReserve:
      return Kind::kReserve;
    case RequestHistory::Kind::kSubmit:
      return Kind::kSubmit;
    case RequestHistory::Kind::kResult:
      break;
  }
  return Kind::kResult;
}

class ErrandReader {
 public:
  ErrandReader(const Errand& errand, std::size_t index, Instant start)
      : errand_(errand), index_(index), start_(start) {}

  // `run`: in Script::runs, of its acceptance.
  void Read(std::size_t run, sim::Script& script) {
    sim::ErrandScript& own = script.errands.emplace_back();
    own.task_id = errand_.task->id;
    own.number = errand_.number;
    own.demand_is_unknown = true;
    for (const RequestHistory* request : errand_.requests) {
      sim::ActionScript action = ActionOf(*request);
      if (IsAcceptance(*request)) action.run = run;
      script.actions.push_back(std::move(action));
      Follow(*request);
      const bool submits = request->kind == RequestHistory::Kind::kSubmit;
      if (submits || IsGrant(*request)) own.demand_is_unknown = false;
    }
    if (errand_.run != nullptr && grant_) {
      script.runs[run].reserved_before = Elapsed(grant_->at.at, errand_.run->accepted.at);
    }
  }

 private:
  [[nodiscard]] bool IsAcceptance(const RequestHistory& request) const {
    return errand_.run != nullptr && request.at.sequence == errand_.run->accepted.sequence;
  }

  [[nodiscard]] sim::ActionScript ActionOf(const RequestHistory& request) const {
    sim::ActionScript action;
    action.kind = KindOf(request);
    action.errand = index_;
    action.order = request.at.sequence;
    action.grants_before = grants_;
    action.accepted_before = accepted_;
    Instant since = start_;
    if (accepted_) {
      action.after = After::kAcceptance;
      since = errand_.run->accepted.at;
    } else if (grant_ != nullptr && request.kind == RequestHistory::Kind::kSubmit) {
      action.after = After::kGrant;
      action.grant = grants_ - 1;
      since = grant_->at.at;
    }
    action.delay = Elapsed(since, request.at.at);
    action.ttl = request.ttl;
    if (request.kind != RequestHistory::Kind::kSubmit) return action;
    action.submission = SubmissionOf(request);
    action.names_granted_slot =
        grant_ != nullptr && request.slot_id == engine::SlotId(*grant_->slot);
    // A slot that was granted before the log is none that a Worker who begins empty has granted.
    if (grant_ != nullptr || !IsAcceptance(request)) action.slot_id = request.slot_id;
    return action;
  }

  void Follow(const RequestHistory& request) {
    if (IsGrant(request)) {
      grant_ = &request;
      ++grants_;
    }
    if (IsAcceptance(request)) accepted_ = true;
  }

  const Errand& errand_;
  std::size_t index_;
  Instant start_;
  const RequestHistory* grant_ = nullptr;  // The latest.
  std::size_t grants_ = 0;
  bool accepted_ = false;
};

// What a watch can hang on: the latest grant or acceptance of a task.
struct Hook {
  Moment at;
  std::size_t errand = 0;
  After after = After::kStart;
  std::size_t grant = 0;
};

using Hooks = std::map<std::string_view, std::vector<Hook>>;

Hooks HooksOf(const Errands& errands) {
  Hooks hooks;
  for (std::size_t i = 0; i < errands.all.size(); ++i) {
    const Errand& errand = errands.all[i];
    std::vector<Hook>& own = hooks[errand.task->id];
    std::size_t grants = 0;
    bool accepted = false;
    for (const RequestHistory* request : errand.requests) {
      if (accepted) break;
      if (IsGrant(*request)) own.push_back({request->at, i, After::kGrant, grants++});
      accepted = errand.run != nullptr && request->at.sequence == errand.run->accepted.sequence;
      if (accepted) own.push_back({request->at, i, After::kAcceptance, 0});
    }
  }
  return hooks;
}

std::optional<Hook> HookOf(const WatchHistory& watch, const Hooks& hooks) {
  for (const std::string& task_id : watch.task_ids) {
    const auto found = hooks.find(task_id);
    if (found == hooks.end()) continue;
    std::optional<Hook> latest;
    for (const Hook& hook : found->second) {
      if (hook.at.sequence < watch.opened.sequence) latest = hook;
    }
    if (latest) return latest;
  }
  return std::nullopt;
}

}  // namespace

sim::SubmissionScript SubmissionOf(const RequestHistory& request) {
  return {request.function,       request.function_payload,
          request.result_handler, request.result_handler_payload,
          request.timeout,        request.failure_policy,
          request.retry_policy};
}

void AddErrands(const Errands& errands, Instant start, sim::Script& script) {
  std::size_t run = 0;
  for (std::size_t i = 0; i < errands.all.size(); ++i) {
    ErrandReader(errands.all[i], i, start).Read(run, script);
    if (errands.all[i].run != nullptr) ++run;
  }
}

void AddWatches(const replay::History& history, const Errands& errands, sim::Script& script) {
  const Hooks hooks = HooksOf(errands);
  for (const WatchHistory& watch : history.watches()) {
    const std::optional<Hook> hook = HookOf(watch, hooks);
    sim::ActionScript open;
    open.kind = Kind::kOpenWatch;
    open.watch = watch.id;
    open.task_ids = watch.task_ids;
    open.order = watch.opened.sequence;
    if (hook) {
      open.errand = hook->errand;
      open.after = hook->after;
      open.grant = hook->grant;
    }
    open.delay = Elapsed(hook ? hook->at.at : script.start, watch.opened.at);
    script.actions.push_back(open);
    if (!watch.closed.happened()) continue;
    sim::ActionScript close = open;
    close.kind = Kind::kCloseWatch;
    close.task_ids.clear();
    close.delay += Elapsed(watch.opened.at, watch.closed.at);
    close.order = watch.closed.sequence;
    script.actions.push_back(std::move(close));
  }
}

}  // namespace blockx::tools
