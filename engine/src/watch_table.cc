#include "watch_table.h"
#include "emit.h"

namespace blockx::engine {

std::int64_t WatchTable::NamedBy(WatchId watch) const {
  const auto found = watches_.find(watch);
  return found == watches_.end() ? 0 : found->second.named;
}

void WatchTable::Open(WatchId watch, std::int64_t named) {
  watches_[watch].named = named;
  named_ += named;
}

Handle WatchTable::Subscribe(WatchId watch_id, std::string_view task_id) {
  Handle watched = Find(task_id);
  if (watched == kNone) {
    watched = watched_.Allocate();
    watched_[watched].id = task_id;
    watched_[watched].active = kNone;
    watched_[watched].subscriptions = List();
    watched_index_.Insert(watched_, watched);
  }
  const Handle subscription = subscriptions_.Allocate();
  subscriptions_[subscription] = Subscription{.watch = watch_id, .watched = watched};
  List& by_watch_id = watched_[watched].subscriptions;
  Handle before = by_watch_id.last;
  while (before != kNone && subscriptions_[before].watch > watch_id)
    before = subscriptions_[before].of_watched.previous;
  InsertAfter<&Subscription::of_watched>(subscriptions_, by_watch_id, before, subscription);
  PushBack<&Subscription::of_watch>(subscriptions_, watches_[watch_id].subscriptions, subscription);
  return watched;
}

void WatchTable::Drop(Handle subscription, Watch& watch) {
  const Handle watched = subscriptions_[subscription].watched;
  Erase<&Subscription::of_watch>(subscriptions_, watch.subscriptions, subscription);
  Erase<&Subscription::of_watched>(subscriptions_, watched_[watched].subscriptions, subscription);
  subscriptions_.Free(subscription);
  if (!watched_[watched].subscriptions.empty()) return;
  watched_index_.Erase(watched_, watched);
  watched_.Free(watched);
}

void WatchTable::Close(WatchId watch_id, std::vector<Handle>& unwatched) {
  const auto found = watches_.find(watch_id);
  if (found == watches_.end()) return;
  Watch& watch = found->second;
  while (!watch.subscriptions.empty()) {
    const Handle subscription = watch.subscriptions.first;
    const Watched& watched = watched_[subscriptions_[subscription].watched];
    Drop(subscription, watch);
    if (watched.subscriptions.empty() && watched.active != kNone)
      unwatched.push_back(watched.active);
  }
  named_ -= watch.named;
  watches_.erase(found);
}

void WatchTable::EndIfComplete(WatchId watch_id, std::vector<Command>& out) {
  const auto found = watches_.find(watch_id);
  if (!found->second.subscriptions.empty()) return;
  Emit(out, EndWatch{watch_id, true});
  named_ -= found->second.named;
  watches_.erase(found);
}

void WatchTable::EndAll(std::vector<Command>& out) {
  for (auto& [watch_id, watch] : watches_) {
    Emit(out, EndWatch{watch_id, false});
    while (!watch.subscriptions.empty()) Drop(watch.subscriptions.first, watch);
  }
  watches_.clear();
  named_ = 0;
}

void WatchTable::TellPhase(Handle watched, std::string_view task_id, Phase phase,
                           std::vector<Command>& out) const {
  for (Handle i = watched_[watched].subscriptions.first; i != kNone;
       i = subscriptions_[i].of_watched.next) {
    Emit(out, NotifyWatch{subscriptions_[i].watch, task_id, TaskState::kRunning, phase, nullptr});
  }
}

void WatchTable::TellEnd(Handle watched, std::string_view task_id, const TaskResult& result,
                         std::vector<Command>& out) {
  while (!watched_[watched].subscriptions.empty()) {
    const Handle subscription = watched_[watched].subscriptions.first;
    const WatchId watch_id = subscriptions_[subscription].watch;
    Emit(out, NotifyWatch{watch_id, task_id, result.state, Phase::kTerminal, &result});
    Drop(subscription, watches_.find(watch_id)->second);
    EndIfComplete(watch_id, out);
  }
}

}  // namespace blockx::engine
