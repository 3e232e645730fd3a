// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/ranges.hpp>
#include <hocket/kernels/single_lane.hpp>

#include "blas.hpp"
#include "device/bodies.hpp"
#include "rows.hpp"

namespace hocket::ops::detail {

using hocket::detail::countable;
using hocket::detail::gemm_end;
using hocket::detail::leading;
using hocket::detail::max_blas;

namespace {

/// The extents of one product, with the transpositions taken into account.
struct product_shape {
  std::size_t m, n, k;
  std::size_t inner_of_b;
};

/// Of one product. A and B have a number of the product before their other indices, or not.
template <bool TransposeA, bool TransposeB>
product_shape shape_of(const index_list& a, const index_list& b) {
  const std::size_t in_a = a.size() - 2, in_b = b.size() - 2;
  return {a[in_a + (TransposeA ? 1 : 0)], b[in_b + (TransposeB ? 0 : 1)],
          a[in_a + (TransposeA ? 0 : 1)], b[in_b + (TransposeB ? 1 : 0)]};
}

/// How many products there are.
std::size_t products_in(const launch_shape& shape) {
  return shape[0].size() == 3 ? shape[0][0] : 1;
}

double operations(const product_shape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
         static_cast<double>(shape.k);
}

/// From this many operations on (half a millisecond of one core) a product of several tiles takes
/// the whole node.
constexpr double wide_operations = 2.0 * 256 * 256 * 256;

/// No side of a tile is longer. Shorter ones lose more to packing: an operand is packed anew for
/// each tile that it takes part in.
constexpr std::size_t longest_side = 512;

/// Inner tiles begin and end at multiples of this, as the registers and caches of the library want.
constexpr std::size_t side_unit = 16;

std::size_t parts_of(std::size_t length, std::size_t side) { return (length + side - 1) / side; }

/// The length of each of so many equal parts, but the last.
std::size_t side_of(std::size_t length, std::size_t parts) {
  return parts_of(parts_of(length, parts), side_unit) * side_unit;
}

/// How a product is cut, each tile one call of the library.
struct tiling {
  std::size_t rows, columns;  // of one tile
  std::size_t tiles_down, tiles_across;

