// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>
#include <string>

#include <raw/vulkan.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

constexpr const char* text = R"(#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer data { float x[]; };
void main() {}
)";

/// All commands are recorded before the time is taken.
struct job {
  job(const std::string& device, std::size_t dispatches)
      : api(device), empty(api.build(text, 1, 0)), commands(api.begin()) {
    api.bind(commands, empty, {&x});
    for (std::size_t i = 0; i < dispatches; ++i) {
      raw::vulkan::order(commands);
      vkCmdDispatch(commands, 1, 1, 1);
    }
    raw::vulkan::end(commands);
  }

  raw::vulkan api;
  raw::vulkan_kernel empty;
  raw::vulkan_buffer x = api.zeros(64);
  VkCommandBuffer commands;
};

}  // namespace

contender by_hand::vulkan_round_trip(const settings& wanted, const std::string& device) {
  return {"vulkan", [count = counts_for(wanted).trips_to_driver, device] {
            const auto made = std::make_shared<job>(device, 1);
            return [made, count] {
              const auto work = [&] {
                for (std::size_t i = 0; i < count; ++i)
                  made->api.wait(made->api.submit(made->commands));
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

contender by_hand::vulkan_stream(const settings& wanted, const std::string& device) {
  return {"vulkan", [count = counts_for(wanted).stream, device] {
            const auto made = std::make_shared<job>(device, 1);
            return [made, count] {
              const auto work = [&] {
                for (std::size_t i = 0; i < count; ++i) made->api.submit(made->commands);
                made->api.wait();
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

contender by_hand::vulkan_commands(const settings& wanted, const std::string& device) {
  return {"vulkan_one_buffer", [count = counts_for(wanted).stream, device] {
            const auto made = std::make_shared<job>(device, count);
            return [made, count] {
              const auto work = [&] { made->api.wait(made->api.submit(made->commands)); };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

}  // namespace hocket::bench
