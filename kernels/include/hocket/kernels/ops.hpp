// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/elementwise.hpp>
#include <hocket/kernels/family.hpp>
#include <hocket/kernels/kernel.hpp>

/// The built-in operations. All matrices are row-major, a row's elements adjacent. Extents may be
/// zero. The bits of a result depend on the extents and the values, not on the number of lanes; of
/// sums, products of matrices and exponentials they depend on the device as well. The namespace is
/// not to be opened where lambdas call min and max: `hocket` has functions of these names.
namespace hocket::ops {

namespace detail {

template <class T, class... Types>
concept one_of = (std::same_as<T, Types> || ...);

template <class T>
concept real = one_of<T, float, double>;
template <class T>
concept computable = real<T> ||
    one_of<T, float16, bfloat16, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
template <class T>
concept storable = computable<T> || one_of<T, bool, std::int8_t, std::uint8_t, std::int16_t,
                                           std::uint16_t, float8_e4m3, float8_e5m2>;

/// A sum or the like of numbers in 16 bits is a float.
using hocket::detail::computed_t;

/// A family that has one kernel, Op::instance<T>(), for each element type of its first buffer.
template <class Op>
struct builtin : family_base {
  template <class... D>
  [[nodiscard]] const auto& resolve() const {
    using T = hocket::detail::first_element_t<D...>;
    static_assert(Op::template supports<T>,
                  "The operation has no kernel for this element type, or was given no buffer.");
    return Op::template instance<T>();
  }
};

/// A family that overwrites a last argument passed by writes(b), and adds to one passed by
/// updates(b).
template <template <access_mode> class Op>
struct accumulating_builtin : family_base {
  template <class... D>
  [[nodiscard]] const auto& resolve() const {
    using last = decltype((std::type_identity<void>{}, ..., std::type_identity<D>{}));
    return builtin<Op<result_mode<typename last::type>()>>{}.template resolve<D...>();
  }

