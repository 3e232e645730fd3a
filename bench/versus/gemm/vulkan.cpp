// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cstdint>
#include <memory>

#include <raw/vulkan.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// A kernel, and how many elements of the product one of its groups computes.
struct variant {
  std::string text;
  std::size_t elements;
};

// Everything is written out: eight rows for each work-item, four sums to a row.
const std::string rows_text = R"(
layout(push_constant) uniform constants { uint n; };
#define ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define MULTIPLY(r, k) { \
    float f = FACTOR(a##r, k); \
    w##r = f * b0 + w##r; x##r = f * b1 + x##r; y##r = f * b2 + y##r; z##r = f * b3 + z##r; }
#define MULTIPLY_ROWS(k) \
    MULTIPLY(0, k) MULTIPLY(1, k) MULTIPLY(2, k) MULTIPLY(3, k) \
    MULTIPLY(4, k) MULTIPLY(5, k) MULTIPLY(6, k) MULTIPLY(7, k)
)";

/// Where each load of a lane is paid for: vectors of four, which are one load.
variant vectors() {
  return {"#version 450\n" + rows_text + R"(
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer left { vec4 a[]; };
layout(std430, binding = 1) readonly buffer right { vec4 b[]; };
layout(std430, binding = 2) writeonly buffer product { vec4 c[]; };

#define BEGIN(r) uint p##r = (row + r) * wide; \
    vec4 w##r = vec4(0), x##r = vec4(0), y##r = vec4(0), z##r = vec4(0);
#define LOAD(r) vec4 a##r = a[p##r]; ++p##r;
#define FACTOR(values, k) values[k]
#define STEP(k) { \
    vec4 b0 = b[q], b1 = b[q + 1], b2 = b[q + 2], b3 = b[q + 3]; \
    q += wide; \
    MULTIPLY_ROWS(k) }
#define KEEP(r) { \
    uint to = (row + r) * wide + q0; \
    c[to] = w##r; c[to + 1] = x##r; c[to + 2] = y##r; c[to + 3] = z##r; }

void main() {
  const uint wide = n / 4, across = n / 16;
  const uint row = gl_GlobalInvocationID.x / across * 8;
  const uint q0 = gl_GlobalInvocationID.x % across * 4;
  uint q = q0;
  ROWS(BEGIN)
  for (uint l = 0; l < wide; ++l) {
    ROWS(LOAD)
    STEP(0) STEP(1) STEP(2) STEP(3)
  }
  ROWS(KEEP)
}
)",
          std::size_t{8} * 8 * 16};
}

/// Where all loads cost the same: the four lanes of a subgroup load for one another.
variant broadcasts() {
  return {"#version 450\n#extension GL_KHR_shader_subgroup_ballot : require\n" + rows_text + R"(
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer left { float a[]; };
layout(std430, binding = 1) readonly buffer right { float b[]; };
layout(std430, binding = 2) writeonly buffer product { float c[]; };

#define BEGIN(r) uint p##r = (row + r) * n + lane; float w##r = 0, x##r = 0, y##r = 0, z##r = 0;
#define LOAD(r) float a##r = a[p##r]; p##r += 4;
#define FACTOR(value, k) subgroupBroadcast(value, k)
#define STEP(k) { \
    float b0 = b[q0], b1 = b[q1], b2 = b[q2], b3 = b[q3]; \
    q0 += n; q1 += n; q2 += n; q3 += n; \
    MULTIPLY_ROWS(k) }
#define KEEP(r) { \
    uint to = (row + r) * n + column; \
    c[to] = w##r; c[to + 4] = x##r; c[to + 8] = y##r; c[to + 12] = z##r; }

void main() {
  const uint lane = gl_LocalInvocationID.x, across = n / 16;
  const uint row = gl_WorkGroupID.x / across * 8;
  const uint column = gl_WorkGroupID.x % across * 16 + lane;
  uint q0 = column, q1 = column + 4, q2 = column + 8, q3 = column + 12;
  ROWS(BEGIN)
  for (uint l = 0; l < n; l += 4) {
    ROWS(LOAD)
    STEP(0) STEP(1) STEP(2) STEP(3)
  }
  ROWS(KEEP)
}
)",
          std::size_t{8} * 16};
}

/// The fastest of what was tried on each driver.
variant best_for(const device_info& device) {
  return device.style == device_style::cpu_switching ? broadcasts() : vectors();
}

struct job {
  job(std::size_t size, const device_info& device) : api(device.description) {
    const variant chosen = best_for(device);
    const auto n = static_cast<std::uint32_t>(size);
    for (raw::vulkan_buffer& each : data) each = api.zeros(size * size * sizeof(float));
    multiply = api.build(chosen.text, 3, sizeof n);
    commands = api.begin();
    api.bind(commands, multiply, {&data[0], &data[1], &data[2]});
    raw::vulkan::push(commands, multiply, n);
    vkCmdDispatch(commands, static_cast<std::uint32_t>(size * size / chosen.elements), 1, 1);
    raw::vulkan::order(commands);
    raw::vulkan::end(commands);
  }

  void run(std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) api.submit(commands);
    api.wait();
  }

  raw::vulkan api;
  raw::vulkan_buffer data[3];
  raw::vulkan_kernel multiply;
  VkCommandBuffer commands = VK_NULL_HANDLE;
};

}  // namespace

contender vulkan_gemm(const product& what, const device_info& device) {
  return {"vulkan", [what, device] {
            const auto made = std::make_shared<job>(what.size, device);
            return [made, what] {
              return nanoseconds_of([&] { made->run(what.calls); }) / 1e3 /
                     static_cast<double>(what.calls);
            };
          }};
}

}  // namespace hocket::bench
