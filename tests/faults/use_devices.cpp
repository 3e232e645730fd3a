// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Uses every device of the machine, whatever its driver does, and says of each what came of it.

#include <cstdio>
#include <exception>
#include <string>

#include <hocket/hocket.hpp>

namespace {

using namespace hocket;

constexpr std::size_t count = 1000;

/// y = 2 x + y where the options say.
std::string outcome(runtime& rt, const task_options& options) {
  try {
    const buffer<float> x{rt, count, 1.5F}, y{rt, count, 0.5F};
    rt.submit(options, ops::axpy, 2.0F, reads(x), updates(y)).get();
    return y.to_vector() == std::vector<float>(count, 3.5F) ? "works" : "is wrong";
  } catch (const error& why) {
    return std::string("fails: ") + why.what();
  }
}

void use_all() {
  runtime rt;
  const std::vector<device_info> devices = rt.devices();
  for (const device_info& each : devices) {
    std::printf("%s is \"%s\"\n", each.name.c_str(), each.description.c_str());
    for (const char* turn : {"first", "then"}) {
      const std::string how = outcome(rt, {.on = rt.device(each.name), .label = "pinned"});
      std::printf("%s %s %s\n", each.name.c_str(), turn, how.c_str());
    }
  }
  // What failed has failed where it was asked to run; what may run anywhere has the host.
  constexpr int tries = 8;
  int good = 0;
  for (int i = 0; i < tries; ++i) good += outcome(rt, {}) == "works" ? 1 : 0;
  std::printf("unpinned: %d of %d work\n", good, tries);
}

}  // namespace

int main() {
  try {
    use_all();
    std::printf("ends well\n");
    return 0;
  } catch (const std::exception& why) {
    std::fprintf(stderr, "use_devices: %s\n", why.what());
    return 1;
  }
}
