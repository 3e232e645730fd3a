// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/pool_resource.hpp>

#include <algorithm>
#include <cassert>
#include <functional>
#include <mutex>
#include <string>

#include <boost/intrusive/set.hpp>

namespace hocket {
namespace {

namespace intrusive = boost::intrusive;

constexpr std::size_t granule = 256;

struct by_place_tag;
struct by_size_tag;

using place_hook = intrusive::set_base_hook<intrusive::tag<by_place_tag>>;
using size_hook = intrusive::set_base_hook<intrusive::tag<by_size_tag>>;

/// A part of a chunk of upstream, free or handed out. Both trees are linked through it, so that
/// taking one back needs no memory.
struct range : place_hook, size_hook {
  allocation chunk;  // what upstream gave, and gets back
  std::size_t offset = 0;
  std::size_t bytes = 0;
  bool free = true;

  [[nodiscard]] bool whole_chunk() const noexcept {
    return offset == chunk.offset && bytes == chunk.bytes / granule * granule;
  }
};

struct place {
  void* chunk;
  std::size_t offset;
};
bool before(const place& a, const place& b) noexcept {
  if (a.chunk != b.chunk) return std::less<void*>{}(a.chunk, b.chunk);
  return a.offset < b.offset;
}
place place_of(const range& r) noexcept { return {r.chunk.chunk, r.offset}; }

struct place_less {
  bool operator()(const range& a, const range& b) const noexcept {
    return before(place_of(a), place_of(b));
  }
  bool operator()(const place& a, const range& b) const noexcept { return before(a, place_of(b)); }
  bool operator()(const range& a, const place& b) const noexcept { return before(place_of(a), b); }
};

struct size_less {
  // Of ranges of one size the first in address order is taken, which keeps the ends empty.
  bool operator()(const range& a, const range& b) const noexcept {
    return a.bytes != b.bytes ? a.bytes < b.bytes : place_less{}(a, b);
  }
  bool operator()(const range& a, std::size_t bytes) const noexcept { return a.bytes < bytes; }
};

// Upstream may itself cut its chunks, so neighbours in address are not always of one chunk.
bool adjoin(const range& a, const range& b) noexcept {
  return a.chunk.chunk == b.chunk.chunk && a.chunk.offset == b.chunk.offset &&
         a.offset + a.bytes == b.offset;
}

}  // namespace

struct pool_resource::content {
  memory_resource& upstream;
  std::size_t chunk_bytes;
  mutable std::mutex mutex;
  intrusive::set<range, intrusive::base_hook<place_hook>, intrusive::compare<place_less>> all;
  intrusive::set<range, intrusive::base_hook<size_hook>, intrusive::compare<size_less>> free;
  usage used;

  content(memory_resource& up, std::size_t bytes) : upstream(up), chunk_bytes(bytes) {}

