// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// More data than a device has: the least needed is moved to the host, and comes back when a task
// reads it. Nothing in the tasks says so. Devices are given 24 MiB here, the data are 64 MiB.

#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

constexpr std::size_t count = 16, elements = 1 << 20;  // of 4 MiB

// `import=no`: drivers that run on the host's cores would use the host's memory in place. Settings
// of backends that are missing are ignored. The last one adds a simulated device, so that every
// machine has a device with memory of its own.
const std::map<std::string, std::string> small_devices = {{"cuda", "memory=24M"},
                                                          {"opencl", "memory=24M,import=no"},
                                                          {"vulkan", "memory=24M,import=no"},
                                                          {"sim", "1,memory=24M"}};

}  // namespace

int main() try {
  runtime rt({.backends = small_devices});
  std::vector<device_handle> devices;
  for (const device_info& each : rt.devices()) {
    if (!each.shares_host_memory) devices.push_back(rt.device(each.name));
  }
  if (devices.empty()) devices.push_back(rt.device(rt.devices().front().name));  // the host alone

  // Usually nothing is said of where tasks run. To show what is moved, each device uses all data.
  for (const device_handle& there : devices) {
    std::vector<buffer<float>> parts;
    for (std::size_t i = 0; i < count; ++i) {
      parts.emplace_back(rt, elements, "part " + std::to_string(i));
      rt.submit({.on = there}, ops::fill, static_cast<float>(i), writes(parts[i]));
    }
    for (std::size_t i = 1; i < count; ++i) {
      rt.submit({.on = there}, ops::axpy, 1.0F, reads(parts[i - 1]), updates(parts[i]));
    }
    for (std::size_t i = 0; i < count; ++i) {
      const float sum = static_cast<float>(i * (i + 1)) / 2;
      const auto view = parts[i].read();
      if (view(0) != sum || view(elements - 1) != sum) {
        throw std::runtime_error("Part " + std::to_string(i) + " does not have the right sum.");
      }
    }
  }

  for (const device_report& each : rt.report().devices) {
    constexpr double mebi = 1 << 20;
    std::printf("%-10s at most %3.0f MiB in use, %4.0f came, %4.0f left\n", each.name.c_str(),
                static_cast<double>(each.peak_bytes) / mebi,
                static_cast<double>(each.bytes_in) / mebi,
                static_cast<double>(each.bytes_out) / mebi);
    if (each.peak_bytes > each.memory_bytes) {
      throw std::runtime_error("Device \"" + each.name + "\" had more data than memory.");
    }
  }
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("08_larger_than_a_device");
}
