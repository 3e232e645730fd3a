// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "api.hpp"
#include "texts.hpp"

namespace standin::testing {

namespace {

/// Each test runs with the committed PTX and, where NVRTC is there, with what it writes now.
class kernels : public ::testing::TestWithParam<const char*>, public session {
 protected:
  kernels() : session(STANDIN_CUDA) {}

  void SetUp() override {
    const auto text =
        std::string(GetParam()) == "committed" ? committed_kernels() : compiled_kernels();
    if (!text) GTEST_SKIP() << "there is no NVRTC";
    module = load(*text);
  }

  void* module = nullptr;
};

std::vector<float> numbers(std::size_t count, float from, float to) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(from, to);
  std::vector<float> result(count);
  for (float& x : result) x = any(random);
  return result;
}

TEST_P(kernels, add_vectors_of_any_length) {
  for (const unsigned n : {1U, 31U, 1000U, 70001U}) {
    const auto x = numbers(n, -5, 5), y = numbers(n, 2, 3);
    const auto dy = upload(y);
    run(module, "saxpy", (n + 255) / 256, 256, 0, 2.0F, upload(x), dy, n);
    const auto result = download<float>(dy, n);
    for (unsigned i = 0; i < n; ++i) ASSERT_EQ(result[i], std::fma(2.0F, x[i], y[i])) << i;
  }
}

TEST_P(kernels, load_vectors) {
  const auto x = numbers(400, -1, 1);
  const auto out = upload(std::vector<float>(100));
  run(module, "sum4", 1, 128, 0, upload(x), out, 100U);
  const auto result = download<float>(out, 100);
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_EQ(result[i], x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3]);
  }
}

TEST_P(kernels, share_memory_in_a_block) {
  const unsigned n = 10000;
  const auto x = numbers(n, -1, 1), y = numbers(n, 0, 1);
  const auto out = upload(std::vector<float>(1, 0.0F));
  run(module, "dot", 5, 256, 0, upload(x), upload(y), out, n);
  double expected = 0;
  for (unsigned i = 0; i < n; ++i) expected += static_cast<double>(x[i]) * y[i];
  EXPECT_NEAR(download<float>(out, 1)[0], expected, 1e-2);
}

TEST_P(kernels, exchange_values_in_a_warp) {
  const auto x = numbers(128, -1, 1);
  const auto sums = upload(std::vector<float>(4));
  const auto positive = upload(std::vector<unsigned>(4));
  run(module, "warp_sum", 2, 64, 0, upload(x), sums, positive);
  const auto sum = download<float>(sums, 4);
  const auto bits = download<unsigned>(positive, 4);
  for (unsigned w = 0; w < 4; ++w) {
    unsigned expected = 0;
    float total = 0;
    for (unsigned l = 0; l < 32; ++l) {
      total += x[w * 32 + l];
      if (x[w * 32 + l] > 0) expected |= 1U << l;
    }
    EXPECT_NEAR(sum[w], total, 1e-4F);
    EXPECT_EQ(bits[w], expected);
  }
}

TEST_P(kernels, know_their_lanes) {
  const auto out = upload(std::vector<unsigned>(32 * 8));
  run(module, "lanes", 1, 32, 0, out);
  const auto r = download<unsigned>(out, 32 * 8);
  for (unsigned t = 0; t < 32; ++t) {
    const unsigned* const to = r.data() + t * 8;
    EXPECT_EQ(to[0], t < 3 ? t : t - 3);
    EXPECT_EQ(to[1], t ^ 5U);
    EXPECT_EQ(to[2], (t & 16U) + 9);
    EXPECT_EQ(to[3], 3U);
    const unsigned first = t / 3 * 3;
    EXPECT_EQ(to[4], (first == 30 ? 3U : 7U) << first);
    EXPECT_EQ(to[5], 496U);
    EXPECT_EQ(to[6], t % 2 == 1 ? 1U : 100U);
    EXPECT_EQ(to[7], 32U);
  }
}