  [[nodiscard]] std::size_t count() const { return tiles_down * tiles_across; }
};

/// Chosen by the shape alone, whatever the lanes are, because the bits of an element depend on the
/// call of the library that computes it. The tiles are of equal size and, where they are worth more
/// than one lane, even in number: an odd one would leave the last to one lane of two.
tiling tiling_of(const product_shape& shape) {
  std::size_t down = parts_of(shape.m, longest_side), across = parts_of(shape.n, longest_side);
  if (operations(shape) >= wide_operations && down * across % 2 != 0) {
    std::size_t& cut = shape.m * across > shape.n * down ? down : across;
    ++cut;
  }
  const std::size_t rows = side_of(shape.m, down), columns = side_of(shape.n, across);
  return {rows, columns, parts_of(shape.m, rows), parts_of(shape.n, columns)};
}

/// The product takes the whole node.
bool fills_node(const product_shape& shape) {
  return operations(shape) >= wide_operations && tiling_of(shape).count() > 1;
}

template <bool TransposeA, bool TransposeB, std::size_t Rank>
std::string kernel_name(gemm_end end) {
  std::string name = Rank == 3 ? "batched_gemm_" : "gemm_";
  name += TransposeA ? 't' : 'n';
  name += TransposeB ? 't' : 'n';
  if (end == gemm_end::adds) name += "_accumulate";
  if (end == gemm_end::scales) name += "_scaled";
  return name;
}

template <bool TransposeA, bool TransposeB>
void check_extents(const std::string& name, const launch_shape& shape) {
  if (shape[0].size() == 3 && shape[0][0] != shape[1][0]) {
    throw usage_error("Kernel \"" + name + "\" multiplies " + std::to_string(shape[0][0]) +
                      " matrices by " + std::to_string(shape[1][0]) +
                      "; there must be as many of both.");
  }
  const auto product = shape_of<TransposeA, TransposeB>(shape[0], shape[1]);
  if (product.k != product.inner_of_b) {
    throw usage_error("Kernel \"" + name + "\" multiplies " +
                      (TransposeA ? "the transpose of a " : "a ") + to_string(shape[0]) +
                      " matrix by " + (TransposeB ? "the transpose of one of " : "one of ") +
                      to_string(shape[1]) + "; the inner extents " + std::to_string(product.k) +
                      " and " + std::to_string(product.inner_of_b) + " must be equal.");
  }
  index_list wanted{product.m, product.n};
  if (shape[0].size() == 3) wanted = {shape[0][0], product.m, product.n};
  if (shape[2] != wanted) {
    throw usage_error("Kernel \"" + name + "\" has a product of " + to_string(wanted) +
                      ", but the buffer for it is " + to_string(shape[2]) + ".");
  }
  if (std::max({product.m, product.n, product.k}) > max_blas) {
    throw usage_error("Kernel \"" + name + "\" multiplies " + to_string(shape[0]) + " by " +
                      to_string(shape[1]) + "; no extent may exceed " + std::to_string(max_blas) +
                      ".");
  }
}

template <class T>
struct gemm_call {
  CBLAS_TRANSPOSE transpose_a, transpose_b;
  std::size_t m, n, k;
  T alpha;
  const T* a;
  blasint leading_a;
  const T* b;
  blasint leading_b;
  T beta;
  T* c;
  blasint leading_c;
};

template <class T>
void multiply(const gemm_call<T>& call) {
  const auto m = static_cast<blasint>(call.m);
  const auto n = static_cast<blasint>(call.n);
  // Products that count for nothing are left out: for small ones the library would add them.
  const auto k = static_cast<blasint>(call.alpha == 0 ? 0 : call.k);
  if constexpr (std::is_same_v<T, float>) {
    cblas_sgemm(CblasRowMajor, call.transpose_a, call.transpose_b, m, n, k, call.alpha, call.a,
                call.leading_a, call.b, call.leading_b, call.beta, call.c, call.leading_c);
  } else {
    cblas_dgemm(CblasRowMajor, call.transpose_a, call.transpose_b, m, n, k, call.alpha, call.a,
                call.leading_a, call.b, call.leading_b, call.beta, call.c, call.leading_c);
  }
}

/// C = alpha A B + beta C.
template <bool TransposeA, bool TransposeB, class T>
void gemm(lane_group& lanes, T alpha, const buffer_view<const T, 2>& given_a,
          const buffer_view<const T, 2>& given_b, T beta, const buffer_view<T, 2>& given_c) {
  const hocket::detail::one_thread_for_each_call setting;
  const std::size_t m = given_c.extent(0), n = given_c.extent(1);
  const std::size_t k = given_a.extent(TransposeA ? 0 : 1);
  if (m == 0 || n == 0) return;
  const countable<const T> held_a(given_a), held_b(given_b);
  const countable<T> held_c(given_c);
  const buffer_view<const T, 2>&a = held_a.get(), &b = held_b.get();
  const buffer_view<T, 2>& c = held_c.get();
  const tiling cut = tiling_of({m, n, k, k});
  const auto multiply_tiles = [&](std::size_t begin, std::size_t end) {
    for (std::size_t tile = begin; tile < end; ++tile) {
      const std::size_t i = tile / cut.tiles_across * cut.rows;
      const std::size_t j = tile % cut.tiles_across * cut.columns;
      // Without an inner extent the library reads no operand, and the pointers may be null.
      const std::size_t from_a = k == 0 ? 0 : i * a.stride(TransposeA ? 1 : 0);
      const std::size_t from_b = k == 0 ? 0 : j * b.stride(TransposeB ? 0 : 1);
      multiply<T>({TransposeA ? CblasTrans : CblasNoTrans, TransposeB ? CblasTrans : CblasNoTrans,
                   std::min(cut.rows, m - i), std::min(cut.columns, n - j), k, alpha,
                   a.data() + from_a, leading(a), b.data() + from_b, leading(b), beta,
                   c.data() + i * c.stride(0) + j, leading(c)});
    }
  };
  hocket::detail::for_ranges(lanes, cut.count(), 1, multiply_tiles);
  held_c.store();
}

/// A copy of a matrix whose elements are floats, or numbers that become floats.
template <class T>
class float_copy {
 public:
  explicit float_copy(const buffer_view<T, 2>& of) : of_(of), memory_(of.size()) {}

  void load(lane_group& lanes) {
    for_rows(lanes, [this](std::size_t i, float* row) {
      for (std::size_t j = 0; j < of_.extent(1); ++j) row[j] = of_(i, j);
    });
  }
  void store(lane_group& lanes) {
    for_rows(lanes, [this](std::size_t i, const float* row) {
      for (std::size_t j = 0; j < of_.extent(1); ++j) of_(i, j) = row[j];
    });
  }
  [[nodiscard]] buffer_view<float, 2> get() {
    return {memory_.data(), {of_.extent(0), of_.extent(1)}, {of_.extent(1), 1}};
  }

