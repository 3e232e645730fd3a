// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Tiled algorithms on all devices of this machine, beside the best of them alone and beside StarPU.

#include <algorithm>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

constexpr const char* host = "NUMA0";

bool has_device(const std::string& name) {
  runtime rt;
  return std::ranges::count(rt.devices(), name, &device_info::name) > 0;
}

comparison on_all_devices(const std::string& name, const tiled_problem& what,
                          const settings& wanted) {
  comparison made{
      name, "all_devices", "ms", wanted.threads, {hocket_tiled(what), hocket_tiled_graph(what)}};
  made.contenders.push_back(hocket_tiled_alone(what, host, "host-alone"));
  const bool has_opencl = has_device("OpenCL0");
  // A factorization has kernels for the host alone.
  if (has_opencl && what.algorithm == tiled_algorithm::gemm) {
    made.contenders.push_back(hocket_tiled_alone(what, "OpenCL0", "OpenCL0-alone"));
  }
#ifdef HOCKET_BENCH_STARPU
  if (has_opencl && wanted.threads > 1) {
    made.contenders.push_back(starpu_tiled(what, wanted.threads - 1, 1));
  }
#endif
  return made;
}

comparison on_the_host(const std::string& name, const tiled_problem& what, const settings& wanted) {
  return {name,
          "host",
          "ms",
          wanted.threads,
          {
              hocket_tiled_alone(what, host, "hocket"),
#ifdef HOCKET_BENCH_STARPU
              starpu_tiled(what, wanted.threads, 0),
#endif
          }};
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  const std::size_t edge = wanted.quick ? 64 : 256;
  std::vector<comparison> all;
  const auto add = [&](const std::string& algorithm, const tiled_problem& what) {
    const std::string name = algorithm + " " + std::to_string(what.tiles);
    all.push_back(on_all_devices(name, what, wanted));
    all.push_back(on_the_host(name, what, wanted));
  };
  for (const std::size_t tiles : {std::size_t{4}, std::size_t{8}}) {
    if (wanted.quick && tiles > 4) continue;
    add("cholesky", {tiled_algorithm::cholesky, tiles, edge});
    add("gemm", {tiled_algorithm::gemm, tiles, edge});
  }
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(argc, argv, "bench_tiled",
                                  "Tiled algorithms on all devices at once, beside each device "
                                  "alone and beside StarPU.",
                                  hocket::bench::comparisons_of);
}
