// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <set>

#include <hocket/core/error.hpp>
#include <hocket/kernels/ops.hpp>

#include "support.hpp"

extern "C" {
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);
}

namespace hocket::testing {
namespace {

/// Runs the ranges one after the other, and counts them.
class counting_lanes final : public lane_group {
 public:
  [[nodiscard]] std::size_t lanes() const noexcept override { return 1; }
  [[nodiscard]] std::size_t counted() const { return counted_; }
  void for_ranges(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& piece) override {
    for (std::size_t begin = 0; begin < count; begin += grain) {
      ++counted_;
      piece(begin, std::min(count, begin + grain));
    }
  }

 private:
  std::size_t counted_ = 0;
};

template <class T>
class gemm_ops : public typed_random_test<T> {
 protected:
  /// One product through the kernel and by the definition, over fresh random matrices.
  template <class Family>
  void compare(const Family& family, bool transpose_a, bool transpose_b, std::size_t m,
               std::size_t n, std::size_t k, std::size_t padding, bool accumulate) {
    SCOPED_TRACE(std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(k) +
                 (accumulate ? " accumulated" : " written") + (padding == 0 ? "" : ", padded"));
    tensor<T> a(transpose_a ? index_list{k, m} : index_list{m, k}, padding);
    tensor<T> b(transpose_b ? index_list{n, k} : index_list{k, n}, padding);
    tensor<T> c({m, n}, padding);
    a.fill(this->random_);
    b.fill(this->random_);
    c.fill(this->random_);
    if (!accumulate && c.size() > 0) c[0] = std::numeric_limits<T>::quiet_NaN();
    const std::vector<T> before = c.values();
    const auto& kernel =
        accumulate
            ? *family.template resolve<in_buffer<T, 2>, in_buffer<T, 2>, inout_buffer<T, 2>>()
                   .definition()
            : *family.template resolve<in_buffer<T, 2>, in_buffer<T, 2>, out_buffer<T, 2>>()
                   .definition();
    launch(kernel, this->lanes_, {}, {a.argument(), b.argument(), c.argument()});
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        wide<T> expected = accumulate ? before[i * n + j] : T{0};
        wide<T> magnitude = std::abs(expected);
        for (std::size_t l = 0; l < k; ++l) {
          const wide<T> product =
              wide<T>{transpose_a ? a(l, i) : a(i, l)} * wide<T>{transpose_b ? b(j, l) : b(l, j)};
          expected += product;
          magnitude += std::abs(product);
        }
        const double bound =
            static_cast<double>(k + 2) * epsilon<T> * static_cast<double>(magnitude);
        ASSERT_NEAR(static_cast<double>(c(i, j) - expected), 0, bound) << i << ", " << j;
      }
    }
    EXPECT_TRUE(c.intact());
  }

  template <class Family>
  void compare_all(const Family& family, bool transpose_a, bool transpose_b) {
    const std::size_t sizes[][3] = {{0, 3, 4},     {3, 0, 4},    {3, 4, 0},    {0, 0, 0},
                                    {1, 1, 1},     {1, 9, 5},    {9, 1, 5},    {17, 23, 1},
                                    {31, 10, 65},  {64, 64, 64}, {515, 3, 11}, {5, 1031, 7},
                                    {33, 130, 301}};
    for (const auto& [m, n, k] : sizes) {
      for (std::size_t padding : {0u, 3u}) {
        for (bool accumulate : {false, true}) {
          compare(family, transpose_a, transpose_b, m, n, k, padding, accumulate);
        }
      }
    }
  }
};
TYPED_TEST_SUITE(gemm_ops, real_types);

/// Sees how many threads a call of the library may use in each piece.
class watching_lanes final : public lane_group {
 public:
  [[nodiscard]] std::size_t lanes() const noexcept override { return 1; }
  [[nodiscard]] const std::set<int>& seen() const { return seen_; }
  void for_ranges(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& piece) override {
    for (std::size_t begin = 0; begin < count; begin += grain) {
      seen_.insert(openblas_get_num_threads());
      piece(begin, std::min(count, begin + grain));
    }
  }

 private:
  std::set<int> seen_;
};

TYPED_TEST(gemm_ops, uses_one_thread_for_a_call_and_puts_the_setting_back) {
  using T = TypeParam;
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(3);
  tensor<T> a({600, 600}), b({600, 600}), c({600, 600});
  const auto& kernel =
      *ops::gemm_nn.resolve<in_buffer<T, 2>, in_buffer<T, 2>, out_buffer<T, 2>>().definition();
  watching_lanes lanes;
  launch(kernel, lanes, {}, {a.argument(), b.argument(), c.argument()});
  EXPECT_EQ(lanes.seen(), std::set<int>{1});
  EXPECT_EQ(openblas_get_num_threads(), 3);
  openblas_set_num_threads(before);
}

