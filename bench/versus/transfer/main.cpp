// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// What goes between the memories of the host and of devices: how fast, and beside what else.

#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct place {
  std::string name;
  device_info device;
  runtime_options options;
};

/// Each device with memory of its own; and where the host's copies are not what drivers make, with
/// those.
std::vector<place> places() {
  std::vector<place> all;
  runtime rt;
  for (const device_info& device : rt.devices()) {
    const runtime_options options{.devices = device.name, .private_memory = true};
    all.push_back({device.name, device, options});
    if (device.backend != "vulkan") continue;
    all.push_back({device.name + " staging", device, options});
    all.back().options.backends = {{"vulkan", "staging=yes"}};
  }
  return all;
}

constexpr std::size_t mib = std::size_t{1} << 20U;

std::string amount(std::size_t bytes) {
  const std::size_t kib = bytes >> 10U;
  return kib < 1024 ? std::to_string(kib) + " KiB" : std::to_string(kib >> 10U) + " MiB";
}

std::vector<contender> on(const place& where, const transfer& what) {
  std::vector<contender> all{hocket_copy(what, where.options), memcpy_copy(what)};
#ifdef HOCKET_BENCH_OPENCL
  if (where.device.name == "OpenCL0") all.push_back(opencl_copy(what));
#endif
#ifdef HOCKET_BENCH_CUDA
  if (where.device.name == "CUDA0") {
    all.push_back(cuda_copy(what, false));
    all.push_back(cuda_copy(what, true));
  }
#endif
#ifdef HOCKET_BENCH_VULKAN
  if (where.device.backend == "vulkan") all.push_back(vulkan_copy(what, where.device));
#endif
  return all;
}

void add_copies(std::vector<comparison>& to, const place& where, const settings& wanted) {
  constexpr std::size_t bytes_of_sample = std::size_t{256} << 20U, max_calls = 200;
  const std::vector<std::size_t> sizes =
      wanted.quick ? std::vector<std::size_t>{4096}
                   : std::vector<std::size_t>{4096, 1U << 16U, 1U << 20U, 1U << 24U, 1U << 26U};
  for (const direction way : {direction::to_device, direction::to_host}) {
    for (const std::size_t bytes : sizes) {
      const transfer what{way, bytes,
                          wanted.quick ? 1 : std::min(max_calls, bytes_of_sample / bytes)};
      to.push_back({where.name, (way == direction::to_device ? "in " : "out ") + amount(bytes),
                    "us/copy", wanted.threads, on(where, what)});
    }
  }
}

/// With the memory that the device shares with the host, if it does.
void add_bytes(std::vector<comparison>& to, const device_info& device, const settings& wanted) {
  if (!device.shares_host_memory && !device.imports_host_memory) return;
  for (const direction way : {direction::to_device, direction::to_host}) {
    to.push_back({device.name + " shared",
                  way == direction::to_device ? "in 1 MiB" : "out 1 MiB",
                  "bytes",
                  wanted.threads,
                  {hocket_bytes({way, 1U << 20U, 1}, {.devices = device.name})}});
  }
}

/// In memory of the device's own, and in the host's where the device can use that in place.
void add_fresh_buffers(std::vector<comparison>& to, const device_info& device,
                       const settings& wanted) {
  const std::vector<std::size_t> sizes =
      wanted.quick ? std::vector<std::size_t>{4096} : std::vector<std::size_t>{4096, mib, 16 * mib};
  for (const bool shared : {false, true}) {
    if (shared && !device.imports_host_memory) continue;
    for (const std::size_t bytes : sizes) {
      const std::size_t calls = wanted.quick ? 2 : bytes > mib ? 20 : 200;
      to.push_back(
          {"fresh buffer", device.name + (shared ? " shared " : " ") + amount(bytes), "us/kernel",
           wanted.threads,
           fresh_buffers(bytes, calls, {.devices = device.name, .private_memory = !shared})});
    }
  }
}

comparison pipeline_on(const char* name, const pipeline& what, const settings& wanted,
                       const runtime_options& options) {
  return {name, std::to_string(what.count) + " x " + amount(what.bytes), "us", wanted.threads,
          hocket_pipeline(what, options)};
}

/// The three legs take the same time there.
void add_simulated_pipelines(std::vector<comparison>& to, const settings& wanted) {
  const pipeline what = wanted.quick ? pipeline{4096, 4} : pipeline{mib, 128};
  const auto sim = [](const char* configuration, clock_kind clock) {
    return runtime_options{.devices = "Sim0", .backends = {{"sim", configuration}}, .clock = clock};
  };
  to.push_back(
      pipeline_on("Sim0 virtual", what, wanted,
                  sim("1,memory=2G,link=10G,flops=2500M,bandwidth=100G", clock_kind::simulated)));
  to.push_back(pipeline_on("Sim0 real", what, wanted,
                           sim("1,memory=2G,link=1G,flops=250M,bandwidth=10G", clock_kind::real)));
}

/// On the first device of an API, beside the API alone.
void add_pipeline(std::vector<comparison>& to, const place& where, const settings& wanted) {
  const pipeline what = wanted.quick ? pipeline{4096, 4} : pipeline{4 * mib, 32};
  std::vector<contender> by_hand;
#ifdef HOCKET_BENCH_OPENCL
  if (where.name == "OpenCL0") by_hand.push_back(opencl_pipeline(what));
#endif
#ifdef HOCKET_BENCH_CUDA
  if (where.name == "CUDA0") by_hand.push_back(cuda_pipeline(what));
#endif
  if (by_hand.empty()) return;
  to.push_back(pipeline_on(where.name.c_str(), what, wanted, where.options));
  for (contender& each : by_hand) to.back().contenders.push_back(std::move(each));
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  std::vector<comparison> all;
  for (const place& where : places()) {
    add_copies(all, where, wanted);
    if (where.name == where.device.name) {
      add_bytes(all, where.device, wanted);
      add_fresh_buffers(all, where.device, wanted);
    }
    add_pipeline(all, where, wanted);
  }
  add_simulated_pipelines(all, wanted);
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(argc, argv, "bench_transfer",
                                  "Copies to and from each device, beside those of the memory "
                                  "and of each API.",
                                  hocket::bench::comparisons_of);
}
