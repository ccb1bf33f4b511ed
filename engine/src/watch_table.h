#ifndef BLOCKX_ENGINE_SRC_WATCH_TABLE_H_
#define BLOCKX_ENGINE_SRC_WATCH_TABLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "blockx/engine/commands.h"
#include "blockx/engine/ids.h"
#include "id_index.h"
#include "list.h"
#include "slab.h"

namespace blockx::engine {

// Who watches which task id. A watch subscribes to ids, known or not; a subscription ends when its
// task's end was told.
class WatchTable {
 public:
  // ---- The watches ----
  [[nodiscard]] bool IsOpen(WatchId watch) const { return watches_.contains(watch); }
  [[nodiscard]] std::int64_t open_count() const {
    return static_cast<std::int64_t>(watches_.size());
  }
  [[nodiscard]] std::int64_t named_count() const { return named_; }
  // How many ids an open watch named; 0 when it is not open.
  [[nodiscard]] std::int64_t NamedBy(WatchId watch) const;

  // Precondition: not open. `named`: how many different ids it names (R-LIM).
  void Open(WatchId watch, std::int64_t named);
  // The watched id's entry, made if there is none yet. Precondition: the watch is open and does not
  // subscribe to it.
  Handle Subscribe(WatchId watch, std::string_view task_id);
  // The watch goes without a word. Puts the active tasks that nobody watches any more into
  // `unwatched`, in the order asked.
  void Close(WatchId watch, std::vector<Handle>& unwatched);
  // Emits EndWatch{complete} and forgets the watch, if all its tasks have ended.
  void EndIfComplete(WatchId watch, std::vector<Command>& out);
  // EndWatch{not complete} for all that are open, by watch id.
  void EndAll(std::vector<Command>& out);

  // ---- The watched ids ----
  [[nodiscard]] Handle Find(std::string_view task_id) const {
    return watched_index_.empty() ? kNone : watched_index_.Find(watched_, task_id);
  }
  void SetActive(Handle watched, Handle active) { watched_[watched].active = active; }
  // Tells the watchers, by watch id, that an active task has entered a phase.
  void TellPhase(Handle watched, std::string_view task_id, Phase phase,
                 std::vector<Command>& out) const;
  // Tells them its end and drops the subscriptions.
  void TellEnd(Handle watched, std::string_view task_id, const TaskResult& result,
               std::vector<Command>& out);

  void Reclaim() {
    watched_.Reclaim();
    subscriptions_.Reclaim();
  }

 private:
  friend class SnapshotWriter;
  friend class SnapshotReader;
  friend class InvariantChecker;
  friend class StateInspector;

  struct Watch {
    std::int64_t named = 0;  // different ids, those that are done included
    List subscriptions{};    // those that are not done, in the order asked
  };
  struct Watched {
    std::string id;
    std::uint32_t id_hash = 0;
    Handle active =
        kNone;  // the active task of that id. Invariant: that task's `watched` is this entry.
    List subscriptions{};  // by watch id. Invariant: never empty.
  };
  struct Subscription {
    WatchId watch{};
    Handle watched = kNone;
    Link of_watch{};
    Link of_watched{};
  };

  void Drop(Handle subscription, Watch& watch);

  std::map<WatchId, Watch> watches_;
  Slab<Watched> watched_;
  IdIndex<Watched> watched_index_;
  Slab<Subscription> subscriptions_;
  std::int64_t named_ = 0;  // Invariant: the sum of `named` over the open watches.
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_WATCH_TABLE_H_
