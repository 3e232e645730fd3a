// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "circle.hpp"

namespace hocket::testing {

namespace {

constexpr int runs = 100;

class all_devices : public ::testing::TestWithParam<bool> {
 protected:
  static runtime_options options() {
    runtime_options made;
    // A CPU that can be split is two devices; one that cannot is one.
    made.backends = {{"opencl", "sub-devices=2"}};
    made.private_memory = GetParam();
    return made;
  }

  [[nodiscard]] std::vector<device_handle> handles() {
    std::vector<device_handle> made;
    std::string names;
    for (const device_info& each : rt_.devices()) {
      made.push_back(rt_.device(each.name));
      names += " " + each.name;
    }
    RecordProperty("devices", names);
    return made;
  }

  /// No device only looks on.
  void expect_all_worked() {
    for (const auto& each : rt_.report().devices) EXPECT_GT(each.kernels, 0U) << each.name;
  }

  runtime rt_{options()};
};

TEST_P(all_devices, work_in_one_graph) {
  circle each(rt_, handles(), 1);
  const graph one = rt_.record([&](submitter& to) { each.record(to); });
  for (int run = 0; run < runs; ++run) {
    rt_.run(one);
    each.expect_run();
    ASSERT_EQ(each.difference(), "") << "run " << run;
  }
  expect_all_worked();
}

TEST_P(all_devices, work_in_runs_that_nobody_waits_for) {
  circle each(rt_, handles(), 2);
  const graph one = rt_.record([&](submitter& to) { each.record(to); });
  for (int run = 0; run < runs; ++run) {
    rt_.run(one);
    each.expect_run();
  }
  rt_.wait();
  EXPECT_EQ(each.difference(), "");
}

TEST_P(all_devices, share_out_one_launch) {
  constexpr std::size_t rows = 20'011, columns = 8;
  const buffer<float, 2> x{rt_, {rows, columns}, 1.0f}, y{rt_, {rows, columns}, 0.0f};
  const buffer<float, 2> square{rt_, {columns, columns}, 0.5f}, product{rt_, {rows, columns}};
  for (int run = 0; run < 20; ++run) {
    split_rows(rt_, {.least_rows = 100}, ops::axpy, 2.0f, reads(x), updates(y));
    split_rows(rt_, {.least_rows = 100}, ops::gemm_nn, reads(y), whole(reads(square)),
               writes(product));
    const std::vector<float> found = product.to_vector();
    const float wanted = static_cast<float>(columns) * static_cast<float>(run + 1);
    ASSERT_EQ(std::ranges::count(found, wanted), static_cast<std::ptrdiff_t>(found.size())) << run;
  }
}

TEST_P(all_devices, work_for_several_threads) {
  constexpr int threads = 4;
  const std::vector<device_handle> devices = handles();
  const buffer<std::int32_t> shared{rt_, 1000, 0, "shared"};
  const auto work = [&](int number) {
    std::vector<device_handle> order = devices;
    std::rotate(order.begin(), order.begin() + number % static_cast<int>(order.size()),
                order.end());
    circle each(rt_, order, number);
    const buffer<std::int32_t> ones{rt_, 1000, 1, "ones"};
    const graph one = rt_.record([&](submitter& to) { each.record(to); });
    for (int run = 0; run < runs / threads; ++run) {
      rt_.run(one);
      const device_handle on = order[static_cast<std::size_t>(run) % order.size()];
      rt_.submit({.on = on}, ops::axpy, number + 1, reads(ones), updates(shared));
      each.expect_run();
      ASSERT_EQ(each.difference(), "") << "run " << run << " of thread " << number;
    }
  };
  std::vector<std::jthread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back(work, t);
  all.clear();
  const std::int32_t sum = threads * (threads + 1) / 2 * (runs / threads);
  EXPECT_EQ(shared.to_vector(), std::vector<std::int32_t>(1000, sum));
  expect_all_worked();
}

TEST_P(all_devices, refuse_more_than_they_can_bind) {
  for (const device_info& each : rt_.devices()) {
    if (each.largest_binding == 0 || each.largest_binding >= each.memory_bytes) continue;
    const std::size_t count = each.largest_binding / sizeof(float) + 1;
    buffer<float> large{rt_, count, "large"};
    const task_options there{.on = rt_.device(each.name)};
    try {
      rt_.submit(there, ops::fill, 1.0f, writes(large));
      ADD_FAILURE() << each.name << " is given " << count << " numbers";
    } catch (const usage_error& e) {
      EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("\"large\""),
                                             ::testing::HasSubstr(each.name + " binds at most ")));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, all_devices, ::testing::Bool(), [](const auto& memory) {
  return memory.param ? "private_memory" : "shared_memory";
});

}  // namespace

}  // namespace hocket::testing
