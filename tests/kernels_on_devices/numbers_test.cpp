// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "comparison.hpp"

namespace hocket::testing {
namespace {

struct matrix_case {
  shape<2> extents;
  std::size_t padding;
};

constexpr matrix_case matrices[] = {{{1, 1}, 0}, {{13, 17}, 3}, {{301, 257}, 0}, {{65, 1}, 2}};

class numbers : public kernels_on_devices {
 protected:
  template <class T>
  void elementwise() {
    if (!has<T>()) return;
    constexpr double high = std::is_floating_point_v<T> ? 1 : 100;
    constexpr double low = std::is_unsigned_v<T> ? 0 : -high;
    const auto a = number(static_cast<T>(std::is_floating_point_v<T> ? 0.7 : 3));
    for (const auto& [extents, padding] : matrices) {
      const auto count = static_cast<double>(extents[0] * extents[1]);
      const auto x = make<T>(extents, padding, low, high), y = make<T>(extents, 0, low, high);
      const auto z = make<T>(extents, 1, low, high);
      compare("fill", 0, ops::fill, a, writes(z));
      compare("copy", 0, ops::copy, reads(x), writes(z));
      if constexpr (sizeof(T) == 1 || std::is_floating_point_v<T>) {
        const auto turned = make<T>(shape<2>{extents[1], extents[0]}, padding, low, high);
        compare("transpose", 0, ops::transpose, reads(x), writes(turned));
      }
      if constexpr (sizeof(T) >= 4) {
        compare("axpy", 0, ops::axpy, a, reads(x), updates(y));
        compare("add", 0, ops::add, reads(x), reads(y), writes(z));
        compare("mul", 0, ops::mul, reads(x), reads(y), writes(z));
        compare_value("sum", 30 * eps<T> * std::sqrt(count), ops::sum, reads(x));
        compare_value("max", 0, ops::max, reads(x));
      }
      if constexpr (sizeof(T) == 8 || std::is_same_v<T, float>) {
        compare_value("min", 0, ops::min, reads(x));
        compare_value("dot", 30 * eps<T> * std::sqrt(count), ops::dot, reads(x), reads(y));
      }
      if constexpr (std::is_floating_point_v<T>) {
        const double tolerance = 30 * eps<T> * count;
        compare_value("sum_of_squares", tolerance, ops::sum_of_squares, reads(x));
        compare_value("max_magnitude", 0, ops::max_magnitude, reads(x));
        compare("sgd_momentum", 0, ops::sgd_momentum, a, a, reads(x), updates(y), updates(z));
      }
    }
    const auto long_line = make<T>(shape<1>{100003}, 0, low, high);
    if constexpr (sizeof(T) >= 4) {
      compare_value("sum", 30 * eps<T> * 317, ops::sum, reads(long_line));
    }
  }
};

TEST_F(numbers, of_floating_types) {
  for_each_device([&] {
    elementwise<float>();
    elementwise<double>();
  });
}

TEST_F(numbers, of_integers) {
  for_each_device([&] {
    elementwise<std::int8_t>();
    elementwise<std::uint8_t>();
    elementwise<std::int16_t>();
    elementwise<std::uint16_t>();
    elementwise<std::int32_t>();
    elementwise<std::uint32_t>();
    elementwise<std::int64_t>();
    elementwise<std::uint64_t>();
  });
}

TEST_F(numbers, summed_twice_give_the_same_bits) {
  for_each_device([&] {
    runtime rt;
    const buffer<float> x{rt, std::size_t{1} << 18};
    {
      const auto content = x.write();
      for (std::size_t i = 0; i < content.size(); ++i) {
        content[i] = 1 / static_cast<float>(i + 1);
      }
    }
    const device_handle on = rt.device(name());
    const float first = rt.submit({.on = on}, ops::sum, reads(x)).get();
    for (int again = 0; again < 3; ++again) {
      EXPECT_EQ(first, rt.submit({.on = on}, ops::sum, reads(x)).get());
    }
  });
}

}  // namespace
}  // namespace hocket::testing
