// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <cmath>
#include <limits>

#include <hocket/kernels/array_ops.hpp>
#include <hocket/kernels/checksum_ops.hpp>
#include <hocket/kernels/elementwise.hpp>
#include <hocket/kernels/matrix_ops.hpp>
#include <hocket/kernels/ops.hpp>
#include <hocket/kernels/reduction.hpp>

#include "launch_case.hpp"

namespace hocket::testing {

namespace {

/// Makes launches with random arguments.
class case_maker {
 public:
  case_maker(std::mt19937_64& random, std::vector<launch_case>& made)
      : random_(random), made_(made) {}

  [[nodiscard]] device_array array(element_type type, const index_list& extents,
                                   std::size_t padding, double low = -1, double high = 1) {
    device_array made = make_array(type, extents, padding);
    std::uniform_real_distribution<double> values(low, high);
    for (std::size_t i = 0; i < made.size(); ++i) made.set(i, values(random_));
    return made;
  }

  void add(const kernel_ref& kernel, std::vector<device_array> buffers,
           std::vector<scalar_argument> scalars = {}, double tolerance = 0) {
    launch_case one{kernel, std::move(buffers), std::move(scalars), tolerance};
    if (kernel->check) kernel->check(one.shape());
    one.complete();
    made_.push_back(std::move(one));
  }

