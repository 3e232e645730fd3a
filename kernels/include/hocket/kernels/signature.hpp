// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include <hocket/core/access.hpp>
#include <hocket/core/dtype.hpp>
#include <hocket/kernels/argument.hpp>
#include <hocket/kernels/definition.hpp>
#include <hocket/kernels/native.hpp>
#include <hocket/kernels/view.hpp>

namespace hocket {

/// In a signature: a buffer of R dimensions that the kernel reads. The same types describe the
/// arguments of a call: reads(b) of a buffer<T, R> is an in_buffer<T, R>.
template <element T, std::size_t R = 1>
struct in_buffer {};

/// A buffer whose content the kernel replaces without seeing it: writes(b).
template <element T, std::size_t R = 1>
struct out_buffer {};

/// A buffer that the kernel reads and changes: updates(b).
template <element T, std::size_t R = 1>
struct inout_buffer {};

/// First in the signature of a kernel whose future carries a value.
template <number_element T>
struct returns {};

namespace detail {

template <class T, std::size_t R>
using view_of = std::conditional_t<R == any_rank, strided_view<T>, buffer_view<T, R>>;

template <class T, std::size_t R, access_mode Mode>
struct buffer_parameter {
  static constexpr bool is_buffer = true;
  static constexpr access_mode mode = Mode;
  static constexpr std::size_t rank = R;
  using element = T;
  using seen = std::conditional_t<Mode == access_mode::read, const T, T>;
  using argument = view_of<seen, R>;
  using native_argument = native_view<seen, R>;
  static parameter described() { return {parameter::kind::buffer, element_type_of<T>, Mode, R}; }
};

/// What one element of a signature, or one descriptor of a call, stands for. Anything that is not a
/// buffer is a scalar.
template <class P>
struct parameter_traits {
  static_assert(std::is_arithmetic_v<P> || number_element<P>,
                "An argument of a kernel is a number, or reads, writes or updates of a buffer.");
  static constexpr bool is_buffer = false;
  using argument = P;
  static parameter described() {
    return {parameter::kind::scalar, element_type_of<P>, access_mode::read, 0};
  }
};
template <class T, std::size_t R>
struct parameter_traits<in_buffer<T, R>> : buffer_parameter<T, R, access_mode::read> {};
template <class T, std::size_t R>
struct parameter_traits<out_buffer<T, R>> : buffer_parameter<T, R, access_mode::write> {};
template <class T, std::size_t R>
struct parameter_traits<inout_buffer<T, R>> : buffer_parameter<T, R, access_mode::update> {};

/// Splits a signature into its result and its parameters.
template <class... Sig>
struct signature {
  using value_type = void;
  using parameters = std::tuple<std::type_identity<Sig>...>;
};
template <class T, class... Sig>
struct signature<returns<T>, Sig...> {
  using value_type = T;
  using parameters = std::tuple<std::type_identity<Sig>...>;
};

template <class P, class D>
consteval bool same_kind() {
  return parameter_traits<P>::is_buffer == parameter_traits<D>::is_buffer;
}
template <class P, class D>
consteval bool same_element() {
  if constexpr (same_kind<P, D>() && parameter_traits<P>::is_buffer) {
    return std::is_same_v<typename parameter_traits<P>::element,
                          typename parameter_traits<D>::element>;
  }
  return true;
}
template <class P, class D>
consteval bool same_mode() {
  if constexpr (same_kind<P, D>() && parameter_traits<P>::is_buffer) {
    return parameter_traits<P>::mode == parameter_traits<D>::mode;
  }
  return true;
}
template <class P, class D>
consteval bool same_rank() {
  if constexpr (same_kind<P, D>() && parameter_traits<P>::is_buffer) {
    return parameter_traits<P>::rank == any_rank ||
           parameter_traits<P>::rank == parameter_traits<D>::rank;
  }
  return true;
}

/// Compares the parameters of a signature with the descriptors of a call, both in tuples of
/// type_identity.
template <class Parameters, class Descriptors>
struct call_match {
  static constexpr bool count = false, kinds = false, elements = false, modes = false,
                        ranks = false;
};
template <class... P, class... D>
requires(sizeof...(P) == sizeof...(D)) struct call_match<std::tuple<std::type_identity<P>...>,
                                                         std::tuple<std::type_identity<D>...>> {
  static constexpr bool count = true;
  static constexpr bool kinds = (same_kind<P, D>() && ...);
  static constexpr bool elements = (same_element<P, D>() && ...);
  static constexpr bool modes = (same_mode<P, D>() && ...);
  static constexpr bool ranks = (same_rank<P, D>() && ...);

  /// Of the first buffer with another element type. Precondition: not elements.
  static consteval std::size_t first_other_element() {
    std::size_t first = 0;
    (void)((same_element<P, D>() && ++first > 0) && ...);
    return first;
  }
};

/// Does not compile, with a sentence that says which argument of a kernel has another element type.
template <std::size_t Argument>
constexpr void refuse_element() {
  static_assert(Argument != 1, "Argument 1 has another element type than the kernel's.");
  static_assert(Argument != 2, "Argument 2 has another element type than the kernel's.");
  static_assert(Argument != 3, "Argument 3 has another element type than the kernel's.");
  static_assert(Argument != 4, "Argument 4 has another element type than the kernel's.");
  static_assert(Argument != 5, "Argument 5 has another element type than the kernel's.");
  static_assert(Argument <= 5, "An argument after 5 has another element type than the kernel's.");
}

}  // namespace detail
}  // namespace hocket