TYPED_TEST(gemm_ops, nn) { this->compare_all(ops::gemm_nn, false, false); }
TYPED_TEST(gemm_ops, nt) { this->compare_all(ops::gemm_nt, false, true); }
TYPED_TEST(gemm_ops, tn) { this->compare_all(ops::gemm_tn, true, false); }

TYPED_TEST(gemm_ops, scale_the_product_and_what_was_there) {
  using T = TypeParam;
  const auto& scaled =
      *ops::gemm_nt.template resolve<T, in_buffer<T, 2>, in_buffer<T, 2>, T, inout_buffer<T, 2>>()
           .definition();
  const auto& plain =
      *ops::gemm_nt.resolve<in_buffer<T, 2>, in_buffer<T, 2>, out_buffer<T, 2>>().definition();
  tensor<T> a({33, 20}, 3), b({47, 20}, 1), c({33, 47}, 2), product({33, 47});
  a.fill(this->random_);
  b.fill(this->random_);
  c.fill(this->random_);
  const std::vector<T> before = c.values();
  const auto launch_with = [&](T alpha, T beta) {
    launch(scaled, this->lanes_, {scalar_argument::of(alpha), scalar_argument::of(beta)},
           {a.argument(), b.argument(), c.argument()});
  };
  launch(plain, this->lanes_, {}, {a.argument(), b.argument(), product.argument()});
  launch_with(T{-0.5}, T{0.75});
  EXPECT_TRUE(c.intact());
  for (std::size_t i = 0; i < c.size(); ++i) {
    const T expected = T{-0.5} * product[i] + T{0.75} * before[i];
    ASSERT_NEAR(c[i], expected, 40 * epsilon<T>) << i;
  }
  // A product that is scaled by zero does not count.
  a[0] = std::numeric_limits<T>::infinity();
  b[0] = std::numeric_limits<T>::quiet_NaN();
  c.fill(this->random_);
  const std::vector<T> kept = c.values();
  launch_with(T{0}, T{1});
  EXPECT_TRUE(same_bits(c.values(), kept));
  a[0] = b[0] = 1;
  launch(plain, this->lanes_, {}, {a.argument(), b.argument(), product.argument()});
  // A C that is scaled by zero is not read.
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = std::numeric_limits<T>::quiet_NaN();
  launch_with(T{2}, T{0});
  for (std::size_t i = 0; i < c.size(); ++i) {
    ASSERT_NEAR(c[i], 2 * product[i], 80 * epsilon<T>) << i;
  }
}

TYPED_TEST(gemm_ops, bits_do_not_depend_on_the_lanes) {
  using T = TypeParam;
  tensor<T> a({1030, 70}), b({70, 520}), first({1030, 520}), second({1030, 520}, 7);
  a.fill(this->random_);
  b.fill(this->random_);
  const auto& kernel =
      *ops::gemm_nn.resolve<in_buffer<T, 2>, in_buffer<T, 2>, out_buffer<T, 2>>().definition();
  threaded_lanes threads(4);
  launch(kernel, this->lanes_, {}, {a.argument(), b.argument(), first.argument()});
  launch(kernel, threads, {}, {a.argument(), b.argument(), second.argument()});
  EXPECT_TRUE(same_bits(first.values(), second.values()));
  EXPECT_TRUE(second.intact());
  EXPECT_EQ(kernel.width_of({{1030, 70}, {70, 520}, {1030, 520}}), body_width::wide);
  EXPECT_EQ(kernel.width_of({{512, 512}, {512, 512}, {512, 512}}), body_width::wide);
  EXPECT_EQ(kernel.width_of({{128, 128}, {128, 128}, {128, 128}}), body_width::serial);
  EXPECT_EQ(kernel.width_of({{0, 512}, {512, 512}, {0, 512}}), body_width::serial);
}