 private:
  template <class F>
  void for_rows(lane_group& lanes, const F& f) {
    constexpr std::size_t elements = 65536;
    const std::size_t columns = of_.extent(1);
    hocket::detail::for_ranges(lanes, of_.extent(0), hocket::detail::rows_of(elements, columns),
                               [&](std::size_t begin, std::size_t end) {
                                 for (std::size_t i = begin; i < end; ++i) {
                                   f(i, memory_.data() + i * columns);
                                 }
                               });
  }

  buffer_view<T, 2> of_;
  std::vector<float> memory_;
};

/// gemm() by a product of floats.
template <bool TransposeA, bool TransposeB, class T, class C>
void gemm_of_floats(lane_group& lanes, float alpha, const buffer_view<const T, 2>& a,
                    const buffer_view<const T, 2>& b, float beta, const buffer_view<C, 2>& c) {
  float_copy<const T> wide_a(a), wide_b(b);
  if (alpha != 0) {
    wide_a.load(lanes);
    wide_b.load(lanes);
  }
  const auto as_read = [](const buffer_view<float, 2>& of) {
    return buffer_view<const float, 2>(of.data(), {of.extent(0), of.extent(1)},
                                       {of.stride(0), of.stride(1)});
  };
  const auto multiply_into = [&](const buffer_view<float, 2>& sums) {
    gemm<TransposeA, TransposeB, float>(lanes, alpha, as_read(wide_a.get()), as_read(wide_b.get()),
                                        beta, sums);
  };
  if constexpr (std::is_same_v<C, float>) {
    multiply_into(c);
  } else {
    float_copy<C> wide_c(c);
    if (beta != 0) wide_c.load(lanes);
    multiply_into(wide_c.get());
    wide_c.store(lanes);
  }
}

/// The product of a kernel's body.
template <bool TransposeA, bool TransposeB, class T, class C>
void product(lane_group& lanes, computed_t<T> alpha, const buffer_view<const T, 2>& a,
             const buffer_view<const T, 2>& b, computed_t<T> beta, const buffer_view<C, 2>& c) {
  if constexpr (std::is_same_v<computed_t<T>, T>) {
    gemm<TransposeA, TransposeB, T>(lanes, alpha, a, b, beta, c);
  } else {
    gemm_of_floats<TransposeA, TransposeB, T>(lanes, alpha, a, b, beta, c);
  }
}

/// One of several matrices.
template <class T>
buffer_view<T, 2> matrix_of(const buffer_view<T, 3>& of, std::size_t number) {
  return {of.data() + number * of.stride(0),
          {of.extent(1), of.extent(2)},
          {of.stride(1), of.stride(2)}};
}

/// Several products. The bits of each do not depend on how many there are, nor on the lanes.
template <bool TransposeA, bool TransposeB, class T, class C>
void product(lane_group& lanes, computed_t<T> alpha, const buffer_view<const T, 3>& a,
             const buffer_view<const T, 3>& b, computed_t<T> beta, const buffer_view<C, 3>& c) {
  if (c.size() == 0) return;
  const auto multiply_one = [&](lane_group& by, std::size_t i) {
    product<TransposeA, TransposeB, T>(by, alpha, matrix_of(a, i), matrix_of(b, i), beta,
                                       matrix_of(c, i));
  };
  const product_shape one{c.extent(1), c.extent(2), a.extent(TransposeA ? 1 : 2), 0};
  if (fills_node(one)) {
    for (std::size_t i = 0; i < c.extent(0); ++i) multiply_one(lanes, i);
    return;
  }
  hocket::detail::for_ranges(lanes, c.extent(0), 1, [&](std::size_t begin, std::size_t end) {
    single_lane alone;
    for (std::size_t i = begin; i < end; ++i) multiply_one(alone, i);
  });
}

/// The kernel with this body, and with what does not depend on what becomes of the product.
template <class Kernel, class T, bool TransposeA, bool TransposeB, std::size_t Rank, bool Widens,
          class Body>
Kernel product_kernel(gemm_end end, Body body) {
  const std::string name = kernel_name<TransposeA, TransposeB, Rank>(end);
  return Kernel(name, host_body{body})
      .check(
          [name](const launch_shape& shape) { check_extents<TransposeA, TransposeB>(name, shape); })
      .cost([end](const launch_shape& shape) {
        const auto product = shape_of<TransposeA, TransposeB>(shape[0], shape[1]);
        const std::size_t passes = end == gemm_end::overwrites ? 1 : 2;
        const std::size_t bytes = (volume(shape[0]) + volume(shape[1])) * sizeof(T) +
                                  passes * volume(shape[2]) * sizeof(product_t<T, Widens>);
        return launch_work{static_cast<double>(products_in(shape)) * operations(product),
                           static_cast<double>(bytes)};
      })
      .wide([](const launch_shape& shape) {
        const auto product = shape_of<TransposeA, TransposeB>(shape[0], shape[1]);
        const std::size_t count = products_in(shape);
        return fills_node(product) ||
               (count > 1 && static_cast<double>(count) * operations(product) >= wide_operations);
      })
      .with(hocket::detail::gemm_bodies(
          {element_type_of<T>, TransposeA, TransposeB, end, false, Rank == 3, Widens}));
}

}  // namespace

template <bool TransposeA, bool TransposeB, std::size_t Rank, access_mode Mode, bool Widens>
template <class T>
auto gemm_op<TransposeA, TransposeB, Rank, Mode, Widens>::instance() -> const type<T>& {
  constexpr bool adds = Mode == access_mode::update;
  static const never_destroyed<type<T>> made =
      product_kernel<type<T>, T, TransposeA, TransposeB, Rank, Widens>(
          adds ? gemm_end::adds : gemm_end::overwrites,
          [](lane_group& lanes, buffer_view<const T, Rank> a, buffer_view<const T, Rank> b,
             buffer_view<product_t<T, Widens>, Rank> c) {
            product<TransposeA, TransposeB, T>(lanes, 1, a, b, computed_t<T>{adds ? 1 : 0}, c);
          });
  return made;
}

template <bool TransposeA, bool TransposeB, std::size_t Rank, bool Widens>
template <class T>
auto scaled_gemm_op<TransposeA, TransposeB, Rank, Widens>::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made =
      product_kernel<type<T>, T, TransposeA, TransposeB, Rank, Widens>(
          gemm_end::scales, [](lane_group& lanes, computed_t<T> alpha, buffer_view<const T, Rank> a,
                               buffer_view<const T, Rank> b, computed_t<T> beta,
                               buffer_view<product_t<T, Widens>, Rank> c) {
            product<TransposeA, TransposeB, T>(lanes, alpha, a, b, beta, c);
          });
  return made;
}