 private:
  std::mt19937_64& random_;
  std::vector<launch_case>& made_;
};

struct region_shape {
  index_list extents;
  std::size_t padding;
};

const std::vector<region_shape> elementwise_shapes = {
    {{1}, 0},     {{1000}, 0}, {{70001}, 0},  {{0}, 0},       {{13, 17}, 2},     {{65, 1}, 1},
    {{1, 65}, 1}, {{5, 0}, 0}, {{33, 66}, 0}, {{3, 1, 7}, 1}, {{2, 3, 4, 5}, 1}, {{300, 300}, 3}};

const std::vector<region_shape> few_shapes = {{{3001}, 0}, {{13, 17}, 2}};

template <class T>
constexpr double eps = static_cast<double>(std::numeric_limits<T>::epsilon());

/// Triangles near that of ones, by which systems are solved without losing many digits.
template <class T>
void add_triangles(case_maker& make) {
  constexpr element_type t = element_type_of<T>;
  const auto scalars = [](double alpha, double beta) {
    return std::vector{scalar_argument::of(static_cast<T>(alpha)),
                       scalar_argument::of(static_cast<T>(beta))};
  };
  for (const auto& [n, k] : {std::pair{1U, 1U}, {17U, 40U}, {130U, 65U}}) {
    const double tolerance = eps<T> * 64 * n;
    make.add(ops::syrk_lower.resolve<T, in_buffer<T, 2>, T, inout_buffer<T, 2>>().definition(),
             {make.array(t, {n, k}, 3), make.array(t, {n, n}, 1)}, scalars(-0.5, 0.75), tolerance);
    const auto solve = [&](const auto& family, const index_list& solved) {
      make.add(family.template resolve<in_buffer<T, 2>, inout_buffer<T, 2>>().definition(),
               {make.array(t, {n, n}, 3, 0.9, 1.1), make.array(t, solved, 1)}, {}, tolerance);
    };
    solve(ops::trsm_lower, {n, k});
    solve(ops::trsm_lower_transposed, {n, k});
    solve(ops::trsm_right_lower_transposed, {k, n});
  }
}

template <class T>
void add_elementwise(case_maker& make) {
  constexpr element_type t = element_type_of<T>;
  constexpr bool real = std::is_floating_point_v<T>;
  const double high = real ? 1 : 100, low = std::is_unsigned_v<T> ? 0 : -high;
  const auto scalar =
      scalar_argument::of(static_cast<hocket::detail::computed_t<T>>(real ? 0.7 : 3));
  // A program is compiled for each rank that remains when dimensions are merged.
  const bool every_shape = std::is_same_v<T, float> || std::is_same_v<T, double>;
  for (const auto& [extents, padding] : every_shape ? elementwise_shapes : few_shapes) {
    const auto x = [&, e = extents, p = padding] { return make.array(t, e, p, low, high); };
    make.add(ops::fill.resolve<T, out_buffer<T>>().definition(), {x()}, {scalar});
    make.add(ops::copy.resolve<in_buffer<T>, out_buffer<T>>().definition(), {x(), x()});
    if constexpr (sizeof(T) >= 4) {
      make.add(ops::axpy.resolve<T, in_buffer<T>, inout_buffer<T>>().definition(), {x(), x()},
               {scalar});
      make.add(ops::add.resolve<in_buffer<T>, in_buffer<T>, out_buffer<T>>().definition(),
               {x(), x(), x()});
      make.add(ops::mul.resolve<in_buffer<T>, in_buffer<T>, out_buffer<T>>().definition(),
               {x(), x(), x()});
      make.add(ops::sum.resolve<in_buffer<T>>().definition(), {x()}, {},
               real ? eps<T> * 30 * std::sqrt(static_cast<double>(volume(extents)) + 1) : 0);
      make.add(ops::max.resolve<in_buffer<T>>().definition(), {x()});
    }
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, std::int64_t>) {
      make.add(ops::dot.resolve<in_buffer<T>, in_buffer<T>>().definition(), {x(), x()}, {},
               real ? eps<T> * 30 * std::sqrt(static_cast<double>(volume(extents)) + 1) : 0);
    }
    if (extents.size() == 2 && (sizeof(T) == 1 || std::is_same_v<T, double>)) {
      make.add(ops::transpose.resolve<in_buffer<T, 2>, out_buffer<T, 2>>().definition(),
               {x(), make.array(t, {extents[1], extents[0]}, padding)});
    }
    if constexpr (real) {
      make.add(ops::sgd_momentum.resolve<T, T, in_buffer<T>, inout_buffer<T>, inout_buffer<T>>()
                   .definition(),
               {x(), x(), x()}, {scalar, scalar});
    }
  }
}

template <class T, bool TransposeA, bool TransposeB, class Family>
void add_gemm(case_maker& make, const Family& family) {
  constexpr element_type t = element_type_of<T>;
  const std::size_t sizes[][3] = {{1, 1, 1},   {17, 23, 9},    {64, 64, 64}, {65, 33, 130},
                                  {3, 4, 0},   {128, 10, 96},  {8, 100, 1},  {1, 70, 300},
                                  {70, 1, 40}, {100, 129, 257}};
  for (const auto& [m, n, k] : sizes) {
    for (const std::size_t padding : {0u, 3u}) {
      const index_list a = TransposeA ? index_list{k, m} : index_list{m, k};
      const index_list b = TransposeB ? index_list{n, k} : index_list{k, n};
      const double tolerance = eps<T> * 16 * std::sqrt(static_cast<double>(k) + 1);
      const auto arrays = [&, m = m, n = n] {
        return std::vector{make.array(t, a, padding), make.array(t, b, padding),
                           make.array(t, {m, n}, padding)};
      };
      make.add(family.template resolve<in_buffer<T, 2>, in_buffer<T, 2>, out_buffer<T, 2>>()
                   .definition(),
               arrays(), {}, tolerance);
      make.add(family.template resolve<in_buffer<T, 2>, in_buffer<T, 2>, inout_buffer<T, 2>>()
                   .definition(),
               arrays(), {}, tolerance);
      if (k < 100) continue;
      make.add(
          family.template resolve<T, in_buffer<T, 2>, in_buffer<T, 2>, T, inout_buffer<T, 2>>()
              .definition(),
          arrays(),
          {scalar_argument::of(static_cast<T>(-0.5)), scalar_argument::of(static_cast<T>(0.75))},
          tolerance);
    }
  }
}

template <class T>
void add_layers(case_maker& make) {
  constexpr element_type t = element_type_of<T>;
  using M = in_buffer<T, 2>;
  const std::size_t sizes[][2] = {{1, 1}, {5, 10},   {128, 10}, {33, 129},
                                  {0, 3}, {100, 16}, {7, 47}};
  for (const auto& [m, n] : sizes) {
    for (const std::size_t padding : {0u, 2u}) {
      const index_list both{m, n};
      const auto matrix = [&] { return make.array(t, both, padding); };
      const auto bias = [&, n = n] { return make.array(t, {n}, padding); };
      const auto column = [&, m = m] { return make.array(t, {m}, padding); };
      const double sum_tolerance = eps<T> * 16 * std::sqrt(static_cast<double>(m) + 1);
      make.add(ops::bias_forward.resolve<M, in_buffer<T>, out_buffer<T, 2>>().definition(),
               {matrix(), bias(), matrix()});
      make.add(ops::bias_relu_forward.resolve<M, in_buffer<T>, out_buffer<T, 2>>().definition(),
               {matrix(), bias(), matrix()});
      make.add(ops::bias_backward.resolve<M, out_buffer<T>>().definition(), {matrix(), bias()}, {},
               sum_tolerance);
      make.add(ops::bias_backward.resolve<M, inout_buffer<T>>().definition(), {matrix(), bias()},
               {}, sum_tolerance);
      make.add(
          ops::bias_relu_backward.resolve<M, M, out_buffer<T, 2>, out_buffer<T>>().definition(),
          {matrix(), matrix(), matrix(), bias()}, {}, sum_tolerance);
      make.add(
          ops::bias_relu_backward.resolve<M, M, out_buffer<T, 2>, inout_buffer<T>>().definition(),
          {matrix(), matrix(), matrix(), bias()}, {}, sum_tolerance);
      using V = in_buffer<T>;
      const double row_tolerance = eps<T> * 16 * std::sqrt(static_cast<double>(n) + 1);
      make.add(ops::column_checksums.resolve<M, V, V, out_buffer<T>, out_buffer<T>>().definition(),
               {matrix(), column(), column(), bias(), bias()}, {}, sum_tolerance);
      make.add(ops::row_checksums.resolve<M, V, V, out_buffer<T>, out_buffer<T>>().definition(),
               {matrix(), bias(), bias(), column(), column()}, {}, row_tolerance);
    }
  }
}

template <class T>
void add_losses(case_maker& make) {
  constexpr element_type t = element_type_of<T>;
  using M = in_buffer<T, 2>;
  using L = in_buffer<std::int32_t>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // The functions of a device may be off by more than the last place.
  const double tolerance = std::max(eps<T> * 50, std::is_same_v<T, float> ? 2e-5 : 1e-13);
  const std::size_t sizes[][2] = {{1, 1}, {5, 10}, {128, 10}, {1000, 7}, {0, 3}, {33, 129}};
  for (const auto& [m, n] : sizes) {
    for (const std::size_t padding : {0u, 2u}) {
      device_array logits = make.array(t, {m, n}, padding, -30, 30);
      const device_array labels =
          make.array(element_type::i32, {m}, padding, 0, static_cast<double>(n) - 1e-6);
      const std::size_t special = (padding + m / 2) * (n + 2 * padding) + padding + n / 2;
      for (const double value :
           {0.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
        if (m > 0) logits.set(special, value);
        if (n == 1 && !std::isfinite(value)) continue;
        make.add(ops::softmax_cross_entropy_forward.resolve<M, L, out_buffer<T>>().definition(),
                 {logits, labels, make.array(t, {m}, padding)}, {}, tolerance);
        make.add(
            ops::softmax_cross_entropy_backward.resolve<T, M, L, out_buffer<T, 2>>().definition(),
            {logits, labels, make.array(t, {m, n}, padding)},
            {scalar_argument::of(static_cast<T>(0.5))}, tolerance);
        make.add(ops::count_correct.resolve<M, L>().definition(), {logits, labels});
      }
    }
  }
}

template <class T>
void add_sorts(case_maker& make) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double high = std::is_floating_point_v<T> ? 1 : 1000,
               low = std::is_unsigned_v<T> ? 0 : -high;
  for (const std::size_t count : {0U, 1U, 2U, 63U, 64U, 65U, 300U, 1024U, 1025U, 2000U, 5000U}) {
    device_array x = make.array(element_type_of<T>, {count}, count % 4, low, high);
    if (std::is_floating_point_v<T> && count > 20) {
      x.set(7, std::numeric_limits<double>::quiet_NaN());
      x.set(9, -std::numeric_limits<double>::quiet_NaN());
      x.set(11, infinity);
      x.set(13, -infinity);
    }
    make.add(ops::sort.resolve<inout_buffer<T>>().definition(), {std::move(x)});
  }
}

}  // namespace

