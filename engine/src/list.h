#ifndef BLOCKX_ENGINE_SRC_LIST_H_
#define BLOCKX_ENGINE_SRC_LIST_H_

#include "slab.h"

namespace blockx::engine {

// Doubly linked lists through elements of a pool (a Slab or a vector) by handle: plain values, so
// that an engine can be copied. `kLink` is the pointer to the element's Link member; an element is
// in at most one list per link, and its owner knows whether it is.
struct Link {
  Handle previous = kNone;
  Handle next = kNone;
};

struct List {
  Handle first = kNone;
  Handle last = kNone;
  [[nodiscard]] bool empty() const { return first == kNone; }
};

template <auto kLink, class Pool>
void InsertAfter(Pool& pool, List& list, Handle before,
                 Handle handle) {  // `before` kNone: at the front
  Link& link = pool[handle].*kLink;
  link.previous = before;
  link.next = before == kNone ? list.first : (pool[before].*kLink).next;
  (before == kNone ? list.first : (pool[before].*kLink).next) = handle;
  (link.next == kNone ? list.last : (pool[link.next].*kLink).previous) = handle;
}

template <auto kLink, class Pool>
void PushBack(Pool& pool, List& list, Handle handle) {
  InsertAfter<kLink>(pool, list, list.last, handle);
}

template <auto kLink, class Pool>
void Erase(Pool& pool, List& list, Handle handle) {
  const Link link = pool[handle].*kLink;
  (link.previous == kNone ? list.first : (pool[link.previous].*kLink).next) = link.next;
  (link.next == kNone ? list.last : (pool[link.next].*kLink).previous) = link.previous;
}

template <auto kLink, class Pool>
Handle PopFront(Pool& pool, List& list) {
  const Handle handle = list.first;
  if (handle != kNone) Erase<kLink>(pool, list, handle);
  return handle;
}

}  // namespace blockx::engine

#endif  // BLOCKX_ENGINE_SRC_LIST_H_
