// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A chain of elementwise operations: fused, not fused, and written by hand.

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// So many calls that a sample takes long enough to be measured.
chain of_size(std::size_t size, const settings& wanted) {
  constexpr std::size_t elements_of_sample = std::size_t{1} << 25U, max_calls = 2000;
  return {size,
          wanted.quick ? 2 : std::clamp(elements_of_sample / size, std::size_t{1}, max_calls)};
}

std::vector<contender> on(const device_info& device, const chain& what, const settings& wanted) {
  std::vector<contender> all{fused_chain(what, device.name), unfused_chain(what, device.name),
                             one_lambda(what, device.name)};
  if (device.backend == "cpu") {
    all.push_back(tbb_loop(what, wanted.threads, false));
    all.push_back(tbb_loop(what, wanted.threads, true));
  }
#ifdef HOCKET_BENCH_OPENCL
  // The peer uses the first device that there is.
  if (device.name == "OpenCL0") all.push_back(opencl_kernel(what));
#endif
#ifdef HOCKET_BENCH_CUDA
  if (device.name == "CUDA0") all.push_back(cuda_kernel(what));
#endif
#ifdef HOCKET_BENCH_VULKAN
  if (device.backend == "vulkan") all.push_back(vulkan_kernel(what, device.description));
#endif
  return all;
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  std::vector<device_info> devices;
  {
    runtime rt;
    devices = rt.devices();
  }
  std::vector<comparison> all;
  const std::vector<std::size_t> sizes =
      wanted.quick
          ? std::vector<std::size_t>{4096}
          : std::vector<std::size_t>{1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24};
  for (const device_info& device : devices) {
    for (const std::size_t size : sizes) {
      all.push_back({device.name, "chain " + std::to_string(size), "us/call", wanted.threads,
                     on(device, of_size(size, wanted), wanted)});
    }
  }
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(
      argc, argv, "bench_elementwise",
      "A chain of elementwise operations on each device: fused into one "
      "task, as its tasks, and written by hand.",
      hocket::bench::comparisons_of);
}
