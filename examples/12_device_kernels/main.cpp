// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A kernel that is written by hand: once in C++ for the host, and as the inside of a function in
// each language of devices. Here one text serves all of them, with memory that a group shares.

#include <cstdio>
#include <stdexcept>
#include <vector>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

constexpr std::size_t group = 64;

/// sums(g) is the sum of x(64 g) to x(64 g + 63). The host adds up in the order of the text, so
/// that all devices give the same bits.
void sum_on_host(buffer_view<const float> x, buffer_view<float> sums) {
  for (std::size_t g = 0; g < sums.size(); ++g) {
    float part[group];
    for (std::size_t i = 0; i < group; ++i) {
      part[i] = g * group + i < x.size() ? x(g * group + i) : 0;
    }
    for (std::size_t half = group / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) part[i] += part[i + half];
    }
    sums(g) = part[0];
  }
}

constexpr const char* text = R"(
uint i = LOCAL_ITEM(0);
part[i] = ITEM(0) < x_extent0 ? x(ITEM(0)) : 0.0f;
BARRIER();
for (uint half_of = 32u; half_of > 0u; half_of /= 2u) {
  if (i < half_of) part[i] += part[i + half_of];
  BARRIER();
}
if (i == 0u && GROUP(0) < sums_extent0) sums(GROUP(0)) = part[0];
)";

kernel_source in(kernel_format format) {
  const kernel_pass pass{.text = text,
                         .local = {group, 1, 1},
                         .items =
                             [](const launch_shape& shape) {
                               return grid{shape[1][0] * group, 1, 1};
                             },
                         .shared = {"f32 part[64]"}};
  return {.format = format, .names = {"x", "sums"}, .passes = {pass}};
}

const auto group_sums =
    kernel<in_buffer<float>, out_buffer<float>>{"group_sums", host_body{sum_on_host}}
        .with(in(kernel_format::opencl_c))
        .with(in(kernel_format::glsl))
        .with(in(kernel_format::cuda_c))
        .check([](const launch_shape& shape) {  // wrong use is refused where it is submitted
          if (shape[1][0] == (shape[0][0] + group - 1) / group) return;
          throw usage_error("Kernel \"group_sums\" is given " + to_string(shape[1]) + " sums for " +
                            to_string(shape[0]) + " numbers; it takes one for 64.");
        })
        .cost([](const launch_shape& shape) {  // what placement believes before it has measured
          const auto n = static_cast<double>(shape[0][0]);
          return launch_work{.flops = n, .bytes = n * sizeof(float)};
        });

}  // namespace

int main() try {
  constexpr std::size_t count = 100'000, sums = (count + group - 1) / group;
  runtime rt;
  const buffer<float> x{rt, count, "x"};
  rt.submit(ops::random_uniform, 5U, 0U, writes(x));

  std::vector<float> expected(sums);
  {
    const auto view = x.read();
    sum_on_host(view, buffer_view<float>(expected.data(), {sums}, {1}));
  }
  bool right = true;
  for (const device_info& each : rt.devices()) {
    const buffer<float> y{rt, sums, "sums"};
    rt.submit({.on = rt.device(each.name)}, group_sums, reads(x), writes(y));
    const bool same = y.to_vector() == expected;
    std::printf("%-10s %s\n", each.name.c_str(), same ? "the same bits" : "wrong");
    right = right && same;
  }
  bool refused = false;
  try {
    rt.submit(group_sums, reads(x), writes(buffer<float>{rt, 10, "too few"}));
  } catch (const usage_error& e) {
    std::printf("%s\n", e.what());
    refused = true;
  }
  if (!right) throw std::runtime_error("A device gives other sums than the host.");
  if (!refused) throw std::runtime_error("A wrong number of sums is not refused.");
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("12_device_kernels");
}