std::vector<launch_case> built_in_cases(std::mt19937_64& random) {
  std::vector<launch_case> made;
  case_maker make(random, made);
  add_elementwise<float>(make);
  add_elementwise<double>(make);
  add_elementwise<std::int8_t>(make);
  add_elementwise<std::uint8_t>(make);
  add_elementwise<std::int16_t>(make);
  add_elementwise<std::uint16_t>(make);
  add_elementwise<std::int32_t>(make);
  add_elementwise<std::uint32_t>(make);
  add_elementwise<std::int64_t>(make);
  add_elementwise<std::uint64_t>(make);
  add_elementwise<float16>(make);
  add_elementwise<bfloat16>(make);
  add_elementwise<float8_e4m3>(make);
  add_elementwise<float8_e5m2>(make);
  add_elementwise<bool>(make);
  add_layers<float>(make);
  add_layers<double>(make);
  add_losses<float>(make);
  add_losses<double>(make);
  add_gemm<float, false, false>(make, ops::gemm_nn);
  add_gemm<float, false, true>(make, ops::gemm_nt);
  add_gemm<float, true, false>(make, ops::gemm_tn);
  add_gemm<double, false, false>(make, ops::gemm_nn);
  add_gemm<double, false, true>(make, ops::gemm_nt);
  add_gemm<double, true, false>(make, ops::gemm_tn);
  add_triangles<float>(make);
  add_triangles<double>(make);
  add_sorts<float>(make);
  add_sorts<double>(make);
  add_sorts<std::int32_t>(make);
  add_sorts<std::uint32_t>(make);
  add_sorts<std::int64_t>(make);
  add_sorts<std::uint64_t>(make);
  return made;
}