#define HOCKET_INSTANTIATE_NARROW(...)                                         \
  template const __VA_ARGS__::type<float16>& __VA_ARGS__::instance<float16>(); \
  template const __VA_ARGS__::type<bfloat16>& __VA_ARGS__::instance<bfloat16>();
#define HOCKET_INSTANTIATE(...)                                              \
  template const __VA_ARGS__::type<float>& __VA_ARGS__::instance<float>();   \
  template const __VA_ARGS__::type<double>& __VA_ARGS__::instance<double>(); \
  HOCKET_INSTANTIATE_NARROW(__VA_ARGS__)
#define HOCKET_INSTANTIATE_FORM(A, B, Rank)                                 \
  HOCKET_INSTANTIATE(gemm_op<A, B, Rank, access_mode::write>)               \
  HOCKET_INSTANTIATE(gemm_op<A, B, Rank, access_mode::update>)              \
  HOCKET_INSTANTIATE(scaled_gemm_op<A, B, Rank>)                            \
  HOCKET_INSTANTIATE_NARROW(gemm_op<A, B, Rank, access_mode::write, true>)  \
  HOCKET_INSTANTIATE_NARROW(gemm_op<A, B, Rank, access_mode::update, true>) \
  HOCKET_INSTANTIATE_NARROW(scaled_gemm_op<A, B, Rank, true>)
HOCKET_INSTANTIATE_FORM(false, false, 2)
HOCKET_INSTANTIATE_FORM(false, true, 2)
HOCKET_INSTANTIATE_FORM(true, false, 2)
HOCKET_INSTANTIATE_FORM(false, false, 3)
HOCKET_INSTANTIATE_FORM(false, true, 3)
HOCKET_INSTANTIATE_FORM(true, false, 3)
#undef HOCKET_INSTANTIATE_FORM
#undef HOCKET_INSTANTIATE
#undef HOCKET_INSTANTIATE_NARROW

}  // namespace hocket::ops::detail
