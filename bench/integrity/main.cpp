// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The cost of checks against silent corruption: copies with and without a comparison, products
// alone, with sums that are checked, and made twice.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>

#include <harness/command.hpp>

namespace hocket::bench {

namespace {

const auto bump = elementwise("bump", [](auto& x) { x = x + 1; });

runtime_options with_device(const std::string& device) {
  const bool is_host = device.starts_with("NUMA");
  return {.devices = is_host ? device : "NUMA0," + device,
          .backends = {{"sim", "1"}, {"opencl", "import=no"}, {"vulkan", "import=no"}}};
}

/// A buffer goes to the device and back: microseconds for both copies, and what is between them.
contender copies(const std::string& device, std::size_t bytes, std::size_t calls,
                 bool are_checked) {
  return {are_checked ? "compared" : "hocket", [=] {
            runtime_options options = with_device(device);
            if (are_checked) options.integrity = integrity_kind::copies;
            const auto rt = std::make_shared<runtime>(options);
            const buffer<float> x{*rt, bytes / sizeof(float), 1.0F};
            return [=, on = rt->device(device)] {
              const auto work = [&] {
                for (std::size_t i = 0; i < calls; ++i) {
                  x.update()(0) = 1;
                  rt->submit({.on = on}, bump, updates(x)).get();
                }
                (void)x.read();
              };
              return nanoseconds_of(work) / 1e3 / static_cast<double>(calls);
            };
          }};
}

enum class product_check { none, sums, runs };

const char* name_of(product_check check) {
  if (check == product_check::none) return "hocket";
  return check == product_check::sums ? "sums" : "twice";
}

contender products(const std::string& device, std::size_t size, std::size_t calls,
                   product_check check) {
  return {name_of(check), [=] {
            const auto rt = std::make_shared<runtime>(with_device(device));
            const shape<2> square{size, size};
            const buffer<float, 2> a{*rt, square, 0.5F}, b{*rt, square, 0.25F}, c{*rt, square};
            return [=, on = rt->device(device)] {
              const auto work = [&] {
                for (std::size_t i = 0; i < calls; ++i) {
                  const task_options how{.on = on};
                  if (check == product_check::none) {
                    rt->submit(how, ops::gemm_nn, reads(a), reads(b), writes(c));
                  } else if (check == product_check::sums) {
                    checked_gemm(*rt, {.task = how}, ops::gemm_nn, reads(a), reads(b), writes(c));
                  } else {
                    submit_compared(*rt, {.task = how}, ops::gemm_nn, reads(a), reads(b),
                                    writes(c));
                  }
                }
                rt->wait();
              };
              return nanoseconds_of(work) / 1e3 / static_cast<double>(calls);
            };
          }};
}

/// So many calls that a sample takes long enough to be measured.
std::size_t calls_for(double work, double work_of_sample, const settings& wanted) {
  return wanted.quick || work > work_of_sample ? 1
                                               : static_cast<std::size_t>(work_of_sample / work);
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  std::vector<comparison> all;
  runtime rt({.backends = {{"sim", "1"}}});
  for (const device_info& device : rt.devices()) {
    const std::size_t sizes[] = {64, 256, 1024};
    for (const std::size_t size : sizes) {
      if (wanted.quick && size > 64) break;
      const auto edge = static_cast<double>(size);
      if (!device.shares_host_memory) {
        const std::size_t bytes = size * size * sizeof(float);
        const std::size_t calls = calls_for(edge * edge, 1 << 22, wanted);
        all.push_back(
            {device.name,
             "to and from, " + std::to_string(bytes >> 10U) + " KiB",
             "us",
             wanted.threads,
             {copies(device.name, bytes, calls, false), copies(device.name, bytes, calls, true)}});
      }
      if (device.is_simulated) continue;
      const std::size_t calls = calls_for(edge * edge * edge, 1 << 28, wanted);
      all.push_back({device.name,
                     "gemm " + std::to_string(size),
                     "us/call",
                     wanted.threads,
                     {products(device.name, size, calls, product_check::none),
                      products(device.name, size, calls, product_check::sums),
                      products(device.name, size, calls, product_check::runs)}});
    }
  }
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(
      argc, argv, "bench_integrity",
      "Copies and products that are checked, beside those that are not.",
      hocket::bench::comparisons_of);
}
