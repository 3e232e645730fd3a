// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace hocket::fake {

/// When a Vulkan device runs what is submitted, of which a program must make no assumption.
enum class pace : int {
  own,    ///< as the real driver does
  eager,  ///< before the submission returns
  lazy,   ///< as late as can be: when somebody waits for it
};

/// The functions of the real driver.
struct pace_functions {
  PFN_vkQueueSubmit submit;
  PFN_vkQueueWaitIdle wait_for_queue;
  PFN_vkWaitSemaphores wait;
  PFN_vkGetSemaphoreCounterValue value;
  PFN_vkDeviceWaitIdle wait_for_device;
};

/// Submissions of the kind that Hocket makes: one each, nothing to wait for, one timeline.
class submissions {
 public:
  void set(pace how) {
    const std::lock_guard lock(guard_);
    pace_ = how;
  }

  VkResult submit(const pace_functions& driver, VkQueue queue, const VkSubmitInfo& what) {
    const std::lock_guard lock(guard_);
    if (pace_ == pace::own) return driver.submit(queue, 1, &what, VK_NULL_HANDLE);
    const auto* const values = static_cast<const VkTimelineSemaphoreSubmitInfo*>(what.pNext);
    waiting_.push_back({queue,
                        {what.pCommandBuffers, what.pCommandBuffers + what.commandBufferCount},
                        *what.pSignalSemaphores,
                        *values->pSignalSemaphoreValues});
    return pace_ == pace::eager ? run_first(driver) : VK_SUCCESS;
  }

  VkResult wait(const pace_functions& driver, VkDevice device, const VkSemaphoreWaitInfo& what,
                std::uint64_t time) {
    {
      const std::lock_guard lock(guard_);
      std::uint64_t reached = 0;
      VkResult code = VK_SUCCESS;
      while (code == VK_SUCCESS && !waiting_.empty()) {
        code = driver.value(device, *what.pSemaphores, &reached);
        if (reached >= *what.pValues) break;
        if (code == VK_SUCCESS) code = run_first(driver);
      }
      if (code != VK_SUCCESS) return code;
    }
    return driver.wait(device, &what, time);
  }

  /// Who asks again, where nothing has happened since, waits.
  VkResult value(const pace_functions& driver, VkDevice device, VkSemaphore of, std::uint64_t* to) {
    const std::lock_guard lock(guard_);
    const VkResult code = driver.value(device, of, to);
    if (code != VK_SUCCESS || waiting_.empty()) return code;
    const auto [known, first] = told_.try_emplace(of, *to);
    const bool again = !first && known->second == *to;
    known->second = *to;
    return again ? run_first(driver) : code;
  }

  VkResult wait_for_device(const pace_functions& driver, VkDevice device) {
    const std::lock_guard lock(guard_);
    while (!waiting_.empty()) {
      if (const VkResult code = run_first(driver); code != VK_SUCCESS) return code;
    }
    told_.clear();  // semaphores of the next device may have the same handles
    return driver.wait_for_device(device);
  }

 private:
  struct submission {
    VkQueue queue;
    std::vector<VkCommandBuffer> commands;
    VkSemaphore timeline;
    std::uint64_t value;
  };

  VkResult run_first(const pace_functions& driver) {
    const submission now = std::move(waiting_.front());
    waiting_.pop_front();
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &now.value;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &values;
    info.commandBufferCount = static_cast<std::uint32_t>(now.commands.size());
    info.pCommandBuffers = now.commands.data();
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &now.timeline;
    const VkResult code = driver.submit(now.queue, 1, &info, VK_NULL_HANDLE);
    return code == VK_SUCCESS ? driver.wait_for_queue(now.queue) : code;
  }

  std::mutex guard_;  // for what follows
  pace pace_ = pace::own;
  std::deque<submission> waiting_;
  std::map<VkSemaphore, std::uint64_t> told_;
};

}  // namespace hocket::fake
