// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Launches are corrupted on each device, and products and tasks that are checked are right all the
// same.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/hocket.hpp>

namespace hocket::testing {

namespace {

using ::testing::Each;

/// All that can run there runs on the last device, in the order of submission.
class last_device final : public placement_policy {
 public:
  std::size_t choose(const placement_task& task) override { return task.options.back().device; }
};

class checks : public ::testing::Test {
 protected:
  static runtime_options options(const std::string& device, const std::string& plan) {
    return {.devices = "NUMA0," + device,
            .backends = {{"opencl", "import=no"}, {"vulkan", "import=no"}, {"sim", "1"}},
            .own_policy = std::make_shared<last_device>(),
            .faults = plan};
  }

  /// Calls run(runtime) with each launch of each device corrupted in turn. It returns what the
  /// checks have found; some of the corrupted launches have to be among that.
  template <class F>
  static void corrupt_each_launch(const F& run) {
    runtime all({.backends = {{"opencl", "import=no"}, {"vulkan", "import=no"}, {"sim", "1"}}});
    for (const device_info& each : all.devices()) {
      if (each.shares_host_memory) continue;
      std::uint64_t corrupted = 1, found = 0;
      for (int number = 1; corrupted > 0 && number < 100; ++number) {
        const std::string plan = "corrupt " + each.name + " launch " + std::to_string(number);
        SCOPED_TRACE(plan);
        runtime rt(options(each.name, plan));
        found += run(rt, each.name);
        corrupted = rt.report().faults.corrupted;
      }
      EXPECT_GE(found, 1U) << each.name;
    }
  }

  /// A vector with the content of the host, so that no launch of the device fills it.
  static std::vector<float> numbers(std::size_t count) {
    std::vector<float> made(count);
    for (std::size_t i = 0; i < count; ++i) made[i] = std::sin(static_cast<float>(i));
    return made;
  }
};

TEST_F(checks, of_products_put_right_what_is_corrupted_on_any_device) {
  constexpr std::size_t m = 40, n = 24, k = 65;
  const std::vector<float> left = numbers(m * k), right = numbers(k * n);
  std::vector<float> expected(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < k; ++l) expected[i * n + j] += left[i * k + l] * right[l * n + j];
    }
  }
  corrupt_each_launch([&](runtime& rt, const std::string&) {
    const buffer<float, 2> a{rt, {m, k}, left}, b{rt, {k, n}, right}, c{rt, {m, n}};
    const auto counts = std::make_shared<check_counts>();
    checked_gemm(rt, {.counts = counts}, ops::gemm_nn, reads(a), reads(b), writes(c)).get();
    const std::vector<float> content = c.to_vector();
    for (std::size_t i = 0; i < content.size(); ++i) {
      EXPECT_NEAR(content[i], expected[i], 1e-4) << i;
    }
    EXPECT_EQ(counts->failed, 0U);
    return counts->differed.load();
  });
}

TEST_F(checks, of_two_runs_put_right_what_is_corrupted_on_any_device) {
  corrupt_each_launch([&](runtime& rt, const std::string& device) {
    const buffer<float> x{rt, shape<1>{300}, std::vector<float>(300, 2.0F)};
    const buffer<float> y{rt, shape<1>{300}, std::vector<float>(300, 1.0F)};
    const auto counts = std::make_shared<check_counts>();
    submit_compared(rt, {.task = {.on = rt.device(device)}, .counts = counts}, ops::axpy, 3.0F,
                    reads(x), updates(y))
        .get();
    EXPECT_THAT(y.to_vector(), Each(7.0F));
    EXPECT_EQ(counts->failed, 0U);
    return counts->differed.load();
  });
}

TEST_F(checks, of_two_runs_compare_unlike_devices_within_a_tolerance) {
  runtime rt;
  // Sums of positive numbers, whose relative errors are small.
  const buffer<float, 2> a{rt, {64, 48}, 0.3F}, b{rt, {48, 32}, 0.7F}, c{rt, {64, 32}};
  const auto counts = std::make_shared<check_counts>();
  for (const device_info& each : rt.devices()) {
    submit_compared(rt, {.task = {.on = rt.device(each.name)}, .tolerance = 1e-4, .counts = counts},
                    ops::gemm_nn, reads(a), reads(b), writes(c))
        .get();
  }
  EXPECT_EQ(counts->failed, 0U);
}

/// The factor L of a matrix in tiles, A = L L^T, column by column of tiles. Products are made by
/// one device, the rest by the host, so that all runs give the same bits.
class factorization {
 public:
  static constexpr std::size_t tiles = 4, edge = 12;