TYPED_TEST(gemm_ops, several_products_have_the_bits_of_each_alone) {
  using T = TypeParam;
  const auto& several =
      *ops::gemm_nt.template resolve<T, in_buffer<T, 3>, in_buffer<T, 3>, T, inout_buffer<T, 3>>()
           .definition();
  const auto& one =
      *ops::gemm_nt.template resolve<T, in_buffer<T, 2>, in_buffer<T, 2>, T, inout_buffer<T, 2>>()
           .definition();
  EXPECT_EQ(several.name, "batched_gemm_nt_scaled");
  const std::vector<scalar_argument> numbers{scalar_argument::of(static_cast<T>(0.5)),
                                             scalar_argument::of(static_cast<T>(-2))};
  // The second are so large that each takes the node.
  for (const auto& [count, m, n, k] :
       {std::array<std::size_t, 4>{7, 20, 33, 12}, {3, 256, 256, 256}, {2, 4, 5, 0}}) {
    tensor<T> a({count, m, k}, 2), b({count, n, k}, 2), c({count, m, n}, 2);
    a.fill(this->random_);
    b.fill(this->random_);
    c.fill(this->random_);
    std::vector<T> expected;
    for (std::size_t i = 0; i < count; ++i) {
      tensor<T> a_part({m, k}), b_part({n, k}), c_part({m, n});
      const auto take = [i](const tensor<T>& from, tensor<T>& to) {
        for (std::size_t e = 0; e < to.size(); ++e) to[e] = from[i * to.size() + e];
      };
      take(a, a_part);
      take(b, b_part);
      take(c, c_part);
      launch(one, this->lanes_, numbers, {a_part.argument(), b_part.argument(), c_part.argument()});
      const std::vector<T> values = c_part.values();
      expected.insert(expected.end(), values.begin(), values.end());
    }
    threaded_lanes threads(4);
    launch(several, threads, numbers, {a.argument(), b.argument(), c.argument()});
    EXPECT_TRUE(same_bits(c.values(), expected)) << count << " of " << m;
    EXPECT_TRUE(c.intact());
  }
  EXPECT_EQ(several.width_of({{2, 9, 9}, {2, 9, 9}, {2, 9, 9}}), body_width::serial);
  EXPECT_EQ(several.width_of({{64, 64, 64}, {64, 64, 64}, {64, 64, 64}}), body_width::wide);
  EXPECT_EQ(several.work_of({{3, 4, 5}, {3, 6, 5}, {3, 4, 6}}).flops, 2 * 3 * 4 * 5 * 6);
}

TYPED_TEST(gemm_ops, several_products_need_as_many_of_each) {
  using T = TypeParam;
  const auto& kernel =
      *ops::gemm_nn.resolve<in_buffer<T, 3>, in_buffer<T, 3>, out_buffer<T, 3>>().definition();
  EXPECT_NO_THROW(kernel.check({{3, 4, 5}, {3, 5, 6}, {3, 4, 6}}));
  EXPECT_THROW(kernel.check({{3, 4, 5}, {2, 5, 6}, {3, 4, 6}}), usage_error);
  EXPECT_THROW(kernel.check({{3, 4, 5}, {3, 5, 6}, {2, 4, 6}}), usage_error);
  EXPECT_THROW(kernel.check({{3, 4, 5}, {3, 4, 6}, {3, 4, 6}}), usage_error);
}

TYPED_TEST(gemm_ops, products_worth_two_lanes_are_cut_in_an_even_number_of_tiles) {
  using T = TypeParam;
  const auto& kernel =
      *ops::gemm_nn.resolve<in_buffer<T, 2>, in_buffer<T, 2>, out_buffer<T, 2>>().definition();
  const auto tiles_of = [&](std::size_t m, std::size_t n, std::size_t k) {
    const tensor<T> a({m, k}), b({k, n}), c({m, n});
    counting_lanes lanes;
    launch(kernel, lanes, {}, {a.argument(), b.argument(), c.argument()});
    return lanes.counted();
  };
  EXPECT_EQ(tiles_of(256, 256, 256), 2);
  EXPECT_EQ(tiles_of(512, 512, 512), 2);
  EXPECT_EQ(tiles_of(64, 512, 784), 2);
  EXPECT_EQ(tiles_of(2048, 8, 2048), 4);
  EXPECT_EQ(tiles_of(1100, 300, 60), 4);    // three would do
  EXPECT_EQ(tiles_of(1536, 1536, 16), 12);  // nine would do
  // Those that one lane computes are cut only as far as they must be: one tile needs no lanes.
  EXPECT_EQ(tiles_of(255, 256, 256), 0);
  EXPECT_EQ(tiles_of(1030, 64, 64), 3);
}

TYPED_TEST(gemm_ops, tiles_make_the_product) {
  this->compare(ops::gemm_nn, false, false, 300, 200, 290, 3, true);
  this->compare(ops::gemm_nt, false, true, 200, 300, 290, 0, false);
  this->compare(ops::gemm_tn, true, false, 200, 290, 300, 3, false);
}