  allocation take(range& r, std::size_t bytes, std::unique_ptr<range> rest);
  void give_back(range& r) noexcept;
  void absorb(range& left, range& right) noexcept;
  result<range*> grow(std::size_t bytes);
  void release_empty() noexcept;
  failure explain(const failure& why, std::size_t bytes) const;
};

// Hands out the front of a free range; `rest` becomes the entry of what is left of it, if anything.
allocation pool_resource::content::take(range& r, std::size_t bytes, std::unique_ptr<range> rest) {
  free.erase(free.iterator_to(r));
  r.free = false;
  if (r.bytes > bytes) {
    rest->chunk = r.chunk;
    rest->offset = r.offset + bytes;
    rest->bytes = r.bytes - bytes;
    r.bytes = bytes;
    free.insert(*rest);
    all.insert(*rest.release());
  }
  used.in_use += r.bytes;
  return {r.chunk.chunk, r.offset, r.bytes};
}

// The right one's bytes become the left one's. Neither is in the tree by size.
void pool_resource::content::absorb(range& left, range& right) noexcept {
  left.bytes += right.bytes;
  all.erase_and_dispose(all.iterator_to(right), std::default_delete<range>());
}

void pool_resource::content::give_back(range& r) noexcept {
  assert(!r.free);
  used.in_use -= r.bytes;
  r.free = true;
  range* joined = &r;
  const auto next = std::next(all.iterator_to(r));
  if (next != all.end() && next->free && adjoin(r, *next)) {
    free.erase(free.iterator_to(*next));
    absorb(r, *next);
  }
  const auto here = all.iterator_to(r);
  if (here != all.begin()) {
    const auto previous = std::prev(here);
    if (previous->free && adjoin(*previous, r)) {
      free.erase(free.iterator_to(*previous));
      joined = &*previous;
      absorb(*previous, r);
    }
  }
  free.insert(*joined);
}

result<range*> pool_resource::content::grow(std::size_t bytes) {
  auto fresh = std::make_unique<range>();
  result<allocation> given = upstream.allocate(chunk_bytes, granule);
  if (!given) {
    release_empty();
    given = upstream.allocate(chunk_bytes, granule);
  }
  if (!given) given = upstream.allocate(bytes, granule);
  if (!given) return explain(given.error(), bytes);
  fresh->chunk = given.value();
  fresh->offset = fresh->chunk.offset;
  fresh->bytes = fresh->chunk.bytes / granule * granule;
  used.held += fresh->bytes;
  ++used.chunks;
  free.insert(*fresh);
  all.insert(*fresh);
  return fresh.release();
}

void pool_resource::content::release_empty() noexcept {
  for (auto at = free.begin(); at != free.end();) {
    range& r = *at++;
    if (!r.whole_chunk()) continue;
    used.held -= r.bytes;
    --used.chunks;
    upstream.deallocate(r.chunk);
    free.erase(free.iterator_to(r));
    all.erase_and_dispose(all.iterator_to(r), std::default_delete<range>());
  }
}

failure pool_resource::content::explain(const failure& why, std::size_t bytes) const {
  return why.within("taking " + std::to_string(bytes) + " bytes for a pool that holds " +
                    std::to_string(used.held) + " bytes in " + std::to_string(used.chunks) +
                    " chunks, " + std::to_string(used.in_use) + " of them in use");
}

pool_resource::pool_resource(memory_resource& upstream, std::size_t chunk_bytes)
    : content_(std::make_unique<content>(upstream,
                                         std::max(granule, chunk_bytes / granule * granule))) {}

pool_resource::~pool_resource() {
  assert(content_->used.in_use == 0);
  content_->release_empty();
}

result<allocation> pool_resource::allocate(std::size_t bytes, std::size_t alignment) {
  content& c = *content_;
  const std::lock_guard lock(c.mutex);
  if (bytes > c.chunk_bytes / 2 || alignment > granule) {
    result<allocation> direct = c.upstream.allocate(bytes, alignment);
    if (direct) return direct;
    c.release_empty();
    direct = c.upstream.allocate(bytes, alignment);
    if (direct) return direct;
    return c.explain(direct.error(), bytes);
  }
  const std::size_t size = std::max(granule, (bytes + granule - 1) / granule * granule);
  auto rest = std::make_unique<range>();
  const auto fit = c.free.lower_bound(size, size_less{});
  if (fit != c.free.end()) return c.take(*fit, size, std::move(rest));
  result<range*> grown = c.grow(size);
  if (!grown) return grown.error();
  return c.take(*grown.value(), size, std::move(rest));
}

void pool_resource::deallocate(const allocation& a) noexcept {
  content& c = *content_;
  const std::lock_guard lock(c.mutex);
  const auto found = c.all.find(place{a.chunk, a.offset}, place_less{});
  if (found == c.all.end()) {
    c.upstream.deallocate(a);
  } else {
    c.give_back(*found);
  }
}

void pool_resource::release() noexcept {
  const std::lock_guard lock(content_->mutex);
  content_->release_empty();
}

pool_resource::usage pool_resource::now() const {
  const std::lock_guard lock(content_->mutex);
  return content_->used;
}

}  // namespace hocket
