// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/pool_resource.hpp>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <functional>
#include <mutex>

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

namespace hocket {
namespace {

namespace intrusive = boost::intrusive;

struct by_place_tag;
struct by_size_tag;
struct by_age_tag;

using place_hook = intrusive::set_base_hook<intrusive::tag<by_place_tag>>;
using size_hook = intrusive::set_base_hook<intrusive::tag<by_size_tag>>;
using age_hook = intrusive::list_base_hook<intrusive::tag<by_age_tag>>;

/// A block of upstream, kept or handed out. It is linked through itself, so that giving one back
/// needs no memory.
struct block : place_hook, size_hook, age_hook {
  allocation where;           // what upstream gave, and gets back
  std::size_t bytes = 0;      // that it was asked for
  std::size_t alignment = 0;  // that it was asked for
};

struct place_less {
  using is_transparent = void;
  static bool before(const allocation& a, const allocation& b) noexcept {
    return std::less<void*>{}(a.chunk, b.chunk);
  }
  bool operator()(const block& a, const block& b) const noexcept {
    return before(a.where, b.where);
  }
  bool operator()(const allocation& a, const block& b) const noexcept { return before(a, b.where); }
  bool operator()(const block& a, const allocation& b) const noexcept { return before(a.where, b); }
};

struct wanted {
  std::size_t bytes;
  std::size_t alignment;
};

struct size_less {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const noexcept {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.alignment < b.alignment;
  }
};

}  // namespace

struct pool_resource::content {
  memory_resource& upstream;
  const options how;
  mutable std::mutex mutex;
  intrusive::set<block, intrusive::base_hook<place_hook>, intrusive::compare<place_less>> all;
  intrusive::multiset<block, intrusive::base_hook<size_hook>, intrusive::compare<size_less>> kept;
  intrusive::list<block, intrusive::base_hook<age_hook>> oldest_first;  // of those that are kept
  usage used;
  std::size_t peak = 0;  // of used.in_use

  content(memory_resource& up, options given) : upstream(up), how(given) {}

  [[nodiscard]] block* take_kept(wanted what) noexcept;
  [[nodiscard]] result<allocation> obtain(wanted what);
  void keep(block& b) noexcept;
  void forget(block& b) noexcept;
  void give_back(block& b) noexcept;
  void keep_at_most(std::size_t bytes) noexcept;
  [[nodiscard]] std::size_t allowed(std::size_t in_use) const noexcept;
};

block* pool_resource::content::take_kept(wanted what) noexcept {
  const auto fit = kept.lower_bound(what, size_less{});
  if (fit == kept.end() || fit->bytes != what.bytes) return nullptr;
  forget(*fit);
  return &*fit;
}

/// From upstream, which gets kept blocks back if it refuses.
result<allocation> pool_resource::content::obtain(wanted what) {
  result<allocation> given = upstream.allocate(what.bytes, what.alignment);
  if (given || used.kept == 0) return given;
  keep_at_most(0);
  return upstream.allocate(what.bytes, what.alignment);
}

void pool_resource::content::keep(block& b) noexcept {
  used.kept += b.bytes;
  kept.insert_before(kept.lower_bound(b, size_less{}), b);
  oldest_first.push_back(b);
}

/// It is no longer one of those that are kept.
void pool_resource::content::forget(block& b) noexcept {
  used.kept -= b.bytes;
  kept.erase(kept.iterator_to(b));
  oldest_first.erase(oldest_first.iterator_to(b));
}

void pool_resource::content::give_back(block& b) noexcept {
  upstream.deallocate(b.where);
  all.erase_and_dispose(all.iterator_to(b), std::default_delete<block>());
}

void pool_resource::content::keep_at_most(std::size_t bytes) noexcept {
  while (used.kept > bytes) {
    block& oldest = oldest_first.front();
    forget(oldest);
    give_back(oldest);
  }
}

std::size_t pool_resource::content::allowed(std::size_t in_use) const noexcept {
  return std::max(how.kept_bytes, peak > in_use ? peak - in_use : 0);
}

pool_resource::pool_resource(memory_resource& upstream, options how)
    : content_(std::make_unique<content>(upstream, how)) {}

pool_resource::~pool_resource() {
  assert(content_->used.in_use == 0);
  content_->keep_at_most(0);
}

result<allocation> pool_resource::allocate(std::size_t bytes, std::size_t alignment) {
  content& c = *content_;
  const wanted what{bytes, alignment};
  if (bytes < c.how.least_bytes) {
    result<allocation> given = c.upstream.allocate(bytes, alignment);
    if (given) return given;
    const std::lock_guard lock(c.mutex);
    return c.obtain(what);
  }
  const std::lock_guard lock(c.mutex);
  block* found = c.take_kept(what);
  if (found == nullptr) {
    auto fresh = std::make_unique<block>();
    if (bytes <= SIZE_MAX - c.used.in_use) c.keep_at_most(c.allowed(c.used.in_use + bytes));
    const result<allocation> given = c.obtain(what);
    if (!given) return given;
    fresh->where = given.value();
    fresh->bytes = bytes;
    fresh->alignment = alignment;
    found = fresh.release();
    c.all.insert(*found);
  }
  c.used.in_use += bytes;
  c.peak = std::max(c.peak, c.used.in_use);
  return found->where;
}

void pool_resource::deallocate(const allocation& a) noexcept {
  content& c = *content_;
  // Upstream gives at least what was asked for: what has fewer bytes was not kept.
  if (a.bytes < c.how.least_bytes) return c.upstream.deallocate(a);
  const std::lock_guard lock(c.mutex);
  const auto found = c.all.find(a, place_less{});
  if (found == c.all.end()) return c.upstream.deallocate(a);
  c.used.in_use -= found->bytes;
  c.keep(*found);
  c.keep_at_most(c.allowed(c.used.in_use));
}

pool_resource::usage pool_resource::now() const {
  const std::lock_guard lock(content_->mutex);
  return content_->used;
}

}  // namespace hocket
