// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Products whose elements are corrupted are put right, or fail.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../faults/rounds.hpp"

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

runtime_options host_alone() {
  return {.devices = "NUMA0", .topology = testing::machine("numa:1 core:2 pu:1")};
}

template <class T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
  std::vector<T> made(count);
  for (T& each : made) {
    seed = seed * 1664525U + 1013904223U;
    each = static_cast<T>(static_cast<double>(seed) / 4294967296.0 - 0.5);
  }
  return made;
}

/// Matrices of one product, of which no two extents are the same.
template <class T>
struct matrices {
  explicit matrices(runtime& rt, bool ta = false, bool tb = false, std::size_t m = 33,
                    std::size_t n = 20, std::size_t k = 47)
      : a(rt, ta ? shape<2>{k, m} : shape<2>{m, k}, numbers<T>(m * k, 1), "A"),
        b(rt, tb ? shape<2>{n, k} : shape<2>{k, n}, numbers<T>(k * n, 2), "B"),
        c(rt, {m, n}, numbers<T>(m * n, 3), "C") {}
  buffer<T, 2> a, b, c;
};

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 100 * std::numeric_limits<T>::epsilon()) << i;
  }
}

template <class T, class Family, class Access>
std::vector<T> product(runtime& rt, const matrices<T>& of, const Family& family,
                       const Access& result) {
  rt.submit(family, reads(of.a), reads(of.b), result).get();
  return of.c.to_vector();
}

template <class T>
class checked_products : public ::testing::Test {};
using real_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(checked_products, real_types);

TYPED_TEST(checked_products, are_what_they_are_without_a_check) {
  runtime rt(host_alone());
  const auto counts = std::make_shared<check_counts>();
  const auto expect_same = [&](const auto& family, bool ta, bool tb) {
    const matrices<TypeParam> plain(rt, ta, tb), checked(rt, ta, tb);
    checked_gemm(rt, {.counts = counts}, family, reads(checked.a), reads(checked.b),
                 writes(checked.c))
        .get();
    EXPECT_EQ(checked.c.to_vector(), product(rt, plain, family, writes(plain.c)));
    checked_gemm(rt, {.counts = counts}, family, reads(checked.a), reads(checked.b),
                 updates(checked.c))
        .get();
    EXPECT_EQ(checked.c.to_vector(), product(rt, plain, family, updates(plain.c)));
  };
  expect_same(ops::gemm_nn, false, false);
  expect_same(ops::gemm_nt, false, true);
  expect_same(ops::gemm_tn, true, false);
  EXPECT_EQ(counts->differed, 0U);
}

TYPED_TEST(checked_products, are_right_for_numbers_of_any_size) {
  runtime rt(host_alone());
  const auto counts = std::make_shared<check_counts>();
  for (const double scale : {1e-30, 1e-10, 1.0, 1e10}) {
    // Equal elements, whose rounding errors add up.
    const buffer<TypeParam, 2> a{rt, {64, 300}, static_cast<TypeParam>(scale / 3)};
    const buffer<TypeParam, 2> b{rt, {300, 16}, static_cast<TypeParam>(scale * 0.7)};
    const buffer<TypeParam, 2> c{rt, {64, 16}};
    checked_gemm(rt, {.counts = counts}, ops::gemm_nn, reads(a), reads(b), writes(c)).get();
  }
  EXPECT_EQ(counts->differed, 0U);
}

TYPED_TEST(checked_products, may_be_empty) {
  runtime rt(host_alone());
  for (const auto& [m, n, k] : {std::array<std::size_t, 3>{0, 3, 2}, {3, 0, 2}, {3, 2, 0}}) {
    const buffer<TypeParam, 2> a{rt, {m, k}, TypeParam{1}}, b{rt, {k, n}, TypeParam{1}};
    const buffer<TypeParam, 2> c{rt, {m, n}};
    checked_gemm(rt, {}, ops::gemm_nn, reads(a), reads(b), writes(c)).get();
    EXPECT_EQ(c.to_vector(), std::vector<TypeParam>(m * n));
  }
}

TYPED_TEST(checked_products, are_not_checked_where_a_factor_is_not_finite) {
  runtime rt(host_alone());
  const matrices<TypeParam> of(rt);
  rt.submit(
      [](buffer_view<TypeParam, 2> a) { a(3, 4) = std::numeric_limits<TypeParam>::quiet_NaN(); },
      updates(of.a));
  const auto counts = std::make_shared<check_counts>();
  checked_gemm(rt, {.counts = counts}, ops::gemm_nn, reads(of.a), reads(of.b), writes(of.c)).get();
  EXPECT_TRUE(std::isnan(of.c.read()(3, 0)));
  EXPECT_FALSE(std::isnan(of.c.read()(2, 0)));
  EXPECT_EQ(counts->differed, 0U);
}

/// All that can run there runs on the last device.
class last_device final : public placement_policy {
 public:
  std::size_t choose(const placement_task& task) override { return task.options.back().device; }
};

/// Some launches on a simulated device are corrupted.
class corrupted_products : public ::testing::TestWithParam<bool> {
 protected:
  static runtime_options options(const std::string& launches) {
    runtime_options made =
        testing::options_at(testing::virtual_sim, "corrupt Sim0 launch " + launches);
    made.backends = {{"sim", "1"}};
    made.own_policy = std::make_shared<last_device>();
    return made;
  }
  [[nodiscard]] static bool accumulates() { return GetParam(); }

