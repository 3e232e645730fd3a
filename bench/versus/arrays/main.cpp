// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Operations on arrays where the elements lie, on each device, and by libraries.

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct named_operation {
  operation what;
  const char* name;
};

constexpr named_operation operations[]{{operation::sum, "sum"},
                                       {operation::norm, "norm"},
                                       {operation::argmax, "argmax"},
                                       {operation::inclusive_scan, "inclusive_scan"},
                                       {operation::transpose, "transpose"},
                                       {operation::random_uniform, "random_uniform"}};

std::vector<std::string> device_names() {
  runtime rt;
  std::vector<std::string> names;
  for (const device_info& each : rt.devices()) names.push_back(each.name);
  return names;
}

contenders contenders_of(const array_job& job, const std::string& device, std::size_t threads) {
  contenders all{hocket_arrays(job, device)};
  const auto add = [&](contenders more) {
    for (contender& each : more) all.push_back(std::move(each));
  };
  add(std_arrays(job));
  add(tbb_arrays(job, threads));
  add(openblas_arrays(job));
#ifdef HOCKET_BENCH_CLBLAST
  if (device == "OpenCL0") add(clblast_arrays(job));
#endif
  return all;
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  const std::vector<std::size_t> edges =
      wanted.quick ? std::vector<std::size_t>{70} : std::vector<std::size_t>{100, 1000, 4000};
  std::vector<comparison> all;
  for (const std::string& device : device_names()) {
    for (const auto& [what, name] : operations) {
      for (const std::size_t edge : edges) {
        const array_job job{what, edge};
        all.push_back({device + " " + name + " " + std::to_string(job.size()) + " elements", name,
                       "us", wanted.threads, contenders_of(job, device, wanted.threads)});
      }
    }
  }
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(
      argc, argv, "bench_arrays",
      "Operations on arrays on each device, and by the standard library, oneTBB, OpenBLAS and "
      "CLBlast.",
      hocket::bench::comparisons_of, hocket::bench::summary::mean_ratios);
}
