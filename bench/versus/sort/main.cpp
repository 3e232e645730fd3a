// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Sorting where the elements lie, on each device, and on the host by the standard library and TBB.

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

template <class T>
void add(std::vector<comparison>& to, const std::string& type, const settings& wanted) {
  const std::vector<std::size_t> sizes =
      wanted.quick ? std::vector<std::size_t>{5000}
                   : std::vector<std::size_t>{10'000, 100'000, 1'000'000, 10'000'000};
  std::vector<device_info> devices;
  {
    runtime rt;
    devices = rt.devices();
  }
  for (const device_info& device : devices) {
    for (const std::size_t size : sizes) {
      to.push_back({device.name + " " + type + " " + std::to_string(size) + " elements",
                    "sort",
                    "ms",
                    wanted.threads,
                    {device_sort<T>(size, device.name), std_sort<T>(size),
                     tbb_sort<T>(size, wanted.threads)}});
    }
  }
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  std::vector<comparison> all;
  add<float>(all, "f32", wanted);
  add<std::uint32_t>(all, "u32", wanted);
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(
      argc, argv, "bench_sort",
      "Sorting on each device, and on the host by the standard library and TBB.",
      hocket::bench::comparisons_of);
}
