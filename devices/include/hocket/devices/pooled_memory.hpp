// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <utility>
#include <vector>

#include <hocket/devices/device.hpp>
#include <hocket/memory/limit_resource.hpp>
#include <hocket/memory/pool_resource.hpp>

namespace hocket {

/// A memory as the runtime uses it. On top of the bottom there is a limit, which is what the device
/// says it has, and a pool where the device keeps_freed_blocks. Thread-safe.
class pooled_memory final : public memory_resource {
 public:
  /// bottom is the memory of the device that info describes. If it is the host's, importing are the
  /// devices that use it in place: they are told of each block that goes back to the bottom. Bottom
  /// and devices outlive this.
  pooled_memory(memory_resource& bottom, const device_info& info,
                std::vector<device*> importing = {});

  [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override {
    return pool_.allocate(bytes, alignment);
  }
  void deallocate(const allocation& a) noexcept override { pool_.deallocate(a); }

  /// Memory that is none of this is used by the same devices, until forget().
  void remember(const allocation& a) { imported_.remember(a); }

  /// Memory that is none of this, but was used by the same devices, goes back to its owner.
  void forget(const allocation& a) noexcept {
    for (device* user : imported_.users) user->forget(a);
  }

  /// The device imports the memory from now on, or no longer. Not while another thread uses this.
  void add_user(device& importing) { imported_.users.push_back(&importing); }
  void remove_user(const device& importing) { std::erase(imported_.users, &importing); }

 private:
  /// Has devices forget a block before it goes back to the bottom.
  class imported_memory final : public memory_resource {
   public:
    imported_memory(memory_resource& bottom, std::vector<device*> all)
        : users(std::move(all)), bottom_(bottom) {}
    [[nodiscard]] result<allocation> allocate(std::size_t bytes, std::size_t alignment) override {
      result<allocation> made = bottom_.allocate(bytes, alignment);
      if (made) remember(made.value());
      return made;
    }
    void deallocate(const allocation& a) noexcept override {
      for (device* user : users) user->forget(a);
      bottom_.deallocate(a);
    }

    void remember(const allocation& a) {
      for (device* user : users) user->remember(a);
    }

    std::vector<device*> users;

   private:
    memory_resource& bottom_;
  };

  imported_memory imported_;
  limit_resource limit_;
  pool_resource pool_;
};

}  // namespace hocket
