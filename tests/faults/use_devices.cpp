// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Uses every device of the machine, whatever its driver does, and says of each what came of it.
//   use_devices [BACKEND CONFIGURATION]

#include <atomic>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

namespace {

using namespace hocket;

constexpr std::size_t count = 1000;

/// Filled by the host: a task that fills may run on the device whose driver errs.
buffer<float> filled(runtime& rt, float value) {
  const std::vector<float> values(count, value);
  return buffer<float>{rt, {count}, std::span<const float>(values)};
}

/// y = 2 x + y where the options say.
std::string outcome(runtime& rt, const task_options& options) {
  try {
    const buffer<float> x = filled(rt, 1.5F), y = filled(rt, 0.5F);
    rt.submit(options, ops::axpy, 2.0F, reads(x), updates(y)).get();
    return y.to_vector() == std::vector<float>(count, 3.5F) ? "works" : "is wrong";
  } catch (const error& why) {
    return std::string("fails: ") + why.what();
  }
}

void use_each(runtime& rt) {
  for (const device_info& each : rt.devices()) {
    std::printf("%s is \"%s\"\n", each.name.c_str(), each.description.c_str());
    for (const char* turn : {"first", "then"}) {
      const std::string how = outcome(rt, {.on = rt.device(each.name), .label = "pinned"});
      std::printf("%s %s %s\n", each.name.c_str(), turn, how.c_str());
    }
  }
}

/// What may run anywhere may run where the driver errs, and fail. It is never wrong.
void use_any(runtime& rt) {
  constexpr int tries = 8;
  int wrong = 0;
  for (int i = 0; i < tries; ++i) wrong += outcome(rt, {}) == "is wrong" ? 1 : 0;
  std::printf("unpinned: %d wrong\n", wrong);
}

/// Several threads have chains of tasks in flight on all devices. A chain fails as a whole.
void use_all_at_once(runtime& rt) {
  constexpr int threads = 4, chains = 25;
  std::vector<device_handle> devices;
  for (const device_info& each : rt.devices()) devices.push_back(rt.device(each.name));
  std::atomic<int> right{0}, failed{0}, wrong{0};
  const auto chain = [&](std::size_t first) {
    const std::size_t links = 2 * devices.size();
    const buffer<float> x = filled(rt, 1.0F), y = filled(rt, 0.0F);
    for (std::size_t i = 0; i < links; ++i) {
      const device_handle on = devices[(first + i) % devices.size()];
      rt.submit({.on = on}, ops::axpy, 1.0F, reads(x), updates(y));
    }
    const bool good = y.to_vector() == std::vector<float>(count, static_cast<float>(links));
    ++(good ? right : wrong);
  };
  std::vector<std::jthread> all;
  for (std::size_t t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      for (std::size_t i = 0; i < chains; ++i) {
        try {
          chain(t + i);
        } catch (const error&) {
          ++failed;
        }
      }
    });
  }
  all.clear();
  std::printf("chains: %d wrong, %s failed, %s right\n", wrong.load(), failed > 0 ? "some" : "none",
              right > 0 ? "some" : "none");
}

}  // namespace

int main(int count_of_arguments, char** arguments) {
  try {
    runtime_options options;
    if (count_of_arguments == 3) options.backends = {{arguments[1], arguments[2]}};
    {
      runtime rt(options);
      use_each(rt);
      std::fflush(stdout);
      use_any(rt);
    }
    {
      runtime rt(options);
      use_all_at_once(rt);
      use_any(rt);
    }
    std::printf("ends well\n");
    return 0;
  } catch (const std::exception& why) {
    std::fprintf(stderr, "use_devices: %s\n", why.what());
    return 1;
  }
}