namespace {

/// Numbers of 8 bits that are read, computed with as floats, and written.
template <class T>
void add_computed(case_maker& make) {
  const auto computed = elementwise("computed", [](const auto& x, auto scale, auto& y, auto& z) {
    z = x * scale;
    y = x * scale - y;
  });
  for (const auto& [e, padding] : few_shapes) {
    const auto x = [&, e = e, p = padding](double high) {
      return make.array(element_type_of<T>, e, p, -high, high);
    };
    make.add(computed.template resolve<in_buffer<T>, float, inout_buffer<T>, out_buffer<float>>()
                 .definition(),
             {x(300), x(0.01), make.array(element_type::f32, e, padding)},
             {scalar_argument::of(1.5F)});
  }
}

/// Bytes of several integers, taken apart and put together.
template <class T>
void add_packed(case_maker& make) {
  const auto taken_apart =
      elementwise("taken_apart", [](const auto& of, auto scale, auto& first, auto& last) {
        first = scale * cast<float>(of.get(0));
        last = cast<float>(of.get(T::count - 1) - 1);
      });
  const auto put_together = elementwise("put_together", [](const auto& x, const auto& n, auto& to) {
    to.set_saturated(0, rint(x * 20));
    for (std::size_t i = 1; i + 1 < T::count; ++i) to.set_saturated(i, to.get(0) + n);
    if constexpr (T::count > 2) to.set_saturated(T::count - 1, n);
  });
  using F = out_buffer<float>;
  for (const auto& [e, padding] : few_shapes) {
    const auto bytes = [&, e = e, p = padding] {
      return make.array(element_type::u8, e, p, 0, 255);
    };
    const auto f = [&, e = e, p = padding] { return make.array(element_type::f32, e, p); };
    make.add(taken_apart.template resolve<in_buffer<T>, float, F, F>().definition(),
             {bytes(), f(), f()}, {scalar_argument::of(0.3F)});
    make.add(
        put_together.template resolve<in_buffer<float>, in_buffer<std::int32_t>, inout_buffer<T>>()
            .definition(),
        {f(), make.array(element_type::i32, e, padding, -9, 20), bytes()});
  }
}

}  // namespace

