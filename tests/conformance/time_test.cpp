// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/prediction.hpp>

#include "conformance.hpp"

namespace hocket::testing {

TEST_P(conformance, modelled_commands_take_their_time) {
  if (!GetParam().modelled) GTEST_SKIP() << "not modelled";
  const device_info& info = first().info();
  const launch_work cost{info.flops_per_second / 1000, 0};
  for (const body_width width : {body_width::serial, body_width::wide}) {
    const timepoint t = submit(first().compute(0), launch([](const host_launch&) {}, width, cost));
    finish(t);
    const nanoseconds took = result(t).end - result(t).begin;
    EXPECT_GE(took, predicted_launch(info, cost, width));
    if (!threads()) {
      EXPECT_EQ(took, predicted_launch(info, cost, width));
    }
  }
}

TEST_P(conformance, a_modelled_copy_overlaps_a_kernel) {
  if (!GetParam().modelled || threads()) GTEST_SKIP() << "no virtual clock";
  const device_info& info = first().info();
  std::vector<std::byte> from(1 << 16), to(1 << 16);
  const copy_command copy{{from.data(), from.size()},
                          {to.data(), to.size()},
                          {1 << 16},
                          1,
                          box::whole({1 << 16}),
                          1 << 16};
  const nanoseconds leg = predicted_copy(info, copy.bytes);
  const double seconds = static_cast<double>((leg - info.launch_latency).count()) / 1e9;
  const launch_work cost{seconds * info.flops_per_second, 0};
  const time_stamp start = executor_->now();
  timepoint in, last;
  for (int i = 0; i < 10; ++i) {
    in = submit(first().inbound(), copy);
    last = submit(first().compute(0), launch([](const host_launch&) {}, body_width::serial, cost),
                  {in});
  }
  finish(last);
  // Ten kernels, and the first copy, which nothing hides.
  EXPECT_NEAR(static_cast<double>((executor_->now() - start).count()),
              static_cast<double>((11 * leg).count()), 100.0);
}

}  // namespace hocket::testing