  template <class T>
  static future<void> submit(runtime& rt, const matrices<T>& of, gemm_check_options how) {
    how.task.label = "product";
    return accumulates()
               ? checked_gemm(rt, how, ops::gemm_nn, reads(of.a), reads(of.b), updates(of.c))
               : checked_gemm(rt, how, ops::gemm_nn, reads(of.a), reads(of.b), writes(of.c));
  }
  template <class T>
  [[nodiscard]] static std::vector<T> expected(std::size_t m, std::size_t n) {
    runtime rt(host_alone());
    const matrices<T> of(rt, false, false, m, n);
    return accumulates() ? product(rt, of, ops::gemm_nn, updates(of.c))
                         : product(rt, of, ops::gemm_nn, writes(of.c));
  }

  /// The outcomes of products of which one launch after the other is corrupted.
  struct outcome {
    int launches = 0;
    std::uint64_t differed = 0, corrected = 0, repeated = 0;
  };
  template <class T>
  static outcome corrupt_each_launch(std::size_t m, std::size_t n) {
    outcome sum;
    const std::vector<T> right = expected<T>(m, n);
    for (std::uint64_t corrupted = 1; corrupted > 0 && sum.launches < 100;) {
      const std::string launch = std::to_string(++sum.launches);
      SCOPED_TRACE("launch " + launch);
      const auto counts = std::make_shared<check_counts>();
      runtime rt(options(launch));
      const matrices<T> of(rt, false, false, m, n);
      submit(rt, of, {.counts = counts}).get();
      expect_near(of.c.to_vector(), right);
      corrupted = rt.report().faults.corrupted;
      EXPECT_EQ(counts->failed, 0U);
      sum.differed += counts->differed;
      sum.corrected += counts->corrected;
      sum.repeated += counts->repeated;
    }
    return sum;
  }
};

TEST_P(corrupted_products, are_made_again_where_many_elements_are_wrong) {
  const outcome found = corrupt_each_launch<float>(33, 20);
  EXPECT_GT(found.launches, 7);
  EXPECT_GE(found.differed, 5U);
  // Two of the launches are the sums of the result, which are made anew before the product is.
  EXPECT_EQ(found.repeated + 2, found.differed);
  EXPECT_EQ(found.corrected, 0U);
}

TEST_P(corrupted_products, are_right_if_what_a_lost_device_had_is_made_again) {
  const std::vector<float> right = expected<float>(33, 20);
  std::size_t recovered = 0;
  for (int launch = 1; launch <= 9; ++launch) {
    for (int loss = 2; loss <= 16; ++loss) {
      const std::string number = std::to_string(loss);
      runtime_options two = options(std::to_string(launch) + "; lose Sim1 launch " + number);
      two.backends = {{"sim", "2"}};
      two.resilience = resilience_kind::survive;
      runtime rt(two);
      const matrices<float> of(rt, false, false, 33, 20);
      submit(rt, of, {}).get();
      // The device is lost at the latest now.
      const buffer<float> other(rt, 10);
      for (int i = 0; i < loss; ++i) {
        rt.submit({.on = rt.device("Sim1")}, ops::fill, 0.0F, writes(other));
      }
      rt.wait();
      expect_near(of.c.to_vector(), right);
      recovered += rt.report().recoveries;
    }
  }
  EXPECT_GT(recovered, 0U);
}

TEST_P(corrupted_products, are_corrected_where_one_element_is_wrong) {
  // Sixteen elements, of which a fault changes one.
  const outcome found = corrupt_each_launch<float>(4, 4);
  EXPECT_GE(found.corrected, 1U);
  EXPECT_EQ(found.repeated + found.corrected + 2, found.differed);
}

TEST_P(corrupted_products, of_doubles_are_corrected_too) {
  EXPECT_GE(corrupt_each_launch<double>(2, 4).corrected, 1U);
}

TEST_P(corrupted_products, fail_after_the_last_attempt) {
  const auto counts = std::make_shared<check_counts>();
  runtime rt(options("1.."));
  const matrices<float> of(rt);
  const future<void> fails = submit(rt, of, {.attempts = 2, .counts = counts});
  EXPECT_EQ(fails.error().code(), failure_code::data_corrupted);
  EXPECT_THAT(fails.error().message(),
              AllOf(HasSubstr("\"product\""), HasSubstr("\"C\""), HasSubstr("2 attempts"),
                    HasSubstr("the first is that of row")));
  EXPECT_EQ(counts->repeated, 1U);
  EXPECT_EQ(counts->failed, 1U);
  EXPECT_THROW((void)of.c.to_vector(), error);
}

INSTANTIATE_TEST_SUITE_P(modes, corrupted_products, ::testing::Bool(), [](const auto& each) {
  return std::string(each.param ? "updates" : "writes");
});

TEST(CheckedGemm, RefusesOptionsThatMakeNoSense) {
  runtime rt(host_alone());
  const matrices<float> of(rt);
  const auto check = [&](const gemm_check_options& how) {
    (void)checked_gemm(rt, how, ops::gemm_nn, reads(of.a), reads(of.b), writes(of.c));
  };
  EXPECT_THROW(check({.attempts = 0}), usage_error);
  EXPECT_THROW(check({.tolerance = 0}), usage_error);
  EXPECT_THROW(check({.tolerance = 2}), usage_error);
}

}  // namespace
}  // namespace hocket