TEST(gemm, refuses_extents_that_do_not_fit) {
  using T = float;
  const auto& nn =
      *ops::gemm_nn.resolve<in_buffer<T, 2>, in_buffer<T, 2>, out_buffer<T, 2>>().definition();
  const auto& tn =
      *ops::gemm_tn.resolve<in_buffer<T, 2>, in_buffer<T, 2>, inout_buffer<T, 2>>().definition();
  EXPECT_EQ(refusal(nn, {{32, 16}, {17, 8}, {32, 8}}),
            "Kernel \"gemm_nn\" multiplies a 32 x 16 matrix by one of 17 x 8; the inner extents 16 "
            "and 17 must be equal.");
  EXPECT_EQ(refusal(nn, {{32, 16}, {16, 8}, {32, 9}}),
            "Kernel \"gemm_nn\" has a product of 32 x 8, but the buffer for it is 32 x 9.");
  EXPECT_EQ(refusal(tn, {{16, 32}, {17, 8}, {32, 8}}),
            "Kernel \"gemm_tn_accumulate\" multiplies the transpose of a 16 x 32 matrix by one of "
            "17 x 8; the inner extents 16 and 17 must be equal.");
  EXPECT_EQ(refusal(tn, {{16, 32}, {16, 8}, {32, 8}}), "");
  EXPECT_EQ(refusal(nn, {{1, std::size_t{1} << 31}, {std::size_t{1} << 31, 1}, {1, 1}}),
            "Kernel \"gemm_nn\" multiplies 1 x 2147483648 by 2147483648 x 1; no extent may exceed "
            "2147483647.");
}

TEST(gemm, costs_two_operations_for_each_multiplication) {
  using T = double;
  const auto& nt =
      *ops::gemm_nt.resolve<in_buffer<T, 2>, in_buffer<T, 2>, inout_buffer<T, 2>>().definition();
  const launch_work cost = nt.work_of({{3, 5}, {7, 5}, {3, 7}});
  EXPECT_EQ(cost.flops, 2 * 3 * 5 * 7);
  EXPECT_EQ(cost.bytes, 8 * (15 + 35 + 2 * 21));
}

/// Two rows that lie further apart than 32 bits can count, of memory that is there where it is
/// touched alone.
class far_rows {
 public:
  static constexpr std::size_t stride = (std::size_t{1} << 32U) + 16;

  explicit far_rows(std::size_t columns)
      : columns_(columns),
        at_(static_cast<float*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  far_rows(const far_rows&) = delete;
  far_rows& operator=(const far_rows&) = delete;
  ~far_rows() { ::munmap(at_, bytes); }

  [[nodiscard]] bool mapped() const { return at_ != MAP_FAILED; }
  [[nodiscard]] float& operator()(std::size_t i, std::size_t j) { return at_[i * stride + j]; }
  [[nodiscard]] buffer_argument argument() const {
    return {at_, element_type::f32, {2, columns_}, {stride, 1}};
  }

 private:
  static constexpr std::size_t bytes = 2 * stride * sizeof(float);

  std::size_t columns_;
  float* at_;
};

/// c = a b, and then c += a b, where the operands that the bits of the number name have far rows.
void multiply_far(unsigned which) {
  SCOPED_TRACE(which);
  far_rows far_a(2), far_b(2), far_c(2);
  ASSERT_TRUE(far_a.mapped() && far_b.mapped() && far_c.mapped());
  tensor<float> near_a({2, 2}), near_b({2, 2}), near_c({2, 2});
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      const std::size_t at = i * 2 + j;
      near_a[at] = far_a(i, j) = static_cast<float>(1 + at);
      near_b[at] = far_b(i, j) = static_cast<float>(5 + at);
    }
  }
  shuffled_lanes lanes(1);
  const auto multiply = [&](const kernel_definition& kernel) {
    launch(kernel, lanes, {},
           {(which & 1U) != 0 ? far_a.argument() : near_a.argument(),
            (which & 2U) != 0 ? far_b.argument() : near_b.argument(),
            (which & 4U) != 0 ? far_c.argument() : near_c.argument()});
  };
  const auto expect = [&](float times) {
    const float expected[2][2] = {{19, 22}, {43, 50}};
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_EQ((which & 4U) != 0 ? far_c(i, j) : near_c(i, j), times * expected[i][j]);
      }
    }
  };
  multiply(*ops::gemm_nn.resolve<in_buffer<float, 2>, in_buffer<float, 2>, out_buffer<float, 2>>()
                .definition());
  expect(1);
  multiply(*ops::gemm_nn.resolve<in_buffer<float, 2>, in_buffer<float, 2>, inout_buffer<float, 2>>()
                .definition());
  expect(2);
}

TEST(gemm, counts_rows_that_lie_further_apart_than_the_library_can) {
  for (unsigned which = 1; which < 8; ++which) multiply_far(which);
}

}  // namespace
}  // namespace hocket::testing