std::vector<launch_case> traced_cases(std::mt19937_64& random) {
  std::vector<launch_case> made;
  case_maker make(random, made);
  add_computed<float8_e4m3>(make);
  add_computed<float8_e5m2>(make);
  add_packed<packed_i4>(make);
  add_packed<packed_u4>(make);
  add_packed<packed_i2>(make);
  add_packed<packed_u2>(make);
  const auto clip = elementwise("clip", [](const auto& x, auto limit, auto& y, auto& clipped) {
    y = select(x > limit, limit, x);
    clipped += select(x > limit || x < -limit, 1, 0);
  });
  const auto gelu = elementwise("gelu", [](const auto& x, auto& y) {
    const auto inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    y = 0.5f * x * (1 + tanh(inner));
  });
  const auto functions = elementwise("functions", [](const auto& x, auto& y, auto& z) {
    const auto u = abs(x) + 1;
    y += exp(x) + log(u) * sqrt(u) - sin(x) * cos(x) + pow(u, 1.5) + exp2(x) - log2(u);
    z = floor(x * 10) + ceil(x * 7) - trunc(x * 5) + rint(x * 3) + max(x, 0) - min(x, 0.25);
  });
  const auto ramp = elementwise("ramp", [](auto step, auto& y, element_index auto i) {
    y = step * cast<float>(i % 1000u) - 1;
  });
  const auto integers = elementwise("integers", [](const auto& x, auto& y) {
    y = (x * 7 - 3) % 5 + x / 2 + select(!(x == 4) && x != 2, -x, +x);
  });
  const auto product = reduction("product", 1, [](auto a, auto b) { return a * b; });
  const auto least = reduction("least", 1e30, [](auto a, auto b) { return min(a, b); });
  for (const auto& [e, padding] : elementwise_shapes) {
    const auto f = [&, e = e, p = padding] { return make.array(element_type::f32, e, p); };
    const auto d = [&, e = e, p = padding] { return make.array(element_type::f64, e, p); };
    const auto n = [&, e = e, p = padding](element_type t) { return make.array(t, e, p, -50, 50); };
    make.add(clip.resolve<in_buffer<float>, float, out_buffer<float>, inout_buffer<std::int32_t>>()
                 .definition(),
             {f(), f(), n(element_type::i32)}, {scalar_argument::of(0.3f)});
    make.add(gelu.resolve<in_buffer<float>, out_buffer<float>>().definition(), {f(), f()}, {},
             2e-5);
    make.add(
        functions.resolve<in_buffer<float>, inout_buffer<float>, out_buffer<float>>().definition(),
        {f(), f(), f()}, {}, 2e-3);
    make.add(functions.resolve<in_buffer<double>, inout_buffer<double>, out_buffer<double>>()
                 .definition(),
             {d(), d(), d()}, {}, 1e-13);
    make.add(ramp.resolve<float, out_buffer<float>>().definition(), {f()},
             {scalar_argument::of(0.5f)});
    make.add(integers.resolve<in_buffer<std::int32_t>, out_buffer<std::int32_t>>().definition(),
             {n(element_type::i32), n(element_type::i32)});
    make.add(integers.resolve<in_buffer<std::int8_t>, out_buffer<std::int64_t>>().definition(),
             {n(element_type::i8), n(element_type::i64)});
    make.add(product.resolve<in_buffer<double>>().definition(),
             {make.array(element_type::f64, e, padding, 0.999, 1.001)}, {}, 1e-11);
    make.add(least.resolve<in_buffer<float>>().definition(), {f()});
  }
  return made;
}

}  // namespace hocket::testing
