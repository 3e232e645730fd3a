// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "comparison.hpp"

namespace hocket::testing {
namespace {

class traced_lambdas : public kernels_on_devices {};

const auto clip = elementwise("clip", [](const auto& x, auto limit, auto& y, auto& clipped) {
  y = select(x > limit, limit, x);
  clipped += select(x > limit || x < -limit, 1, 0);
});

const auto gelu = elementwise("gelu", [](const auto& x, auto& y) {
  y = 0.5f * x * (1 + tanh(0.797884561f * (x + 0.044715f * x * x * x)));
});

const auto logistic = elementwise(
    "logistic", [](const auto& x, auto& y) { y = 1 / (1 + exp(-x)) + log(2 + x) - sqrt(abs(x)); });

const auto ramp = elementwise("ramp", [](auto step, auto& y, element_index auto i) {
  y = step * cast<float>(i % 1000u) - 1;
});

const auto integers = elementwise("integers", [](const auto& x, auto& y) {
  y = (x * 7 - 3) % 5 + x / 2 + select(!(x == 4) && x != 2, -x, +x);
});

const auto hashed = elementwise("hashed", [](const auto& x, auto& y, element_index auto i) {
  auto h = x ^ (i * 2654435769u);
  h ^= h >> 15u;
  h = (h * 2246822519u) | 1u;
  y = (h << (i % 31u)) & ~x;
});

const auto shifted = elementwise("shifted", [](const auto& x, auto& y) {
  y = min(max((x >> 2) ^ (x << 5), -40), 1000) % 100 + (x & 7);
});

/// Compilers give other results for each of these if they take for granted that nothing overflows.
/// Runs on devices alone: on the host overflow is undefined.
const auto overflowing =
    elementwise("overflowing", [](const auto& x, auto& sum, auto& turned, auto& flags) {
      sum = (x + x) / 2;
      turned = (x << 1) / 2;
      flags = select(x * x < 0, 1, 0) + select(x + 1 < x, 2, 0) + select(x - 1 > x, 4, 0) +
              select(-x == x && x != 0, 8, 0) + select(abs(x) < 0, 16, 0);
    });

template <class T>
void expect_wrapping(const std::string& device) {
  using bits = std::make_unsigned_t<T>;
  using limits = std::numeric_limits<T>;
  const std::vector<T> values{limits::max(),
                              limits::min(),
                              limits::max() / 2 + 1,
                              limits::max() / 3,
                              -250424741,
                              65536,
                              -7,
                              0,
                              3};
  runtime rt;
  const std::size_t count = values.size();
  const buffer<T> x{rt, {count}, std::span<const T>(values)};
  const buffer<T> sum{rt, count}, turned{rt, count}, flags{rt, count};
  rt.submit({.on = rt.device(device)}, overflowing, reads(x), writes(sum), writes(turned),
            writes(flags))
      .wait();
  const std::vector<T> sums = sum.to_vector(), shifts = turned.to_vector(),
                       found = flags.to_vector();
  for (std::size_t i = 0; i < count; ++i) {
    const T n = values[i];
    const auto u = static_cast<bits>(n);
    const bool is_least = n == limits::min();
    EXPECT_EQ(sums[i], static_cast<T>(u + u) / 2) << n;
    EXPECT_EQ(shifts[i], static_cast<T>(u + u) / 2) << n;
    EXPECT_EQ(found[i], (static_cast<T>(u * u) < 0 ? 1 : 0) + (n == limits::max() ? 2 : 0) +
                            (is_least ? 4 + 8 + 16 : 0))
        << n;
  }
}

const auto two_results =
    elementwise("two_results", [](const auto& p, const auto& q, auto& x, auto& y) {
      x = p + 1;
      y = q;
    });

const auto product = reduction("product", 1, [](auto a, auto b) { return a * b; });

const auto least = reduction("least", 100, [](auto a, auto b) { return min(a, b); });

const auto distance = transform_reduction(
    "distance", 0, [](auto a, auto b) { return a + b; }, [](auto x, auto y) { return abs(x - y); });

const auto weighted = transform_reduction(
    "weighted", 0, [](auto a, auto b) { return a + b; },
    [](auto weight, auto x, auto n) { return weight * x + cast<float>(n); });

const auto positive = transform_reduction(
    "positive", 0, [](auto a, auto b) { return a + b; },
    [](auto x) { return select(x > 0, cast<std::int32_t>(x - x) + 1, cast<std::int32_t>(x - x)); });

TEST_F(traced_lambdas, compute_what_they_compute_on_the_host) {
  constexpr std::size_t sizes[][2] = {{1, 1}, {13, 17}, {301, 257}};
  for_each_device([&] {
    for (const auto& [m, n] : sizes) {
      for (const std::size_t padding : {0u, 2u}) {
        const shape<2> both{m, n};
        const auto x = make<float>(both, padding), y = make<float>(both, padding);
        const auto n32 = make<std::int32_t>(both, padding, -50, 50);
        const auto m32 = make<std::int32_t>(both, 0, -50, 50);
        compare("clip", 0, clip, reads(x), number(0.3f), writes(y), updates(n32));
        compare("gelu", 1e-4, gelu, reads(x), writes(y));
        compare("logistic", 1e-4, logistic, reads(x), writes(y));
        compare("ramp", 0, ramp, number(0.5f), writes(y));
        compare("integers", 0, integers, reads(n32), writes(m32));
        compare("shifted", 0, shifted, reads(n32), writes(m32));
        const auto u32 = make<std::uint32_t>(both, padding, 0, 4e9);
        const auto v32 = make<std::uint32_t>(both, 1, 0, 10);
        compare("hashed", 0, hashed, reads(u32), writes(v32));
        if (has<std::int8_t>()) {
          const auto i8 = make<std::int8_t>(both, padding, -100, 100);
          compare("shifted", 0, shifted, reads(i8), writes(m32));
        }
        compare_value("least", 0, least, reads(x));
        const double tolerance = 30 * eps<float> * static_cast<double>(m * n);
        compare_value("distance", tolerance, distance, reads(x), reads(y));
        compare_value("weighted", 100 * tolerance, weighted, reads(x), reads(y), reads(n32));
        compare_value("positive", 0, positive, reads(x));
        if (has<std::int64_t>()) {
          const auto i64 = make<std::int64_t>(both, padding, -1e9, 1e9);
          const auto j64 = make<std::int64_t>(both, 1, -1e9, 1e9);
          compare("shifted", 0, shifted, reads(i64), writes(j64));
        }
        if (!has<double>()) continue;
        const auto u = make<double>(both, padding, 0.999, 1.001), v = make<double>(both, 1);
        compare("logistic", 1e-12, logistic, reads(u), writes(v));
        compare_value("product", 1e-11, product, reads(u));
        compare_value("distance", 1e-9, distance, reads(u), reads(v));
      }
    }
  });
}

TEST_F(traced_lambdas, compute_any_part_of_a_row) {
  for_each_device([&] {
    for (const std::size_t count : {1u, 3u, 4u, 35u, 1024u, 1030u, 40001u}) {
      for (const auto& [read_from, written_from] : {std::pair{0u, 0u}, {4u, 8u}, {4u, 1u}}) {
        const auto x = make<float>(shape<1>{count}, read_from);
        const auto y = make<float>(shape<1>{count}, written_from);
        const auto n = make<std::int32_t>(shape<1>{count}, written_from, -50, 50);
        compare("clip", 0, clip, reads(x), number(0.3f), writes(y), updates(n));
        compare("ramp", 0, ramp, number(0.5f), writes(y));
      }
    }
  });
}

TEST_F(traced_lambdas, wrap_signed_integers_around_on_devices) {
  for_each_device([&] {
    expect_wrapping<std::int32_t>(name());
    if (has<std::int64_t>()) expect_wrapping<std::int64_t>(name());
  });
}

TEST_F(traced_lambdas, work_in_place) {
  for_each_device([&] {
    const auto x = make<float>(shape<2>{65, 129}, 2), y = make<float>(shape<2>{65, 129}, 1);
    compare("add", 0, ops::add, reads(x), reads(x), writes(x));
    compare("two_results", 0, two_results, reads(x), reads(x), writes(x), writes(y));
  });
}

}  // namespace
}  // namespace hocket::testing
