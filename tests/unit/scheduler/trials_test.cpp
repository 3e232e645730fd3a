// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Devices that were slow are tried again, at a small price.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Takes a millisecond on a device of 10 GFLOP/s.
const auto work = kernel<inout_buffer<float>>{"work", host_body{[](buffer_view<float>) {}}}.cost(
    [](const launch_shape&) {
      return launch_work{10e6, 0};
    });

/// Two devices that share the host's memory; of the second, the first launches take long.
class two_devices {
 public:
  explicit two_devices(const std::string& first_launches, const std::string& policy = {})
      : rt_({.devices = "Sim0,Sim1",
             .backends = {{"sim", "1,flops=10G,shared=yes;1,flops=40G,shared=yes,first=" +
                                      first_launches + ",first_factor=100"}},
             .clock = clock_kind::simulated,
             .policy = policy}) {
    for (int i = 0; i < 8; ++i) data_.emplace_back(rt_, 4, 0.0F);
    rt_.wait();
  }

  /// How long so many tasks take, of which eight can run at the same time.
  nanoseconds run(std::size_t tasks) {
    const time_stamp begin = rt_.now();
    for (std::size_t i = 0; i < tasks; ++i) {
      rt_.submit(work, updates(data_[i % data_.size()]));
      if (i % 64 == 63) rt_.wait();
    }
    rt_.wait();
    return rt_.now() - begin;
  }
  [[nodiscard]] std::uint64_t kernels_of_second() { return rt_.report().devices[1].kernels; }

 private:
  runtime rt_;
  std::vector<buffer<float>> data_;
};

TEST(trials, show_that_a_device_has_become_fast) {
  two_devices home("4");
  nanoseconds slow = home.run(1'000);
  EXPECT_GT(slow, milliseconds(900)) << "the other one is left alone";
  nanoseconds so_far = slow;
  for (; so_far < seconds(40) && slow > milliseconds(500); so_far += slow) slow = home.run(1'000);
  EXPECT_LT(so_far, seconds(40));
  EXPECT_LT(home.run(1'000), milliseconds(230)) << "the two together could take 200";
}

TEST(trials, of_a_device_that_stays_slow_cost_little) {
  two_devices home("1000000");
  (void)home.run(1'000);
  const std::uint64_t before = home.kernels_of_second();
  const nanoseconds took = home.run(40'000);
  EXPECT_GT(home.kernels_of_second(), before);
  EXPECT_LT(took, seconds(40) + milliseconds(400));
}

TEST(trials, are_those_of_all_policies_that_compare_times) {
  for (const char* const policy : {"replanning", "earliest-end"}) {
    two_devices home("1000000", policy);
    (void)home.run(1'000);
    const std::uint64_t before = home.kernels_of_second();
    (void)home.run(20'000);
    EXPECT_GT(home.kernels_of_second(), before) << policy;
  }
}

}  // namespace
}  // namespace hocket
