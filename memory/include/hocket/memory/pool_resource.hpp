// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <type_traits>

#include <hocket/memory/resource.hpp>

namespace hocket {

/// Takes chunks from upstream and hands out parts of them, best fit first; freed neighbours are
/// joined. Its bookkeeping is on the host alone, so the memory may be any device's. Allocating and
/// freeing take O(log n) under one lock; upstream, which must live longer, is called under it too.
/// Sizes are rounded up to 256 bytes. More than half a chunk, or an alignment above 256, goes to
/// upstream directly.
class pool_resource final : public memory_resource {
 public:
  struct usage {
    std::size_t in_use = 0;  ///< bytes of parts that are handed out
    std::size_t held = 0;    ///< bytes of all chunks
    std::size_t chunks = 0;
    friend bool operator==(const usage&, const usage&) = default;
  };

  pool_resource(memory_resource& upstream, std::size_t chunk_bytes);

  /// Gives all chunks back. Precondition: nothing is handed out.
  ~pool_resource() override;

  /// When upstream gives no whole chunk, empty chunks go back to it and what is left is tried.
  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(const allocation& a) noexcept override;

  /// Gives the empty chunks back to upstream.
  void release() noexcept;

  [[nodiscard]] usage now() const;

 private:
  struct content;
  std::unique_ptr<content> content_;
};

static_assert(std::is_base_of_v<memory_resource, pool_resource> &&
              !std::is_abstract_v<pool_resource>);

}  // namespace hocket
