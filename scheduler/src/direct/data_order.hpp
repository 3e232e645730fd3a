// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <mutex>

#include <hocket/core/shape.hpp>

#include "direct/direct_node.hpp"

namespace hocket::detail {

class host_storage;

/// What a runtime without other memory than the host's knows of one buffer: which nodes use it, in
/// which order, and where it is.
class data_order {
 public:
  using chain = heart::basic_version_chain<direct_node_ptr>;

  /// Nothing is written as yet.
  data_order(std::shared_ptr<host_storage> home, const box& whole, std::uint64_t bytes);
  data_order(const data_order&) = delete;
  data_order& operator=(const data_order&) = delete;
  ~data_order();

  /// Guards nodes(). Of several buffers the locks are taken in the order of their addresses.
  [[nodiscard]] std::mutex& guard() noexcept { return guard_; }
  [[nodiscard]] chain& nodes() noexcept { return nodes_; }

  [[nodiscard]] bool belongs_to(const host_storage& home) const noexcept {
    return home_.get() == &home;
  }

  /// Null if it has no memory as yet.
  [[nodiscard]] std::byte* address() const noexcept {
    // Pairs with the release in obtain().
    return address_.load(std::memory_order_acquire);
  }

  /// The address; takes memory if there is none, for which it may have to wait. Throws error if
  /// none is to be had.
  [[nodiscard]] std::byte* obtain(const completion& on_behalf_of);

 private:
  friend class host_storage;

  std::shared_ptr<host_storage> home_;
  std::uint64_t bytes_;
  std::mutex guard_;
  chain nodes_;
  std::atomic<std::byte*> address_{nullptr};
};

}  // namespace hocket::detail
