// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace standin {

/// Memory that is valid as a whole: an allocation on a device or of the host.
struct extent {
  std::uint64_t begin = 0;
  std::size_t bytes = 0;
  char* host = nullptr;  ///< where the driver itself reads and writes it

  [[nodiscard]] bool covers(std::uint64_t address, std::size_t size) const {
    return address >= begin && address - begin <= bytes && size <= bytes - (address - begin);
  }
};

/// Allocations by address.
class extent_table {
 public:
  void add(const extent& e);
  bool remove(std::uint64_t begin);
  [[nodiscard]] std::optional<extent> find(std::uint64_t address, std::size_t size) const;
  [[nodiscard]] std::size_t count() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, extent> extents_;
};

/// How often any allocation has ended. A copy of an `extent` is valid while this number stays.
std::uint64_t memory_version();

/// The memory of one device. Its addresses are mapped without access; the driver has a second
/// mapping of the same pages.
class device_memory {
 public:
  explicit device_memory(std::size_t bytes);

  /// Returns 0 where there is no room.
  std::uint64_t allocate(std::size_t bytes);
  /// False if no allocation begins at `address`.
  bool free(std::uint64_t address);

  [[nodiscard]] std::optional<extent> find(std::uint64_t address, std::size_t size) const {
    return table_.find(address, size);
  }
  [[nodiscard]] bool owns(std::uint64_t address) const {
    return address >= begin_ && address - begin_ < bytes_;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t free_bytes() const;
  [[nodiscard]] std::size_t allocations() const { return table_.count(); }

 private:
  std::uint64_t begin_ = 0;
  char* host_ = nullptr;
  std::size_t bytes_;
  extent_table table_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::size_t> holes_;  ///< offset and bytes of what is free
  std::map<std::uint64_t, std::size_t> used_;
};

/// Host memory that devices may use in place: page-locked by the driver, or registered with it.
struct host_memory_table {
  extent_table locked;
  extent_table registered;

  [[nodiscard]] std::optional<extent> find(std::uint64_t address, std::size_t size) const {
    const auto found = locked.find(address, size);
    return found ? found : registered.find(address, size);
  }
};

host_memory_table& host_allocations();

/// Ends a page-locked or registered allocation.
void free_host_memory(std::uint64_t begin);

/// The memory that the kernels of one context may touch, with the last extents kept at hand. Used
/// by one thread.
class memory_view {
 public:
  explicit memory_view(std::vector<const device_memory*> of) : devices_(std::move(of)) {}

  /// Returns where the driver finds the bytes, or null if they are not in one live allocation.
  /// `slot` tells apart who asks: each instruction mostly stays in one allocation.
  char* find(std::uint64_t address, std::size_t size, std::size_t slot) {
    kept& k = kept_[slot % kept_.size()];
    if (k.version == memory_version() && k.memory.covers(address, size)) {
      return k.memory.host + (address - k.memory.begin);
    }
    return look_up(address, size, k);
  }

 private:
  struct kept {
    extent memory;
    std::uint64_t version = ~std::uint64_t{0};
  };

  char* look_up(std::uint64_t address, std::size_t size, kept& into);

  std::vector<const device_memory*> devices_;
  std::array<kept, 16> kept_;
};

}  // namespace standin
