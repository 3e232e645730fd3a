// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include <hocket/memory/resource.hpp>

namespace hocket {

/// Keeps the blocks that are given back and hands one out again when its very size is asked for.
/// Blocks are never cut or rounded up: a pool has exactly the bytes in use that its callers count,
/// and a block that is not in use can always go back to upstream, whatever the blocks are (host
/// addresses, or handles that have no parts). Of blocks of one size the last one that was given
/// back is handed out first.
///
/// Kept blocks never make an allocation fail: when upstream refuses, all of them go back to it and
/// it is asked again. Otherwise the oldest go back as soon as there is more of them than allowed.
///
/// Allocating and freeing take O(log n) under one lock; upstream, which must live longer, is called
/// under it too.
class pool_resource final : public memory_resource {
 public:
  struct options {
    /// Smaller blocks are not kept: where they come from a heap, that is as fast as a pool.
    std::size_t least_bytes = 0;
    /// So many bytes may be kept, or more as long as the pool holds no more altogether than was in
    /// use at one time.
    std::size_t kept_bytes = std::size_t{64} << 20U;
  };
  struct usage {
    std::size_t in_use = 0;  ///< bytes of blocks that are handed out
    std::size_t kept = 0;    ///< bytes of blocks that wait to be used again
    friend bool operator==(const usage&, const usage&) = default;
  };

  pool_resource(memory_resource& upstream, options how);

  /// Gives all kept blocks back. Precondition: none is handed out.
  ~pool_resource() override;

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override;

  /// Of the blocks that are large enough to be kept.
  [[nodiscard]] usage now() const;

 private:
  struct content;
  std::unique_ptr<content> content_;
};

static_assert(std::is_base_of_v<memory_resource, pool_resource> &&
              !std::is_abstract_v<pool_resource>);

}  // namespace hocket
