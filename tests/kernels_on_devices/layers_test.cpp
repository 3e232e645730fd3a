// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/checksum_ops.hpp>

#include "comparison.hpp"

namespace hocket::testing {
namespace {

class layers : public kernels_on_devices {
 protected:
  template <class T, class Family>
  void gemm(const char* name, const Family& family, bool transpose_a, bool transpose_b) {
    constexpr std::size_t sizes[][3] = {{1, 1, 1},   {17, 23, 9},     {64, 64, 64},
                                        {3, 4, 0},   {100, 129, 257}, {128, 10, 96},
                                        {8, 100, 1}, {65, 33, 130},   {20, 44, 70}};
    for (const auto& [m, n, k] : sizes) {
      for (const std::size_t padding : {0u, 3u, 4u}) {
        const auto a = make<T>(transpose_a ? shape<2>{k, m} : shape<2>{m, k}, padding);
        const auto b = make<T>(transpose_b ? shape<2>{n, k} : shape<2>{k, n}, padding);
        const auto c = make<T>(shape<2>{m, n}, padding);
        const double tolerance = 16 * eps<T> * std::sqrt(static_cast<double>(k) + 1);
        compare(name, tolerance, family, reads(a), reads(b), writes(c));
        compare(name, 2 * tolerance, family, reads(a), reads(b), updates(c));
        if (padding != 3) continue;
        const auto alpha = number(static_cast<T>(-0.5)), beta = number(static_cast<T>(0.75));
        compare(name, 2 * tolerance, family, alpha, reads(a), reads(b), beta, updates(c));
        const auto none = number(std::numeric_limits<T>::quiet_NaN()), zero = number(T{0});
        compare("fill", 0, ops::fill, none, writes(c));
        compare(name, tolerance, family, alpha, reads(a), reads(b), zero, updates(c));
        compare("fill", 0, ops::fill, none, writes(a));
        compare(name, tolerance, family, zero, reads(a), reads(b), beta, updates(c));
      }
    }
  }

  /// Several products in one launch, of one of the three ways in which they end.
  enum class product_end { written, added, scaled };
  template <class T, class Family>
  void batches(const char* name, const Family& family, bool transpose_a, bool transpose_b,
               product_end end) {
    constexpr std::size_t sizes[][4] = {
        {1, 5, 6, 7}, {5, 17, 23, 9}, {3, 70, 66, 130}, {2, 3, 4, 0}};
    for (const auto& [count, m, n, k] : sizes) {
      for (const std::size_t padding : {0U, 3U}) {
        const auto a =
            make<T>(transpose_a ? shape<3>{count, k, m} : shape<3>{count, m, k}, padding);
        const auto b =
            make<T>(transpose_b ? shape<3>{count, n, k} : shape<3>{count, k, n}, padding);
        const auto c = make<T>(shape<3>{count, m, n}, padding);
        const double tolerance = 16 * eps<T> * std::sqrt(static_cast<double>(k) + 1);
        const auto alpha = number(static_cast<T>(-0.5)), beta = number(static_cast<T>(0.75));
        if (end == product_end::written) {
          compare(name, tolerance, family, reads(a), reads(b), writes(c));
        } else if (end == product_end::added) {
          compare(name, 2 * tolerance, family, reads(a), reads(b), updates(c));
        } else {
          compare(name, 2 * tolerance, family, alpha, reads(a), reads(b), beta, updates(c));
        }
      }
    }
  }

  template <class T>
  void products() {
    if (!has<T>()) return;
    gemm<T>("gemm_nn", ops::gemm_nn, false, false);
    gemm<T>("gemm_nt", ops::gemm_nt, false, true);
    gemm<T>("gemm_tn", ops::gemm_tn, true, false);
  }

  /// Triangles near that of ones, by which systems are solved without losing many digits.
  template <class T>
  void triangles() {
    if (!has<T>()) return;
    const auto alpha = number(static_cast<T>(-0.5)), beta = number(static_cast<T>(0.75));
    constexpr std::size_t sizes[][2] = {{1, 1}, {17, 40}, {130, 65}};
    for (const auto& [n, k] : sizes) {
      for (const std::size_t padding : {0U, 3U}) {
        const double tolerance = 64 * eps<T> * static_cast<double>(n);
        const auto a = make<T>(shape<2>{n, k}, padding), c = make<T>(shape<2>{n, n}, padding);
        const auto l = make<T>(shape<2>{n, n}, padding, 0.9, 1.1);
        const auto b = make<T>(shape<2>{n, k}, padding), d = make<T>(shape<2>{k, n}, padding);
        compare("syrk_lower", tolerance, ops::syrk_lower, alpha, reads(a), beta, updates(c));
        compare("trsm_lower", tolerance, ops::trsm_lower, reads(l), updates(b));
        compare("trsm_right_lower_transposed", tolerance, ops::trsm_right_lower_transposed,
                reads(l), updates(d));
        compare("trsm_lower_transposed", 4 * tolerance, ops::trsm_lower_transposed, reads(l),
                updates(a));
      }
    }
  }

