// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <memory>

#include <raw/vulkan.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

constexpr const char* text = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer source { float x[]; };
layout(set = 0, binding = 1, std430) buffer target { float y[]; };
layout(push_constant) uniform numbers { float a; float b; float c; uint count; };
void main() {
  uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += step) {
    float t = min(a * x[i] + b, c);
    y[i] += t * t + t;
  }
}
)";
constexpr std::uint32_t local_size = 64;

struct numbers {
  float a = chain::a, b = chain::b, c = chain::c;
  std::uint32_t count;
};

/// For each work-item: a group costs more than what one element does.
constexpr std::size_t elements_each = 16;

struct job {
  job(const std::string& description, std::size_t size)
      : api(description),
        kernel(api.build(text, 2, sizeof(numbers))),
        x(api.zeros(size * sizeof(float))),
        y(api.zeros(size * sizeof(float))),
        commands(api.begin()) {
    api.bind(commands, kernel, {&x, &y});
    raw::vulkan::push(commands, kernel, numbers{.count = static_cast<std::uint32_t>(size)});
    const std::size_t groups = std::max(size / local_size / elements_each, std::size_t{1});
    vkCmdDispatch(commands, static_cast<std::uint32_t>(groups), 1, 1);
    raw::vulkan::order(commands);
    raw::vulkan::end(commands);
  }

  void run(std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) api.submit(commands);
    api.wait();
  }

  raw::vulkan api;
  raw::vulkan_kernel kernel;
  raw::vulkan_buffer x, y;
  VkCommandBuffer commands;
};

}  // namespace

contender vulkan_kernel(const chain& what, const std::string& description) {
  return {"vulkan", [what, description] {
            const auto made = std::make_shared<job>(description, what.size);
            return [made, what] {
              return nanoseconds_of([&] { made->run(what.calls); }) / 1e3 /
                     static_cast<double>(what.calls);
            };
          }};
}

}  // namespace hocket::bench
