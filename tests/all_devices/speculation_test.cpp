// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A launch on each device with a driver is late in turn, and runs a second time on another one.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket::testing {

namespace {

/// Devices with memories of their own: a second run needs one.
const std::map<std::string, std::string> separate{{"opencl", "sub-devices=2,import=no"},
                                                  {"vulkan", "import=no"}};

std::vector<std::string> names_of_devices() {
  runtime rt({.backends = separate});
  std::vector<std::string> made;
  for (const device_info& each : rt.devices()) {
    if (each.can_be_lost) made.push_back(each.name);
  }
  return made;
}

/// Adds up on two devices, where one launch is late. Returns how many second runs there were.
std::size_t add_on(const std::string& late, const std::string& other, int launch) {
  constexpr std::size_t size = 1000, tasks = 8;
  runtime_options options{.devices = late + "," + other, .backends = separate};
  options.speculation = 3;
  options.faults = "delay " + late + " launch " + std::to_string(launch) + " by 500ms";
  runtime rt(options);
  std::vector<buffer<float>> from, to;
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::vector<float> numbers(size, static_cast<float>(i)), ones(size, 1.0F);
    from.emplace_back(rt, shape<1>{size}, std::span<const float>(numbers));
    to.emplace_back(rt, shape<1>{size}, std::span<const float>(ones));
  }
  // Both devices compile the kernel, and are measured.
  for (const std::string& name : {late, other}) {
    for (int i = 0; i < 2; ++i) {
      rt.submit({.on = rt.device(name)}, ops::axpy, 0.0F, reads(from[0]), updates(to[0])).get();
    }
  }
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < tasks; ++i) {
      rt.submit(ops::axpy, 1.0F, reads(from[i]), updates(to[i]));
    }
    rt.wait();
  }
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::vector<float> expected(size, 1.0F + 2.0F * static_cast<float>(i));
    EXPECT_EQ(to[i].to_vector(), expected) << late << ", launch " << launch << ", buffer " << i;
  }
  return rt.report().duplicates;
}

TEST(speculation, of_late_launches_changes_no_result) {
  const std::vector<std::string> names = names_of_devices();
  if (names.size() < 2)
    GTEST_SKIP() << "Two devices with drivers are needed, and this machine has " << names.size()
                 << ".";
  std::size_t duplicates = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (int launch = 3; launch <= 5; ++launch) {
      duplicates += add_on(names[i], names[(i + 1) % names.size()], launch);
    }
  }
  EXPECT_GE(duplicates, names.size());
  std::printf("%zu launches were run a second time\n", duplicates);
}

}  // namespace

}  // namespace hocket::testing