  template <class T>
  void biases() {
    if (!has<T>()) return;
    constexpr std::size_t sizes[][2] = {{1, 1}, {128, 10}, {33, 129}, {100, 16}, {7, 47}};
    for (const auto& [m, n] : sizes) {
      for (const std::size_t padding : {0u, 2u}) {
        const shape<2> both{m, n};
        const auto x = make<T>(both, padding), dy = make<T>(both, padding);
        const auto y = make<T>(both, padding), dx = make<T>(both, padding);
        const auto bias = make<T>(shape<1>{n}, padding), dbias = make<T>(shape<1>{n}, padding);
        const double tolerance = 16 * eps<T> * std::sqrt(static_cast<double>(m));
        compare("bias_forward", 0, ops::bias_forward, reads(x), reads(bias), writes(y));
        compare("bias_relu_forward", 0, ops::bias_relu_forward, reads(x), reads(bias), writes(y));
        compare("bias_backward", tolerance, ops::bias_backward, reads(dy), writes(dbias));
        compare("bias_backward", tolerance, ops::bias_backward, reads(dy), updates(dbias));
        compare("bias_relu_backward", tolerance, ops::bias_relu_backward, reads(y), reads(dy),
                writes(dx), writes(dbias));
        compare("bias_relu_backward", tolerance, ops::bias_relu_backward, reads(y), reads(dy),
                writes(dx), updates(dbias));
      }
    }
  }

  template <class T>
  void checksums() {
    if (!has<T>()) return;
    constexpr std::size_t sizes[][2] = {{1, 1}, {128, 10}, {33, 129}, {100, 16}, {7, 47}};
    for (const auto& [m, n] : sizes) {
      for (const std::size_t padding : {0u, 2u}) {
        const auto a = make<T>(shape<2>{m, n}, padding);
        const auto left = make<T>(shape<1>{m}, padding), right = make<T>(shape<1>{n}, padding);
        const auto y = make<T>(shape<1>{n}, padding), z = make<T>(shape<1>{n}, padding);
        const auto v = make<T>(shape<1>{m}, padding), w = make<T>(shape<1>{m}, padding);
        const double tolerance = 16 * eps<T> * std::sqrt(static_cast<double>(m + n));
        compare("column_checksums", tolerance, ops::column_checksums, reads(a), reads(left),
                reads(left), writes(y), writes(z));
        compare("row_checksums", tolerance, ops::row_checksums, reads(a), reads(right),
                reads(right), writes(v), writes(w));
      }
    }
  }

  /// Exponentials of devices may be off by more than the last place.
  template <class T>
  void losses() {
    if (!has<T>()) return;
    constexpr std::size_t sizes[][2] = {{1, 1}, {128, 10}, {1000, 7}, {33, 129}};
    constexpr double tolerance = std::is_same_v<T, float> ? 2e-5 : 1e-13;
    for (const auto& [m, n] : sizes) {
      for (const std::size_t padding : {0u, 2u}) {
        const auto logits = make<T>(shape<2>{m, n}, padding, -30, 30);
        const auto labels =
            make<std::int32_t>(shape<1>{m}, padding, 0, static_cast<double>(n) - 1e-6);
        const auto loss = make<T>(shape<1>{m}, padding);
        const auto gradient = make<T>(shape<2>{m, n}, padding);
        compare("softmax_cross_entropy_forward", tolerance, ops::softmax_cross_entropy_forward,
                reads(logits), reads(labels), writes(loss));
        compare("softmax_cross_entropy_backward", tolerance, ops::softmax_cross_entropy_backward,
                number(static_cast<T>(0.01)), reads(logits), reads(labels), writes(gradient));
        compare_value("count_correct", 0, ops::count_correct, reads(logits), reads(labels));
      }
    }
  }
};

TEST_F(layers, products_of_floats) {
  for_each_device([&] { products<float>(); });
}

TEST_F(layers, products_of_doubles) {
  for_each_device([&] { products<double>(); });
}

TEST_F(layers, products_in_batches) {
  for_each_device([&] {
    batches<float>("gemm_nn", ops::gemm_nn, false, false, product_end::written);
    batches<float>("gemm_nt", ops::gemm_nt, false, true, product_end::scaled);
    batches<float>("gemm_tn", ops::gemm_tn, true, false, product_end::added);
    if (has<double>()) {
      batches<double>("gemm_nn", ops::gemm_nn, false, false, product_end::scaled);
    }
  });
}

TEST_F(layers, triangles) {
  for_each_device([&] {
    triangles<float>();
    triangles<double>();
  });
}

TEST_F(layers, biases_and_losses) {
  for_each_device([&] {
    biases<float>();
    biases<double>();
    checksums<float>();
    checksums<double>();
    losses<float>();
    losses<double>();
  });
}

}  // namespace
}  // namespace hocket::testing
