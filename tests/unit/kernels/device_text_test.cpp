// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>

#include <numeric>

#include <hocket/core/environment.hpp>

#include "launch_case.hpp"
#include "opencl_runner.hpp"
#include "support.hpp"

namespace hocket::testing {
namespace {

class device_text : public random_test {
 protected:
  void SetUp() override {
    if (!runner_.missing().empty()) GTEST_SKIP() << runner_.missing();
  }

  /// Devices that interpret kernels are slow: HOCKET_TEST_LARGEST is the number of elements above
  /// which a launch is left out.
  static bool is_small(const launch_case& launch) {
    static const auto given = environment_variable("HOCKET_TEST_LARGEST");
    static const auto largest =
        given ? std::stoul(*given) : std::numeric_limits<std::size_t>::max();
    return std::accumulate(launch.buffers.begin(), launch.buffers.end(), std::size_t{0},
                           [](std::size_t sum, const device_array& b) { return sum + b.size(); }) <=
           largest;
  }

  /// Runs the bodies in OpenCL C of all styles against the host.
  void compare(const std::vector<launch_case>& cases) {
    for (const launch_case& launch : cases) {
      if (!is_small(launch)) continue;
      const std::vector<device_array> host = run_on_host(launch);
      for (const kernel_source& source : launch.kernel->sources) {
        if (source.format != kernel_format::opencl_c) continue;
        const std::string differs = difference(launch, runner_.run(launch, source), host);
        ASSERT_EQ(differs, "") << source.passes[0].text;
      }
    }
  }

  opencl_runner runner_;
};

TEST_F(device_text, of_built_in_kernels_computes_what_the_host_computes) {
  compare(built_in_cases(random_));
}

TEST_F(device_text, of_traced_lambdas_computes_what_the_host_computes) {
  compare(traced_cases(random_));
}

}  // namespace
}  // namespace hocket::testing
