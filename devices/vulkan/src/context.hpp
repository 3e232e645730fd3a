// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "facts.hpp"

namespace hocket::vulkan {

/// A queue, for one thread at a time.
struct queue {
  VkQueue handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  mutable std::mutex guard;
};

/// Commands, one behind the other, whose timeline reaches the value when all have ended.
struct submission {
  std::span<const VkCommandBuffer> commands;
  VkSemaphore timeline = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

/// A connected device as its driver sees it: what memory, programs and streams have in common, and
/// outlived by none of them.
class context {
 public:
  [[nodiscard]] static result<std::unique_ptr<context>> make(const found_device& found);
  ~context();
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return info_.name; }
  [[nodiscard]] const device_info& info() const noexcept { return info_; }
  [[nodiscard]] const facts& about() const noexcept { return facts_; }
  [[nodiscard]] const VkPhysicalDeviceLimits& limits() const noexcept {
    return facts_.properties.limits;
  }
  [[nodiscard]] const memory_plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const device_api& api() const noexcept { return api_; }
  [[nodiscard]] VkInstance instance_handle() const noexcept { return instance_->api().instance; }
  [[nodiscard]] queue& compute() noexcept { return compute_; }
  /// May be the same.
  [[nodiscard]] queue& transfer() noexcept { return separate_ ? transfer_ : compute_; }
  [[nodiscard]] bool two_families() const noexcept {
    return facts_.compute_family != facts_.transfer_family;
  }

  /// How many buffers of the device went away so far: as long as it stays the same, commands
  /// that were recorded for some buffers serve another launch that uses them.
  [[nodiscard]] std::uint64_t releases() const noexcept { return releases_; }
  void note_release() const noexcept { ++releases_; }

  /// Nothing is destroyed any more; see device::leave_driver().
  void leave_driver() noexcept;

  [[nodiscard]] failure failed(const std::string& what, VkResult code) const;
  /// No failure, or that the driver does not end a command, which is the loss of the device.
  [[nodiscard]] failure lost(VkResult code) const;

  [[nodiscard]] result<owned_semaphore> make_timeline() const;
  /// False as well where the driver does not say.
  [[nodiscard]] bool has_reached(VkSemaphore timeline, std::uint64_t value) const;
  // Where one of these two fails, the device has ended all that was submitted before it returns:
  // the caller gives back what earlier submissions use.
  /// Waits for as long as it takes.
  [[nodiscard]] VkResult wait(VkSemaphore timeline, std::uint64_t value) const;
  [[nodiscard]] VkResult submit(queue& to, const submission& what) const;

 private:
  context() = default;
  [[nodiscard]] VkResult create_device();
  [[nodiscard]] VkResult use_device(VkDevice device);
  /// Waits until the queues are idle, or the device is lost.
  void drain() const;

  std::optional<vulkan_device> adopted_;
  std::unique_ptr<const instance> instance_;
  facts facts_;
  device_info info_;
  memory_plan plan_;
  device_api api_;
  queue compute_;
  queue transfer_;
  bool separate_ = false;  // the queues are two
  mutable std::atomic<std::uint64_t> releases_{0};
};

/// A command pool with one or more command buffers, which go with it.
struct command_buffers {
  owned_command_pool pool;
  std::vector<VkCommandBuffer> buffers;
};
[[nodiscard]] result<command_buffers> make_command_buffers(const context& of, std::uint32_t family,
                                                           std::uint32_t count);

/// Begins a command buffer behind everything that was submitted before. It can be submitted again
/// when it has ended, or else once.
[[nodiscard]] VkResult begin(const context& of, VkCommandBuffer commands, bool again = false);
/// Ends it, so that the host sees what it wrote.
[[nodiscard]] VkResult end(const context& of, VkCommandBuffer commands);
/// Between two commands the second of which uses what the first one wrote.
void barrier(const context& of, VkCommandBuffer commands);

}  // namespace hocket::vulkan