  explicit factorization(runtime& rt) {
    for (std::size_t i = 0; i < tiles; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        std::vector<float> content(edge * edge, 0.25F);
        for (std::size_t d = 0; d < edge && i == j; ++d) content[d * (edge + 1)] = 100;
        all_.emplace_back(rt, shape<2>{edge, edge}, content);
        negative_.emplace_back(rt, shape<2>{edge, edge});
      }
    }
  }

  void submit(runtime& rt, device_handle on) const {
    for (std::size_t k = 0; k < tiles; ++k) {
      rt.submit(&factorization::factor, updates(at(all_, k, k)));
      for (std::size_t i = k + 1; i < tiles; ++i) {
        rt.submit(&factorization::solve, reads(at(all_, k, k)), updates(at(all_, i, k)),
                  writes(at(negative_, i, k)));
      }
      for (std::size_t i = k + 1; i < tiles; ++i) {
        for (std::size_t j = k + 1; j <= i; ++j) {
          rt.submit({.on = on}, ops::gemm_nt, reads(at(all_, i, k)), reads(at(negative_, j, k)),
                    updates(at(all_, i, j)));
        }
      }
    }
  }

  [[nodiscard]] std::vector<float> result() const {
    std::vector<float> made;
    for (const auto& each : all_) {
      const std::vector<float> content = each.to_vector();
      made.insert(made.end(), content.begin(), content.end());
    }
    return made;
  }

 private:
  using tile_list = std::vector<buffer<float, 2>>;
  [[nodiscard]] static const buffer<float, 2>& at(const tile_list& of, std::size_t i,
                                                  std::size_t j) {
    return of[i * (i + 1) / 2 + j];
  }

  static void factor(buffer_view<float, 2> a) {
    for (std::size_t j = 0; j < edge; ++j) {
      for (std::size_t l = 0; l < j; ++l) {
        for (std::size_t i = j; i < edge; ++i) a(i, j) -= a(i, l) * a(j, l);
      }
      const float pivot = std::sqrt(a(j, j));
      for (std::size_t i = j; i < edge; ++i) a(i, j) /= pivot;
    }
  }
  static void solve(buffer_view<const float, 2> l, buffer_view<float, 2> x,
                    buffer_view<float, 2> negative) {
    for (std::size_t i = 0; i < edge; ++i) {
      for (std::size_t j = 0; j < edge; ++j) {
        for (std::size_t k = 0; k < j; ++k) x(i, j) -= x(i, k) * l(j, k);
        x(i, j) /= l(j, j);
        negative(i, j) = -x(i, j);
      }
    }
  }

  tile_list all_, negative_;
};

TEST_F(checks, of_copies_find_each_that_is_corrupted_in_a_cholesky_factorization) {
  runtime all({.backends = {{"opencl", "import=no"}, {"vulkan", "import=no"}, {"sim", "1"}}});
  for (const device_info& device : all.devices()) {
    if (device.shares_host_memory) continue;
    const auto factor_with = [&](const std::string& plan) {
      runtime_options made = options(device.name, plan);
      made.integrity = integrity_kind::copies;
      runtime rt(made);
      const factorization tiled(rt);
      tiled.submit(rt, rt.device(device.name));
      std::vector<float> result = tiled.result();
      EXPECT_EQ(rt.report().copies.corrupted, rt.report().faults.corrupted) << plan;
      EXPECT_GT(rt.report().copies.checked, 10U);
      return std::pair(std::move(result), rt.report().faults.corrupted);
    };
    const auto expected = factor_with("").first;
    EXPECT_TRUE(std::isfinite(expected.back()));
    // Never three calls in a row, after which a copy fails. And never both a copy from the device
    // and the one that checks it, which finds one difference: copies that check one to the device
    // may come between.
    for (const auto& [call, numbers] :
         {std::pair("copy-in", std::array{"1", "3..4", "7", "9..10", "14"}),
          std::pair("copy-out", std::array{"1", "4", "7", "10", "14"})}) {
      std::string plan;
      for (const char* const number : numbers) {
        plan.append("corrupt ").append(device.name).append(" ").append(call);
        plan.append(" ").append(number).append("; ");
      }
      const auto found = factor_with(plan);
      EXPECT_EQ(found.first, expected) << plan;
      EXPECT_GE(found.second, 3U) << plan;
    }
  }
}

}  // namespace

}  // namespace hocket::testing
