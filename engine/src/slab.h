#ifndef BLOCKX_ENGINE_SRC_SLAB_H_
#define BLOCKX_ENGINE_SRC_SLAB_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace blockx::engine {

// Names an element of a Slab. Handles never decide an order: they depend on what was freed before.
using Handle = std::uint32_t;
inline constexpr Handle kNone = ~Handle{0};

// A pool of recycled elements named by handles. References stay valid while it grows. An element
// that is freed keeps its contents until Reclaim, which the engine calls when the next step begins:
// the last step's commands still point at them. A recycled element is handed out as it was left (so
// its strings and vectors keep their capacity): the taker sets it. An element with a Recycle() lets
// go there of what should not wait for the next taker, such as payloads. Copyable; the copy has the
// same handles.
template <class T>
class Slab {
 public:
  Slab() = default;
  Slab(const Slab& other) { *this = other; }
  Slab& operator=(const Slab& other) {
    if (this == &other) return *this;
    chunks_.clear();
    for (const std::vector<T>& chunk : other.chunks_) {
      chunks_.emplace_back().reserve(kChunk);
      chunks_.back().insert(chunks_.back().end(), chunk.begin(), chunk.end());
    }
    free_ = other.free_;
    dying_ = other.dying_;
    live_ = other.live_;
    return *this;
  }
  Slab(Slab&&) noexcept = default;
  Slab& operator=(Slab&&) noexcept = default;
  ~Slab() = default;

  Handle Allocate() {
    ++live_;
    if (!free_.empty()) {
      const Handle handle = free_.back();
      free_.pop_back();
      return handle;
    }
    if (chunks_.empty() || chunks_.back().size() == kChunk) chunks_.emplace_back().reserve(kChunk);
    chunks_.back().emplace_back();
    return static_cast<Handle>((chunks_.size() - 1) * kChunk + chunks_.back().size() - 1);
  }

  void Free(Handle handle) {
    --live_;
    dying_.push_back(handle);
  }

  void Reclaim() {
    if (dying_.empty()) return;
    for (const Handle handle : dying_) {
      if constexpr (requires(T & element) { element.Recycle(); }) (*this)[handle].Recycle();
      free_.push_back(handle);
    }
    dying_.clear();
  }

  T& operator[](Handle handle) { return chunks_[handle / kChunk][handle % kChunk]; }
  const T& operator[](Handle handle) const { return chunks_[handle / kChunk][handle % kChunk]; }
  [[nodiscard]] std::size_t live() const { return live_; }

 private:
  static constexpr std::size_t kChunk = 128;
  std::vector<std::vector<T>>
      chunks_;  // Invariant: all are full but the last; none ever reallocates.
  std::vector<Handle> free_;
  std::vector<Handle> dying_;
  std::size_t live_ = 0;
};

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_SLAB_H_