TEST_P(kernels, use_shared_memory_that_a_launch_adds) {
  const std::size_t n = 300, rows = 3;
  const auto x = numbers(n * rows, -4, 4);
  const auto out = upload(std::vector<float>(x.size()));
  run(module, "softmax", rows, 128, 128 * sizeof(float), upload(x), out, static_cast<int>(n));
  const auto y = download<float>(out, x.size());
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::exp(static_cast<double>(x[r * n + i]));
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(y[r * n + i], std::exp(static_cast<double>(x[r * n + i])) / sum, 1e-7);
    }
  }
}

TEST_P(kernels, optimise_as_the_host_does) {
  const unsigned n = 500;
  const auto p = numbers(n, -1, 1), m = numbers(n, -1, 1), v = numbers(n, 0, 1),
             g = numbers(n, -2, 2);
  const auto dp = upload(p), dm = upload(m), dv = upload(v);
  run(module, "adam", 2, 256, 0, dp, dm, dv, upload(g), 0.01F, 0.1F, 0.001F, n);
  const auto rp = download<float>(dp, n), rm = download<float>(dm, n), rv = download<float>(dv, n);
  for (unsigned i = 0; i < n; ++i) {
    const double mm = 0.9 * m[i] + 0.1 * g[i], vv = 0.999 * v[i] + 0.001 * g[i] * g[i];
    EXPECT_NEAR(rm[i], mm, 1e-6);
    EXPECT_NEAR(rv[i], vv, 1e-6);
    EXPECT_NEAR(rp[i], p[i] - 0.01 * (mm / 0.1) / (std::sqrt(vv / 0.001) + 1e-8), 1e-5);
  }
}

TEST_P(kernels, rotate_positions) {
  const std::size_t d = 64, rows = 20;
  const auto x = numbers(d * rows, -1, 1);
  const auto dx = upload(x);
  run(module, "rope", 10, 64, 0, dx, static_cast<int>(d), 10000.0F, static_cast<int>(d / 2 * rows));
  const auto y = download<float>(dx, x.size());
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t k = 0; k < d / 2; ++k) {
      const double a = static_cast<double>(t) *
                       std::pow(10000.0, -2.0 * static_cast<double>(k) / static_cast<double>(d));
      const double u = x[t * d + k], w = x[t * d + k + d / 2];
      EXPECT_NEAR(y[t * d + k], u * std::cos(a) - w * std::sin(a), 1e-5);
      EXPECT_NEAR(y[t * d + k + d / 2], u * std::sin(a) + w * std::cos(a), 1e-5);
    }
  }
}

TEST_P(kernels, reduce_large_angles) {
  std::vector<float> x{0, 1, 3.5F, 100, 12345.678F, 1e6F, 1e10F, 3e20F, -7e30F};
  const auto n = static_cast<unsigned>(x.size());
  const auto out = upload(std::vector<float>(n));
  run(module, "large_angles", 1, 32, 0, upload(x), out, n);
  const auto s = download<float>(out, n);
  for (unsigned i = 0; i < n; ++i)
    EXPECT_NEAR(s[i], std::sin(static_cast<double>(x[i])), 3e-7) << x[i];
}

/// The results of kernel `integers`, computed by the host.
std::array<std::int64_t, 8> integers_of(std::int64_t a, std::int64_t b) {
  __extension__ using wide = __int128;
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  std::uint64_t reversed = 0;
  for (unsigned k = 0; k < 64; ++k) reversed |= (ua >> k & 1U) << (63 - k);
  const auto la = static_cast<std::uint32_t>(ua), lb = static_cast<std::uint32_t>(ub);
  const auto counts =
      std::countl_zero(ua) ^ std::popcount(ub) ^ (ua == 0 ? 0 : std::countr_zero(ua) + 1);
  const std::uint32_t shifted = lb << 7U | la >> 25U;
  const std::uint32_t bytes = (la & 0xFFFFU) | lb << 16U;
  const int small = static_cast<std::int16_t>(a) * static_cast<std::int16_t>(b) +
                    (static_cast<std::int32_t>(la) >> 5) +
                    static_cast<int>(static_cast<std::uint8_t>(a) % 7U);
  return {
      a / b,
      a % b,
      static_cast<std::int64_t>(ua / ub),
      static_cast<std::int64_t>(static_cast<wide>(a) * b >> 64),
      static_cast<std::int64_t>(static_cast<std::int32_t>(la)) * static_cast<std::int32_t>(lb) >>
          32,
      static_cast<std::int64_t>(reversed ^ static_cast<std::uint64_t>(counts)),
      static_cast<std::int64_t>(shifted ^ bytes),
      small};
}

