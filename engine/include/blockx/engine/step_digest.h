#ifndef BLOCKX_ENGINE_STEP_DIGEST_H_
#define BLOCKX_ENGINE_STEP_DIGEST_H_

#include <cstdint>
#include <span>
#include <variant>

#include "blockx/engine/commands.h"
#include "blockx/engine/events.h"
#include "blockx/engine/fingerprint.h"
#include "blockx/engine/replies.h"
#include "blockx/engine/time.h"

// The digest of a history: each step's is chained over the previous one's, `now`, the event, the
// reply and the commands; payloads enter by size and fingerprint. The definition is part of the
// event log's format: every field in the order of its declaration, a variant after its index, a
// span after its length.
namespace blockx::engine {

namespace digest {

// One overload for each kind of event, reply and command: what a step's digest covers.
void Add(Fingerprint& digest, const RequestTaskSlot& event);
void Add(Fingerprint& digest, const SubmitTask& event);
void Add(Fingerprint& digest, const GetTaskResult& event);
void Add(Fingerprint& digest, const OpenWatch& event);
void Add(Fingerprint& digest, const CloseWatch& event);
void Add(Fingerprint& digest, const ActivationPrepared& event);
void Add(Fingerprint& digest, const ActivationFailed& event);
void Add(Fingerprint& digest, const BuilderFinished& event);
void Add(Fingerprint& digest, const CallsAppended& event);
void Add(Fingerprint& digest, const CallStreamEnded& event);
void Add(Fingerprint& digest, const WriterFinished& event);
void Add(Fingerprint& digest, const ExecutorConnected& event);
void Add(Fingerprint& digest, const ExecutorHeartbeat& event);
void Add(Fingerprint& digest, const ExecutorExited& event);
void Add(Fingerprint& digest, const CallSucceeded& event);
void Add(Fingerprint& digest, const CallFailed& event);
void Add(Fingerprint& digest, const SubcallRequested& event);
inline void Add(Fingerprint&, const Start&) {}
inline void Add(Fingerprint&, const Tick&) {}
inline void Add(Fingerprint&, const BeginDrain&) {}
inline void Add(Fingerprint&, const ForceStop&) {}
void Add(Fingerprint& digest, const Error& reply);
void Add(Fingerprint& digest, const TaskView& reply);
void Add(Fingerprint& digest, const WatchView& reply);
void Add(Fingerprint& digest, const Command& command);

// The index of an alternative in its variant, as std::variant::index would say it.
template <class T, class... Ts>
constexpr std::uint64_t IndexIn(const std::variant<Ts...>*) {
  std::uint64_t index = 0;
  static_cast<void>(((std::is_same_v<T, Ts> ? false : (++index, true)) && ...));
  return index;
}
template <class E>
inline constexpr std::uint64_t kEventIndex = IndexIn<E>(static_cast<const Event*>(nullptr));

}  // namespace digest

// What the typed door's reply is in the Reply variant.
inline void AddReply(Fingerprint& digest, std::monostate) { digest.Add(std::uint64_t{0}); }
template <class View>
void AddReply(Fingerprint& digest, const Result<View>& reply) {
  digest.Add(std::uint64_t{reply.ok() ? Reply(View()).index() : Reply(Error()).index()});
  if (reply.ok()) {
    digest::Add(digest, reply.value());
  } else {
    digest::Add(digest, reply.error());
  }
}

template <class E, class R>
std::uint64_t ChainDigest(std::uint64_t previous, Instant now, const E& event, const R& reply,
                          std::span<const Command> commands) {
  Fingerprint digest(previous);
  digest.Add(static_cast<std::uint64_t>(ToMicroseconds(now)));
  digest.Add(digest::kEventIndex<E>);
  digest::Add(digest, event);
  AddReply(digest, reply);
  digest.Add(std::uint64_t{commands.size()});
  for (const Command& command : commands) digest::Add(digest, command);
  return digest.value();
}

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_STEP_DIGEST_H_
