// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The product of two matrices: through a runtime, and by the best that each API has.

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// So many calls that a sample takes long enough to be measured.
product of_size(std::size_t size, const settings& wanted) {
  constexpr std::size_t operations_of_sample = std::size_t{4} << 30U;
  const std::size_t operations = 2 * size * size * size;
  return {size, wanted.quick ? 1 : std::max<std::size_t>(1, operations_of_sample / operations)};
}

std::vector<std::size_t> sizes_on(const device_info& device, const settings& wanted) {
  if (wanted.quick) return {64};
  if (device.style == device_style::gpu) return {256, 512, 1024, 2048, 4096, 8192};
  return {256, 512, 1024};
}

std::vector<contender> on(const device_info& device, const product& what, const settings& wanted) {
  std::vector<contender> all{hocket_gemm(what, device.name)};
  // Kernels by hand are for drivers that run on the host's cores.
  [[maybe_unused]] const bool by_hand = device.style != device_style::gpu;
  if (device.backend == "cpu") all.push_back(openblas_gemm(what, wanted.threads));
#ifdef HOCKET_BENCH_OPENCL
  // The peers use the first device that there is.
  if (device.name == "OpenCL0") {
    if (by_hand) all.push_back(opencl_gemm(what));
#ifdef HOCKET_BENCH_CLBLAST
    all.push_back(clblast_gemm(what));
#endif
  }
#endif
#ifdef HOCKET_BENCH_CUDA
  if (device.name == "CUDA0") all.push_back(cublas_gemm(what));
#endif
#ifdef HOCKET_BENCH_VULKAN
  if (by_hand && device.backend == "vulkan") all.push_back(vulkan_gemm(what, device));
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
  for (const device_info& device : devices) {
    for (const std::size_t size : sizes_on(device, wanted)) {
      all.push_back({device.name, "gemm " + std::to_string(size), "us/call", wanted.threads,
                     on(device, of_size(size, wanted), wanted)});
    }
  }
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(argc, argv, "bench_gemm",
                                  "The product of two matrices on each device, beside what else "
                                  "computes it there.",
                                  hocket::bench::comparisons_of);
}