TEST_P(kernels, compute_with_integers) {
  std::mt19937_64 random(3);
  std::vector<std::int64_t> a(200), b(200);
  for (auto& x : a) x = static_cast<std::int64_t>(random() >> (random() % 60));
  for (auto& x : b) x = static_cast<std::int64_t>(random() >> (random() % 60)) | 1;
  for (std::size_t i = 0; i < a.size(); i += 3) a[i] = -a[i];
  const auto out = upload(std::vector<std::int64_t>(1600));
  run(module, "integers", 1, 256, 0, upload(a), upload(b), out, 200U);
  const auto r = download<std::int64_t>(out, 1600);
  for (std::size_t i = 0; i < 200; ++i) {
    const auto expected = integers_of(a[i], b[i]);
    for (std::size_t k = 0; k < 8; ++k)
      EXPECT_EQ(r[i * 8 + k], expected[k]) << a[i] << ' ' << b[i] << ' ' << k;
  }
}

TEST_P(kernels, compute_with_doubles) {
  std::vector<double> x(100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.37 * static_cast<double>(i * i + 1);
  const auto out = upload(std::vector<double>(600));
  run(module, "doubles", 1, 128, 0, upload(x), out, 100U);
  const auto r = download<double>(out, 600);
  for (std::size_t i = 0; i < 100; ++i) {
    const double* const y = r.data() + i * 6;
    EXPECT_EQ(y[0], std::sqrt(x[i]));
    EXPECT_NEAR(y[1], std::log(x[i]), 1e-14 * std::fabs(std::log(x[i])));
    EXPECT_NEAR(y[2], std::exp(x[i] / 100), 1e-14 * std::exp(x[i] / 100));
    EXPECT_EQ(y[3], std::floor(x[i]) + std::ceil(-x[i]) + std::rint(x[i]));
    EXPECT_EQ(y[4], x[i] / 3.0);
    EXPECT_NEAR(y[5], std::pow(x[i], 1.5), 1e-14 * std::pow(x[i], 1.5));
  }
}

TEST_P(kernels, convert_numbers) {
  const std::vector<float> x{0.5F,  1.5F,  -1.5F,  2.5F, -0.25F, 3e9F,
                             -3e9F, 1e20F, 127.9F, 0,    NAN,    INFINITY};
  const auto n = static_cast<unsigned>(x.size());
  const auto out = upload(std::vector<int>(n * 8));
  run(module, "conversions", 1, 32, 0, upload(x), out, n);
  const auto r = download<int>(out, n * 8);
  const auto limited = [](double v, double low, double high) {
    return static_cast<std::int64_t>(std::isnan(v) ? 0 : std::clamp(v, low, high));
  };
  for (unsigned i = 0; i < n; ++i) {
    const double v = x[i];
    const int* const to = r.data() + i * 8;
    EXPECT_EQ(to[0], limited(std::trunc(v), -2147483648.0, 2147483647.0)) << v;
    EXPECT_EQ(to[1], limited(std::rint(v), -2147483648.0, 2147483647.0)) << v;
    EXPECT_EQ(to[2], limited(std::floor(v), -2147483648.0, 2147483647.0)) << v;
    EXPECT_EQ(static_cast<unsigned>(to[3]), limited(std::trunc(v), 0, 4294967295.0)) << v;
    EXPECT_EQ(to[4], static_cast<std::int8_t>(to[0])) << v;
    EXPECT_EQ(std::bit_cast<float>(to[5]), v > 0 ? std::min(v, 1.0) : 0.0) << v;
    if (std::isfinite(v)) {
      EXPECT_EQ(std::bit_cast<float>(to[6]), x[i] * 0.5F);
    }
    if (std::isfinite(v) && std::fabs(v) > 0.1) {
      EXPECT_EQ(std::abs(to[7]), 1) << v;
    }
  }
}

TEST_P(kernels, update_memory_together) {
  const int n = 512;
  const auto c = upload(std::vector<int>{0, -5, 5});
  const auto u = upload(std::vector<unsigned>{0, ~0U, 0, 0});
  const auto w = upload(std::vector<unsigned long long>{1, 10});
  const auto f = upload(std::vector<float>{1});
  const auto d = upload(std::vector<double>{2});
  run(module, "atomics", 4, 128, 0, c, u, w, f, d);
  EXPECT_EQ(download<int>(c, 3), (std::vector<int>{n * (n - 1) / 2, n - 1, 1 - n}));
  EXPECT_EQ(download<unsigned>(u, 4), (std::vector<unsigned>{~0U, 0xFFFF0000U, 0, n % 10}));
  EXPECT_EQ(download<unsigned long long>(w, 2),
            (std::vector<unsigned long long>{1 + (512ULL << 33U), 10 + 3 * 512}));
  EXPECT_EQ(download<float>(f, 1)[0], 1 + 0.5F * n);
  EXPECT_EQ(download<double>(d, 1)[0], 2 + 0.25 * n);
}

struct pair {
  int a;
  float b[3];
};

TEST_P(kernels, call_functions) {
  std::vector<pair> p(40);
  for (int i = 0; i < 40; ++i) p[static_cast<std::size_t>(i)] = {i, {1, static_cast<float>(i), 3}};
  const auto dp = upload(p);
  const auto out = upload(std::vector<int>(40));
  run(module, "calls", 1, 40, 0, dp, out, 1);
  const auto rp = download<pair>(dp, 40);
  const auto r = download<int>(out, 40);
  for (int i = 0; i < 40; ++i) {
    const auto at = static_cast<std::size_t>(i);
    int factorial = 1;
    for (int k = 2; k <= i % 8; ++k) factorial *= k;
    EXPECT_EQ(rp[at].a, i + 1);
    EXPECT_EQ(rp[at].b[1], 2 * static_cast<float>(i));
    EXPECT_EQ(r[at], (i % 2 == 0 ? i * 7 : i + 1) + (1 << (i & 3)) + factorial) << i;
  }
  unsigned long long counter = 0;
  std::size_t bytes = 0;
  check(cu.cuModuleGetGlobal_v2(&counter, &bytes, module, "counter"));
  EXPECT_EQ(bytes, 4U);
  EXPECT_EQ(download<unsigned>(counter, 1)[0], 80U);
}

TEST_P(kernels, vote_in_a_block) {
  std::vector<int> x(100);
  std::iota(x.begin(), x.end(), -5);
  const auto out = upload(std::vector<int>(300));
  run(module, "votes", 1, 100, 0, upload(x), out);
  const auto r = download<int>(out, 300);
  for (std::size_t t = 0; t < 100; ++t) {
    EXPECT_EQ(r[t * 3], 94);
    EXPECT_EQ(r[t * 3 + 1], 0);
    EXPECT_EQ(r[t * 3 + 2], 0);
  }
}

TEST_P(kernels, take_turns_at_a_lock) {
  const auto locks = upload(std::vector<int>(1)), sum = upload(std::vector<int>(1));
  run(module, "lock", 2, 96, 0, locks, sum);
  EXPECT_EQ(download<int>(sum, 1)[0], 192);
}

TEST_P(kernels, fail_beyond_an_allocation) {
  const auto x = upload(std::vector<float>(100));
  EXPECT_EQ(launch(module, "beyond", 1, 1, 0, x, 100U), success);
  EXPECT_EQ(cu.cuStreamSynchronize(stream), illegal_address);
  unsigned long long more = 0;
  EXPECT_EQ(cu.cuMemAlloc_v2(&more, 4), illegal_address) << "the failure stays";
}

INSTANTIATE_TEST_SUITE_P(text, kernels, ::testing::Values("committed", "compiled"),
                         [](const auto& text) { return std::string(text.param); });

}  // namespace

}  // namespace standin::testing
