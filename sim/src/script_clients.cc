#include "script_clients.h"

#include <string>

#include "blockx/engine/events.h"
#include "blockx/engine/names.h"

namespace blockx::sim {
namespace {

using engine::AddSaturating;
using engine::Duration;
using engine::Instant;
using Kind = ActionScript::Kind;
using After = ActionScript::After;

}  // namespace

ScriptClients::ScriptClients(const Script& script, const ScriptDonors& donors, ScriptQueue& queue,
                             ScriptPhases& phases, PlayGuesses& guesses)
    : script_(script),
      donors_(donors),
      queue_(queue),
      phases_(phases),
      guesses_(guesses),
      errands_(script.errands.size()) {
  for (std::uint32_t i = 0; i < script.actions.size(); ++i) {
    const ActionScript& action = script.actions[i];
    switch (action.after) {
      case After::kStart:
        Push(i, script.start);
        break;
      case After::kGrant:
        errands_[action.errand].after_grant.push_back(i);
        break;
      case After::kAcceptance:
        errands_[action.errand].after_acceptance.push_back(i);
        break;
    }
  }
}

void ScriptClients::Push(std::uint32_t index, Instant since) {
  const ActionScript& action = script_.actions[index];
  queue_.Push(AddSaturating(since, action.delay), Rank::kClient, action.order,
              ScriptDueKind::kAction, index);
}

std::uint64_t ScriptClients::EntityOf(std::size_t errand) const {
  const ErrandScript& script = script_.errands[errand];
  return EntityWithin(EntityNamed(script.task_id), script.number);
}

void ScriptClients::Act(const ScriptDue& due, engine::Driver& driver) {
  const ActionScript& action = script_.actions[due.index];
  switch (action.kind) {
    case Kind::kReserve:
      return Reserve(action, driver, due.at);
    case Kind::kSubmit:
      return Submit(action, driver, due.at);
    case Kind::kResult:
      (void)driver.Apply(engine::GetTaskResult{script_.errands[action.errand].task_id}, due.at);
      return;
    case Kind::kOpenWatch:
      return OpenWatch(action, driver, due.at);
    case Kind::kCloseWatch:
      driver.Apply(engine::CloseWatch{action.watch}, due.at);
      return;
  }
}

// It repeats what was refused then and was granted here.
bool ScriptClients::IsNeedless(const ActionScript& action) const {
  const Errand& errand = errands_[action.errand];
  if (errand.accepted && !action.accepted_before) return true;
  return action.kind == Kind::kReserve && errand.grants > action.grants_before;
}

void ScriptClients::Reserve(const ActionScript& action, engine::Driver& driver, Instant now) {
  if (IsNeedless(action)) return;
  Errand& errand = errands_[action.errand];
  const std::string& task_id = script_.errands[action.errand].task_id;
  const auto reply = driver.Apply(engine::RequestTaskSlot{task_id, action.ttl}, now);
  if (!reply.ok() || !reply.value().slot) return;
  errand.slot = reply.value().slot;
  FollowGrant(action.errand, now);
}

void ScriptClients::FollowGrant(std::size_t index, Instant now) {
  Errand& errand = errands_[index];
  const std::size_t grant = errand.grants++;
  for (const std::uint32_t action : errand.after_grant) {
    if (script_.actions[action].grant == grant) Push(action, now);
  }
  if (!script_.errands[index].demand_is_unknown || grant > 0) return;
  errand.guess = donors_.Run("", EntityOf(index));
  if (errand.guess == nullptr) return;  // Nobody knows what it would have asked for.
  queue_.Push(AddSaturating(now, errand.guess->reserved_before), Rank::kClient, kUnplaced,
              ScriptDueKind::kGuessed, static_cast<std::uint32_t>(index));
}

void ScriptClients::Submit(const ActionScript& action, engine::Driver& driver, Instant now) {
  if (IsNeedless(action)) return;
  const Errand& errand = errands_[action.errand];
  const std::string slot_id =
      action.names_granted_slot && errand.slot ? engine::SlotId(*errand.slot) : action.slot_id;
  const RunScript* shape = action.run ? &script_.runs[*action.run] : nullptr;
  const bool is_own = shape != nullptr;
  if (shape == nullptr) shape = donors_.Run(action.submission.function, EntityOf(action.errand));
  Send(action.errand, slot_id, action.submission, shape, is_own, driver, now);
}

void ScriptClients::Guess(const ScriptDue& due, engine::Driver& driver) {
  const Errand& errand = errands_[due.index];
  const std::string slot_id = errand.slot ? engine::SlotId(*errand.slot) : std::string();
  Send(due.index, slot_id, errand.guess->submission, errand.guess, false, driver, due.at);
}

void ScriptClients::Send(std::size_t index, std::string_view slot_id,
                         const SubmissionScript& submission, const RunScript* shape, bool is_own,
                         engine::Driver& driver, Instant now) {
  Errand& errand = errands_[index];
  engine::SubmitTask request;
  request.task_id = script_.errands[index].task_id;
  request.slot_id = slot_id;
  request.function = {submission.function, submission.function_payload};
  request.result_handler = {submission.result_handler, submission.result_handler_payload};
  request.timeout = submission.timeout;
  request.failure_policy = submission.failure_policy;
  request.retry_policy = submission.retry_policy;
  phases_.Expect({request.task_id, &submission, shape, is_own, EntityOf(index)});
  const std::size_t runs = phases_.runs();
  const auto reply = driver.Apply(request, now);
  const bool accepted_anew = phases_.runs() > runs;
  if (!reply.ok() || !accepted_anew || errand.accepted) return;
  errand.accepted = true;
  if (!is_own) ++guesses_.tasks;
  for (const std::uint32_t action : errand.after_acceptance) Push(action, now);
}

void ScriptClients::OpenWatch(const ActionScript& action, engine::Driver& driver, Instant now) {
  ids_.assign(action.task_ids.begin(), action.task_ids.end());
  (void)driver.Apply(engine::OpenWatch{action.watch, ids_}, now);
}

}  // namespace blockx::sim