 private:
  template <class Last>
  static consteval access_mode result_mode() {
    if constexpr (!std::is_void_v<Last>) {
      using traits = hocket::detail::parameter_traits<Last>;
      if constexpr (traits::is_buffer) {
        if (traits::mode == access_mode::update) return access_mode::update;
      }
    }
    return access_mode::write;
  }
};

template <class T, std::size_t R, access_mode Mode>
using result =
    std::conditional_t<Mode == access_mode::update, inout_buffer<T, R>, out_buffer<T, R>>;

struct fill_op {
  template <class T>
  static constexpr bool supports = storable<T>;
  template <class T>
  using type = kernel<computed_t<T>, out_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct copy_op {
  template <class T>
  static constexpr bool supports = true;
  template <class T>
  using type = kernel<in_buffer<T, any_rank>, out_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance() {
    if constexpr (storable<T>) {
      return of_numbers<T>();
    } else {
      return of_bytes<T>();
    }
  }

 private:
  template <class T>
  static const type<T>& of_numbers();
  template <class T>
  static const type<T>& of_bytes() {
    static const never_destroyed<type<T>> made =
        elementwise_on_host("copy", [](const auto& x, auto& y) { y = x; })
            .template resolve<in_buffer<T, any_rank>, out_buffer<T, any_rank>>()
            .with(hocket::detail::copy_bodies(element_type_of<T>));
    return made;
  }
};

struct axpy_op {
  template <class T>
  static constexpr bool supports = computable<T>;
  template <class T>
  using type = kernel<computed_t<T>, in_buffer<T, any_rank>, inout_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct add_op {
  template <class T>
  static constexpr bool supports = computable<T>;
  template <class T>
  using type = kernel<in_buffer<T, any_rank>, in_buffer<T, any_rank>, out_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct mul_op {
  template <class T>
  static constexpr bool supports = computable<T>;
  template <class T>
  using type = kernel<in_buffer<T, any_rank>, in_buffer<T, any_rank>, out_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct sum_op {
  template <class T>
  static constexpr bool supports = computable<T>;
  template <class T>
  using type = kernel<returns<computed_t<T>>, in_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct max_op {
  template <class T>
  static constexpr bool supports = computable<T>;
  template <class T>
  using type = kernel<returns<computed_t<T>>, in_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct min_op {
  template <class T>
  static constexpr bool supports = computable<T>;
  template <class T>
  using type = kernel<returns<computed_t<T>>, in_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct dot_op {
  template <class T>
  static constexpr bool supports = computable<T>;
  template <class T>
  using type = kernel<returns<computed_t<T>>, in_buffer<T, any_rank>, in_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct sum_of_squares_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<returns<T>, in_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct max_magnitude_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<returns<T>, in_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

struct transpose_op {
  template <class T>
  static constexpr bool supports = storable<T>;
  template <class T>
  using type = kernel<in_buffer<T, 2>, out_buffer<T, 2>>;
  template <class T>
  static const type<T>& instance();
};

/// Numbers in 16 bits are multiplied and added up as floats, and the sum is rounded once, or stays
/// a float where the kernel widens.
template <class T, bool Widens>
concept multiplied = (real<T> && !Widens) || one_of<T, float16, bfloat16>;
template <class T, bool Widens>
using product_t = std::conditional_t<Widens, computed_t<T>, T>;

/// Rank 3: several products, whose number is the first index.
template <bool TransposeA, bool TransposeB, std::size_t Rank, access_mode Mode, bool Widens = false>
struct gemm_op {
  template <class T>
  static constexpr bool supports = multiplied<T, Widens>;
  template <class T>
  using type =
      kernel<in_buffer<T, Rank>, in_buffer<T, Rank>, result<product_t<T, Widens>, Rank, Mode>>;
  template <class T>
  static const type<T>& instance();
};
template <bool TransposeA, bool TransposeB, std::size_t Rank, bool Widens = false>
struct scaled_gemm_op {
  template <class T>
  static constexpr bool supports = multiplied<T, Widens>;
  template <class T>
  using type = kernel<computed_t<T>, in_buffer<T, Rank>, in_buffer<T, Rank>, computed_t<T>,
                      inout_buffer<product_t<T, Widens>, Rank>>;
  template <class T>
  static const type<T>& instance();
};

/// The family of products: with five arguments two of them scale, with buffers of three dimensions
/// there are several, and with floats as the last buffer behind numbers in 16 bits they widen.
template <bool TransposeA, bool TransposeB>
struct gemm_builtin : family_base {
  template <class... D>
  [[nodiscard]] const auto& resolve() const {
    constexpr std::size_t rank = (false || ... || is_of_rank_3<D>()) ? 3 : 2;
    using last = decltype((std::type_identity<void>{}, ..., std::type_identity<D>{}));
    constexpr bool widens =
        is_widened<hocket::detail::first_element_t<D...>, typename last::type>();
    if constexpr (sizeof...(D) == 5) {
      return builtin<scaled_gemm_op<TransposeA, TransposeB, rank, widens>>{}
          .template resolve<D...>();
    } else {
      return accumulating_builtin<form<rank, widens>::template of>{}.template resolve<D...>();
    }
  }

 private:
  template <std::size_t Rank, bool Widens>
  struct form {
    template <access_mode Mode>
    using of = gemm_op<TransposeA, TransposeB, Rank, Mode, Widens>;
  };
  template <class T, class Last>
  static consteval bool is_widened() {
    if constexpr (one_of<T, float16, bfloat16>) {
      using traits = hocket::detail::parameter_traits<Last>;
      if constexpr (traits::is_buffer) return std::same_as<typename traits::element, float>;
    }
    return false;
  }
  template <class D>
  static consteval bool is_of_rank_3() {
    using traits = hocket::detail::parameter_traits<D>;
    if constexpr (traits::is_buffer) return traits::rank == 3;
    return false;
  }
};

template <bool Relu>
struct bias_forward_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<in_buffer<T, 2>, in_buffer<T, 1>, out_buffer<T, 2>>;
  template <class T>
  static const type<T>& instance();
};

template <access_mode Mode>
struct bias_backward_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<in_buffer<T, 2>, result<T, 1, Mode>>;
  template <class T>
  static const type<T>& instance();
};

template <access_mode Mode>
struct bias_relu_backward_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<in_buffer<T, 2>, in_buffer<T, 2>, out_buffer<T, 2>, result<T, 1, Mode>>;
  template <class T>
  static const type<T>& instance();
};

struct softmax_cross_entropy_forward_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<in_buffer<T, 2>, in_buffer<std::int32_t, 1>, out_buffer<T, 1>>;
  template <class T>
  static const type<T>& instance();
};

struct softmax_cross_entropy_backward_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<T, in_buffer<T, 2>, in_buffer<std::int32_t, 1>, out_buffer<T, 2>>;
  template <class T>
  static const type<T>& instance();
};

struct count_correct_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type = kernel<returns<std::int64_t>, in_buffer<T, 2>, in_buffer<std::int32_t, 1>>;
  template <class T>
  static const type<T>& instance();
};

struct sgd_momentum_op {
  template <class T>
  static constexpr bool supports = real<T>;
  template <class T>
  using type =
      kernel<T, T, in_buffer<T, any_rank>, inout_buffer<T, any_rank>, inout_buffer<T, any_rank>>;
  template <class T>
  static const type<T>& instance();
};

}  // namespace detail

/// x = value: fill(value, writes(x)).
inline constexpr detail::builtin<detail::fill_op> fill;

/// y = x: copy(reads(x), writes(y)).
inline constexpr detail::builtin<detail::copy_op> copy;

/// y += a * x: axpy(a, reads(x), updates(y)). Integers wrap around, here and in add, mul and sum.
inline constexpr detail::builtin<detail::axpy_op> axpy;

/// z = x + y: add(reads(x), reads(y), writes(z)).
inline constexpr detail::builtin<detail::add_op> add;

/// z = x * y, element by element: mul(reads(x), reads(y), writes(z)).
inline constexpr detail::builtin<detail::mul_op> mul;

/// The sum of all elements: sum(reads(x)). Zero for an empty buffer.
inline constexpr detail::builtin<detail::sum_op> sum;

/// The largest element: max(reads(x)). NaN if any element is NaN; for an empty buffer minus
/// infinity, or the least integer.
inline constexpr detail::builtin<detail::max_op> max;

/// The least element: min(reads(x)). NaN if any element is NaN; for an empty buffer infinity, or
/// the largest integer.
inline constexpr detail::builtin<detail::min_op> min;

/// The sum of x * y, element by element: dot(reads(x), reads(y)). Zero for empty buffers. Integers
/// wrap around.
inline constexpr detail::builtin<detail::dot_op> dot;

/// The sum of x * x, whose square root is the Euclidean norm: sum_of_squares(reads(x)). Infinity
/// where a square is beyond the type.
inline constexpr detail::builtin<detail::sum_of_squares_op> sum_of_squares;

/// The largest magnitude, the maximum norm: max_magnitude(reads(x)). NaN if any element is NaN;
/// zero for an empty buffer.
inline constexpr detail::builtin<detail::max_magnitude_op> max_magnitude;

/// B[n,m] = A[m,n]^T: transpose(reads(a), writes(b)).
inline constexpr detail::builtin<detail::transpose_op> transpose;

/// C[m,n] = A[m,k] B[k,n]: gemm_nn(reads(a), reads(b), writes(c)). C += A B with updates(c).
/// C = alpha A B + beta C: gemm_nn(alpha, reads(a), reads(b), beta, updates(c)). With a beta of
/// zero what C has does not matter, NaN neither. With buffers of three dimensions there are several
/// products, C[i] = A[i] B[i], and as many of A, of B and of C. Where A and B are of float16 or
/// bfloat16, C is of the same, or of float: then nothing is rounded to 16 bits, and alpha and beta
/// are floats in both. All of this in the next two as well.
inline constexpr detail::gemm_builtin<false, false> gemm_nn;

/// C[m,n] = A[m,k] B[n,k]^T: gemm_nt(reads(a), reads(b), writes(c)). Adds to C with updates(c).
inline constexpr detail::gemm_builtin<false, true> gemm_nt;

/// C[m,n] = A[k,m]^T B[k,n]: gemm_tn(reads(a), reads(b), writes(c)). Adds to C with updates(c).
inline constexpr detail::gemm_builtin<true, false> gemm_tn;

/// y[m,n] = x[m,n] + bias[n]: bias_forward(reads(x), reads(bias), writes(y)). y may be x.
inline constexpr detail::builtin<detail::bias_forward_op<false>> bias_forward;

/// y[m,n] = max(x[m,n] + bias[n], 0): bias_relu_forward(reads(x), reads(bias), writes(y)). y may
/// be x. NaN stays NaN.
inline constexpr detail::builtin<detail::bias_forward_op<true>> bias_relu_forward;

/// The gradient of a bias, the sums of columns: bias_backward(reads(dy), writes(dbias)). Adds to
/// dbias with updates(dbias).
inline constexpr detail::accumulating_builtin<detail::bias_backward_op> bias_backward;

/// From y of bias_relu_forward and dy, the gradient of its input and that of its bias:
/// bias_relu_backward(reads(y), reads(dy), writes(dx), writes(dbias)). Adds to dbias with
/// updates(dbias). dx may be dy.
inline constexpr detail::accumulating_builtin<detail::bias_relu_backward_op> bias_relu_backward;

/// loss[m] of logits[m,c] and labels[m] (int32, from 0 to c - 1):
/// softmax_cross_entropy_forward(reads(logits), reads(labels), writes(loss)). A row with NaN or
/// plus infinity gives NaN. A label out of range fails the task, in the next two as well; on
/// devices that cannot fail it, the row's loss and gradient are NaN, and the row is not correct.
inline constexpr detail::builtin<detail::softmax_cross_entropy_forward_op>
    softmax_cross_entropy_forward;

/// dlogits[m,c] = scale * (softmax(logits) - one-hot(labels)), where scale is 1 / batch for the
/// mean loss: softmax_cross_entropy_backward(scale, reads(logits), reads(labels),
/// writes(dlogits)). dlogits may be logits.
inline constexpr detail::builtin<detail::softmax_cross_entropy_backward_op>
    softmax_cross_entropy_backward;

/// How many rows have their first largest logit at the label, as std::int64_t:
/// count_correct(reads(logits), reads(labels)).
inline constexpr detail::builtin<detail::count_correct_op> count_correct;

/// velocity = momentum * velocity + gradient, then weight -= rate * velocity:
/// sgd_momentum(rate, momentum, reads(gradient), updates(velocity), updates(weight)).
inline constexpr detail::builtin<detail::sgd_momentum_op> sgd_momentum;

}  // namespace hocket::ops
