// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>

#include <raw/vulkan.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// From one buffer to another: to the driver it is the same both ways.
struct job {
  job(std::size_t bytes, const device_info& device)
      : api(device.description), from(api.zeros(bytes)), to(api.zeros(bytes)), copy(api.begin()) {
    raw::vulkan::copy(copy, from, to, bytes);
    raw::vulkan::end(copy);
  }

  void run(const transfer& what) {
    for (std::size_t i = 0; i < what.calls; ++i) api.wait(api.submit(copy));
  }

  raw::vulkan api;
  raw::vulkan_buffer from, to;
  VkCommandBuffer copy;
};

}  // namespace

contender vulkan_copy(const transfer& what, const device_info& device) {
  return {"vulkan", [what, device] {
            const auto made = std::make_shared<job>(what.bytes, device);
            return [made, what] { return what.each(nanoseconds_of([&] { made->run(what); })); };
          }};
}

}  // namespace hocket::bench
