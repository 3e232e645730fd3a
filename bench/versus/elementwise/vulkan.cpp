// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>

#include <raw/vulkan.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

// As fast as any that was tried on a processor: each lane of a vector takes four elements with one
// load, and what is the same for all of them is loaded once.
constexpr const char* text = R"(#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) readonly buffer source { vec4 x[]; };
layout(set = 0, binding = 1, std430) buffer target { vec4 y[]; };
layout(push_constant) uniform numbers { float a; float b; float c; uint count; };
void main() {
  float factor = a, summand = b, most = c;
  uint end = min(gl_WorkGroupID.x * 1024 + 1024, count / 4);
  for (uint i = gl_WorkGroupID.x * 1024 + gl_LocalInvocationID.x; i < end; i += 8) {
    vec4 t = min(factor * x[i] + summand, most);
    y[i] += t * t + t;
  }
}
)";

/// For each group.
constexpr std::size_t elements_each = 4096;

struct numbers {
  float a = chain::a, b = chain::b, c = chain::c;
  std::uint32_t count;
};

struct job {
  job(const std::string& description, std::size_t size)
      : api(description),
        kernel(api.build(text, 2, sizeof(numbers))),
        x(api.zeros(size * sizeof(float))),
        y(api.zeros(size * sizeof(float))),
        commands(api.begin()) {
    api.bind(commands, kernel, {&x, &y});
    raw::vulkan::push(commands, kernel, numbers{.count = static_cast<std::uint32_t>(size)});
    const std::size_t groups = (size + elements_each - 1) / elements_each;
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
