// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <bit>
#include <numeric>

#include "comparison.hpp"

namespace hocket::testing {
namespace {

/// The operations of array_ops.hpp.
class arrays : public kernels_on_devices {
 protected:
  template <class T>
  void places_and_means() {
    if (!has<T>()) return;
    constexpr bool real = !std::is_integral_v<T>;
    const double high = real ? 1 : 1000, low = std::is_unsigned_v<T> ? 0 : -high;
    for (const auto& [rows, columns] : {std::pair{1U, 1U}, {13U, 17U}, {301U, 257U}}) {
      for (const std::size_t padding : {0U, 2U}) {
        const auto x = make<T>(shape<2>{rows, columns}, padding, low, high);
        compare_value("argmax", 0, ops::argmax, reads(x));
        compare_value("argmin", 0, ops::argmin, reads(x));
        if constexpr (real) {
          const double tolerance = 3e-6 * std::sqrt(static_cast<double>(rows * columns));
          compare_value("mean", tolerance, ops::mean, reads(x));
          compare_value("norm", 4 * tolerance, ops::norm, reads(x));
        }
      }
    }
  }

  template <class T>
  void scans() {
    if (!has<T>()) return;
    constexpr bool real = std::is_floating_point_v<T>;
    const double high = real ? 1 : 1e9, low = std::is_unsigned_v<T> ? 0 : -high;
    for (const std::size_t columns : {1U, 17U, 1000U, 70001U}) {
      const double tolerance = 60 * eps<T> * std::sqrt(3.0 * static_cast<double>(columns));
      for (const std::size_t padding : {0U, 1U}) {
        const shape<2> extents{3, columns};
        const auto x = make<T>(extents, padding, low, high), y = make<T>(extents, 0);
        compare("inclusive_scan", tolerance, ops::inclusive_scan, reads(x), writes(y));
        compare("exclusive_scan", tolerance, ops::exclusive_scan, reads(x), writes(y));
      }
    }
  }

  template <class T>
  void random_numbers() {
    if (!has<T>()) return;
    for (const std::size_t columns : {1U, 3U, 1001U, 40000U}) {
      const auto x = make<T>(shape<2>{2, columns}, 1);
      compare("random_uniform", 0, ops::random_uniform, number(7U), number(columns), writes(x));
    }
  }
};

TEST_F(arrays, are_searched_and_averaged_as_on_the_host) {
  for_each_device([&] {
    places_and_means<float>();
    places_and_means<bfloat16>();
    places_and_means<std::int64_t>();
  });
}

TEST_F(arrays, are_scanned_as_on_the_host) {
  for_each_device([&] {
    scans<double>();
    scans<std::int32_t>();
  });
}

TEST_F(arrays, of_random_numbers_are_the_same_everywhere) {
  for_each_device([&] {
    random_numbers<float>();
    random_numbers<double>();
    random_numbers<float16>();
    random_numbers<bfloat16>();
    random_numbers<std::uint32_t>();
    const auto x = make<float>(shape<1>{10001}, 0);
    // A device of Vulkan may be off by 2^-11 in cos().
    compare("random_normal", 2e-3, ops::random_normal, number(7U), number(3U), writes(x));
  });
}

/// Calls f for the host and for each device, with options that choose it and its name.
template <class F>
void on_all(runtime& rt, const F& f) {
  for (const device_info& each : rt.devices())
    f(task_options{.on = rt.device(each.name)}, each.name);
}

template <class T>
buffer<T> of_values(runtime& rt, const std::vector<T>& values) {
  return {rt, shape<1>{values.size()}, std::span<const T>(values)};
}

TEST(array_operations, find_the_first_of_equal_elements_and_of_no_numbers) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  runtime rt;
  std::vector<float> many(100000, 1);
  many[77777] = many[99999] = 2;
  many[50000] = many[60000] = 0;
  const auto large = of_values(rt, many);
  many[80000] = many[90000] = nan;
  const auto with_nan = of_values(rt, many);
  const auto extremes = of_values(rt, std::vector{0.0F, infinity, -infinity, infinity, -infinity});
  const auto all_nan = of_values(rt, std::vector{nan, nan});
  on_all(rt, [&](const task_options& on, const std::string& name) {
    const auto argmax = [&](const auto& x) { return rt.submit(on, ops::argmax, reads(x)).get(); };
    const auto argmin = [&](const auto& x) { return rt.submit(on, ops::argmin, reads(x)).get(); };
    EXPECT_EQ(argmax(large), 77777U) << name;
    EXPECT_EQ(argmin(large), 50000U) << name;
    EXPECT_EQ(argmax(large.rows(60000, 100000)), 17777U) << name;
    EXPECT_EQ(argmax(with_nan), 80000U) << name;
    EXPECT_EQ(argmin(with_nan), 80000U) << name;
    EXPECT_EQ(argmax(extremes), 1U) << name;
    EXPECT_EQ(argmin(extremes), 2U) << name;
    EXPECT_EQ(argmax(all_nan), 0U) << name;
  });
  const buffer<float> none{rt, 0};
  EXPECT_THROW((void)rt.submit(ops::argmax, reads(none)), usage_error);
}

TEST(array_operations, scan_in_place_and_an_empty_buffer) {
  runtime rt;
  on_all(rt, [&](const task_options& on, const std::string& name) {
    std::vector<std::int32_t> expected(50000);
    std::iota(expected.begin(), expected.end(), -7);
    const auto x = of_values(rt, expected);
    rt.submit(on, ops::inclusive_scan, reads(x), writes(x));
    std::partial_sum(expected.begin(), expected.end(), expected.begin());
    EXPECT_EQ(x.to_vector(), expected) << name;
    const buffer<float> none{rt, 0};
    rt.submit(on, ops::exclusive_scan, reads(none), writes(none)).get();
  });
}

/// The known answers of the paper's own implementation.
TEST(array_operations, make_the_known_random_words) {
  runtime rt;
  const buffer<std::uint32_t> x{rt, 4};
  on_all(rt, [&](const task_options& on, const std::string& name) {
    rt.submit(on, ops::random_uniform, 0U, 0U, writes(x));
    EXPECT_EQ(x.to_vector(), (std::vector{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U}))
        << name;
  });
}

TEST(array_operations, make_random_numbers_that_are_spread_evenly) {
  runtime rt;
  constexpr std::size_t count = 1 << 20;
  const buffer<float> x{rt, count}, z{rt, count};
  rt.submit(ops::random_uniform, 1U, 0U, writes(x));
  rt.submit(ops::random_normal, 1U, 1U, writes(z));
  std::vector<std::size_t> in_tenth(10);
  for (const float each : x.to_vector()) {
    ASSERT_TRUE(each >= 0 && each < 1);
    ++in_tenth[static_cast<std::size_t>(each * 10)];
  }
  for (const std::size_t each : in_tenth)
    EXPECT_NEAR(static_cast<double>(each), count / 10.0, 2000);
  EXPECT_NEAR(rt.submit(ops::mean, reads(x)).get(), 0.5, 0.002);
  EXPECT_NEAR(rt.submit(ops::mean, reads(z)).get(), 0, 0.005);
  EXPECT_NEAR(rt.submit(ops::norm, reads(z)).get(), std::sqrt(static_cast<double>(count)), 5);
}

}  // namespace
}  // namespace hocket::testing
