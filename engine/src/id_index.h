#ifndef BLOCKX_ENGINE_SRC_ID_INDEX_H_
#define BLOCKX_ENGINE_SRC_ID_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "blockx/engine/fingerprint.h"
#include "slab.h"

namespace blockx::engine {

// Finds a Slab element by its `id` member. Each id is stored once, in its element, and so is its
// hash, in the member `id_hash` that belongs to this index; the index itself holds handles and
// hashes, so it copies as plain data. Looked up, never iterated: its order differs even between an
// index and its copy.
template <class T>
class IdIndex {
 public:
  [[nodiscard]] Handle Find(const Slab<T>& slab, std::string_view id) const {
    const auto found = entries_.find(Probe{&slab, id, Hash(id)});
    return found == entries_.end() ? kNone : found->handle;
  }
  void Insert(Slab<T>& slab, Handle handle) {
    slab[handle].id_hash = Hash(slab[handle].id);
    entries_.insert(Entry{slab[handle].id_hash, handle});
  }
  void Erase(const Slab<T>& slab, Handle handle) {
    entries_.erase(Entry{slab[handle].id_hash, handle});
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    std::uint32_t hash;
    Handle handle;
  };
  struct Probe {
    const Slab<T>* slab;
    std::string_view id;
    std::uint32_t hash;
  };
  static std::uint32_t Hash(std::string_view id) {
    return static_cast<std::uint32_t>(Fingerprint::Of(id));
  }

  struct HashOf {
    using is_transparent = void;
    // The set takes its control byte from the low bits and the place from the others: spread 32
    // bits over the word.
    static std::size_t Spread(std::uint32_t hash) {
      return hash * std::uint64_t{0x9e3779b97f4a7c15};
    }
    std::size_t operator()(const Entry& entry) const { return Spread(entry.hash); }
    std::size_t operator()(const Probe& probe) const { return Spread(probe.hash); }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Entry& a, const Entry& b) const { return a.handle == b.handle; }
    bool operator()(const Entry& a, const Probe& b) const {
      return a.hash == b.hash && (*b.slab)[a.handle].id == b.id;
    }
    bool operator()(const Probe& a, const Entry& b) const { return (*this)(b, a); }
  };
  absl::flat_hash_set<Entry, HashOf, Same> entries_;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_ID_INDEX_H_
