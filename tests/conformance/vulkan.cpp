// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/sanitizers.hpp>
#include <hocket/devices/vulkan.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "conformance.hpp"

namespace hocket::testing {

namespace {

/// Whatever the validation layer says fails the test. There is none under ThreadSanitizer, which
/// does not see into the layer and makes it slow.
std::unique_ptr<const backend> validated_backend() {
#ifdef HOCKET_THREAD_SANITIZER
  return make_vulkan_backend();
#else
  return make_vulkan_backend([](const std::string& message) { ADD_FAILURE() << message; });
#endif
}

target on_device(std::size_t number, std::string name, const std::string& options) {
  target made;
  made.name = "device_" + std::to_string(number) + "_" + std::move(name);
  made.make_backend = validated_backend;
  made.make_executor = [] {
    return std::make_unique<tbb_executor>(std::make_shared<const host_topology>());
  };
  made.configuration = "memory=16M,device=" + std::to_string(number) + options;
  made.lose = [](device& d, const failure& why) { d.lose(why); };
  return made;
}

std::vector<target> vulkan_targets() {
  constexpr std::size_t max_devices = 3;  // each has a backend of its own; absent ones are skipped
  std::vector<target> all;
  for (std::size_t number = 0; number < max_devices; ++number) {
    all.push_back(on_device(number, "private", ",import=no"));
    all.push_back(on_device(number, "staging", ",import=no,staging=yes"));
    all.push_back(on_device(number, "imported", ""));
    all.back().host_memory = true;
    all.push_back(with_faults(on_device(number, "private", ",import=no")));
  }
  return all;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(vulkan, conformance, ::testing::ValuesIn(vulkan_targets()), target_name);

}  // namespace hocket::testing
