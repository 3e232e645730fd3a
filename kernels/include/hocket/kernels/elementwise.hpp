// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/kernels/elementwise_lambda.hpp>
#include <hocket/kernels/family.hpp>
#include <hocket/kernels/kernel.hpp>
#include <hocket/kernels/math.hpp>
#include <hocket/kernels/select.hpp>
#include <hocket/kernels/traced.hpp>
#include <hocket/kernels/traced_packed.hpp>

namespace hocket {

namespace detail {

/// One argument of an elementwise loop at one run: a number, or a pointer that steps.
template <class S>
struct constant_cursor {
  S value;
  [[nodiscard]] const S& at(std::size_t) const noexcept { return value; }
};
/// The form in which a lambda is given an element: a copy of one that it only reads, so that a
/// parameter keeps its value when another parameter, which may be the same region, is assigned.
/// Devices read all elements before they write any.
template <class T>
using element_access = std::conditional_t<std::is_const_v<T>, std::remove_const_t<T>, T&>;
template <class T>
struct dense_cursor {
  T* first;
  [[nodiscard]] element_access<T> at(std::size_t i) const noexcept { return first[i]; }
};
template <class T>
struct strided_cursor {
  T* first;
  std::size_t stride;
  [[nodiscard]] element_access<T> at(std::size_t i) const noexcept { return first[i * stride]; }
};

struct index_cursor {
  std::uint32_t first;
  [[nodiscard]] host_index at(std::size_t i) const noexcept {
    return host_index(first + static_cast<std::uint32_t>(i));
  }
};

template <class F, class... Cursors>
[[gnu::always_inline]] inline void loop_over(std::size_t count, const F& f,
                                             const Cursors... cursors) {
// Arguments are disjoint or, in place, the same region: no iteration sees another's result. The
// compiler cannot know that and would test it, or not vectorise. The bodies of such loops are so
// short that counting would take as long.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#pragma GCC unroll 16
#endif
  for (std::size_t i = 0; i < count; ++i) f(cursors.at(i)...);
}

// Programs are mostly compiled for any processor of their kind, and run on those whose vectors are
// twice as wide. Only that is switched on: without operations that round once instead of twice, the
// bits are the same.
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__AVX2__)
template <class F, class... Cursors>
[[gnu::target("avx2")]] void loop_over_wide(std::size_t count, const F& f,
                                            const Cursors... cursors) {
  loop_over(count, f, cursors...);
}
[[nodiscard]] inline bool has_wide_vectors() noexcept { return __builtin_cpu_supports("avx2"); }
#else
template <class F, class... Cursors>
void loop_over_wide(std::size_t count, const F& f, const Cursors... cursors) {
  loop_over(count, f, cursors...);
}
[[nodiscard]] constexpr bool has_wide_vectors() noexcept { return true; }
#endif

/// Whether an elementwise lambda asks for the element's index, after parameters of these types.
template <class F, class... Values>
inline constexpr bool takes_index = std::is_invocable_v<const F&, Values&..., host_index> &&
                                    !std::is_invocable_v<const F&, Values&..., std::uint32_t>;

template <class P>
consteval auto value_of_parameter() {
  if constexpr (parameter_traits<P>::is_buffer) {
    return std::type_identity<typename parameter_traits<P>::element>{};
  } else {
    return std::type_identity<P>{};
  }
}
template <class P>
using parameter_value = typename decltype(value_of_parameter<P>())::type;

template <class P>
consteval bool parameter_writes() {
  if constexpr (parameter_traits<P>::is_buffer) return writes_content(parameter_traits<P>::mode);
  return false;
}

/// How many of the parameters before I are of the kind of I.
template <std::size_t I, class... P>
consteval std::size_t position_of() {
  constexpr std::array<bool, sizeof...(P)> buffers{parameter_traits<P>::is_buffer...};
  std::size_t before = 0;
  for (std::size_t i = 0; i < I; ++i) before += buffers[i] == buffers[I] ? 1 : 0;
  return before;
}

/// An elementwise lambda with parameters P, as elementwise_lambda::run.
template <class F, class... P>
class elementwise_loop {
 public:
  explicit elementwise_loop(F f) : f_(std::move(f)) {}

  void operator()(const elementwise_run& run) const {
    const auto plain = [](const auto&... all) { loop_over(all...); };
    const auto wide = [](const auto&... all) { loop_over_wide(all...); };
    constexpr std::index_sequence_for<P...> all;
    if (!run.dense) {
      call<false>(run, plain, all);
    } else if (has_wide_vectors()) {
      call<true>(run, wide, all);
    } else {
      call<true>(run, plain, all);
    }
  }

 private:
  template <bool Dense, class Loop, std::size_t... I>
  void call(const elementwise_run& run, const Loop& loop, std::index_sequence<I...>) const {
    if constexpr (takes_index<F, parameter_value<P>...>) {
      loop(run.count, f_, cursor<I, Dense>(run)...,
           index_cursor{static_cast<std::uint32_t>(run.index)});
    } else {
      loop(run.count, f_, cursor<I, Dense>(run)...);
    }
  }

  template <std::size_t I, bool Dense>
  static auto cursor(const elementwise_run& run) noexcept {
    using parameter = std::tuple_element_t<I, std::tuple<P...>>;
    using value = parameter_value<parameter>;
    constexpr std::size_t at = position_of<I, P...>();
    if constexpr (!parameter_traits<parameter>::is_buffer) {
      return constant_cursor<value>{run.scalars[at].template as<value>()};
    } else {
      using element = std::conditional_t<parameter_writes<parameter>(), value, const value>;
      auto* const first = static_cast<element*>(run.buffers[at]);
      if constexpr (Dense) {
        return dense_cursor<element>{first};
      } else {
        return strided_cursor<element>{first, run.strides[at]};
      }
    }
  }

  F f_;
};

/// Whether an elementwise lambda may write its parameter I: `auto&` binds no temporary.
template <std::size_t I, class F, class... Values>
consteval bool may_write() {
  return []<std::size_t... J>(std::index_sequence<J...>) {
    if constexpr (takes_index<F, Values...>) {
      return !std::is_invocable_v<const F&, std::conditional_t<I == J, Values&&, Values&>...,
                                  host_index>;
    } else {
      return !std::is_invocable_v<const F&, std::conditional_t<I == J, Values&&, Values&>...>;
    }
  }
  (std::index_sequence_for<Values...>{});
}

template <class F, class... P>
consteval bool takes_traced() {
  if constexpr (takes_index<F, parameter_value<P>...>) {
    return std::is_invocable_v<const F&, traced<parameter_value<P>>&..., traced_index>;
  } else {
    return std::is_invocable_v<const F&, traced<parameter_value<P>>&...>;
  }
}

/// The expressions that a call of f with traced values leaves in the parameters that f may write;
/// none if values of such types are not traced.
template <class... P, class F>
std::vector<traced_result> trace_elementwise(const F& f) {
  using indices = std::index_sequence_for<P...>;
  std::vector<traced_result> results;
  const auto call = [&]<std::size_t... I>(std::index_sequence<I...>, auto... index) {
    std::tuple values{
        traced<parameter_value<P>>(make_parameter(element_type_of<parameter_value<P>>, I))...};
    const auto before = values;
    std::apply([&](auto&... value) { f(value..., index...); }, values);
    const auto add = [&](std::size_t number, const expression& now, const expression& was) {
      if (now != was) results.push_back({number, now});
    };
    (add(I, std::get<I>(values).recorded(), std::get<I>(before).recorded()), ...);
  };
  if constexpr ((traceable<parameter_value<P>> && ...)) {
    constexpr bool can_be_traced = takes_traced<F, P...>();
    static_assert(can_be_traced,
                  "All parameters of an elementwise lambda are auto, const auto& or auto&, so that "
                  "it is translated for devices. Any other is for elementwise_on_host().");
    if constexpr (can_be_traced && takes_index<F, parameter_value<P>...>) {
      call(indices{}, traced_index());
    } else if constexpr (can_be_traced) {
      call(indices{});
    }
  }
  return results;
}

/// The signature element for one descriptor of a call: any rank, and for a number the element type
/// of the buffers unless that would cut a fraction off, or is no number.
template <class D, class Element>
consteval auto elementwise_parameter() {
  if constexpr (parameter_traits<D>::is_buffer) {
    using element = typename parameter_traits<D>::element;
    constexpr access_mode mode = parameter_traits<D>::mode;
    if constexpr (mode == access_mode::read) {
      return std::type_identity<in_buffer<element, any_rank>>{};
    } else if constexpr (mode == access_mode::write) {
      return std::type_identity<out_buffer<element, any_rank>>{};
    } else {
      return std::type_identity<inout_buffer<element, any_rank>>{};
    }
  } else if constexpr (is_narrow_float<Element>) {
    return std::type_identity<float>{};
  } else if constexpr (!std::is_arithmetic_v<Element> || std::is_same_v<Element, bool> ||
                       (std::is_floating_point_v<D> && !std::is_floating_point_v<Element>)) {
    return std::type_identity<D>{};
  } else {
    return std::type_identity<Element>{};
  }
}
template <class D, class Element>
using elementwise_parameter_t = typename decltype(elementwise_parameter<D, Element>())::type;

}  // namespace detail

/// A family made from one lambda that is applied to each element. See elementwise() and
/// elementwise_on_host().
template <class F, bool Portable = true>
class elementwise_family : public family_base {
 public:
  elementwise_family(std::string name, F f)
      : shared_(std::make_shared<content>(std::move(name), std::move(f))) {}

  template <class... D>
  const auto& resolve() const {
    using element = detail::first_element_t<D...>;
    static_assert(!std::is_void_v<element>, "An elementwise kernel takes at least one buffer.");
    using number = typename detail::first_number<element, D...>::type;
    return make<detail::elementwise_parameter_t<D, number>...>();
  }

 private:
  struct content {
    content(std::string name_, F f_) : name(std::move(name_)), f(std::move(f_)) {}
    std::string name;
    F f;
    detail::kernel_cache made;
  };

  template <class... P>
  static consteval bool modes_agree() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return ((detail::may_write<I, F, detail::parameter_value<P>...>() ==
               detail::parameter_writes<P>()) &&
              ...);
    }
    (std::index_sequence_for<P...>{});
  }

  template <class... P>
  const kernel<P...>& make() const {
    constexpr bool invocable = std::is_invocable_v<const F&, detail::parameter_value<P>&...> ||
                               detail::takes_index<F, detail::parameter_value<P>...>;
    if constexpr (invocable) {
      static_assert(modes_agree<P...>(),
                    "What the elementwise lambda takes as auto& is passed by writes(b) or "
                    "updates(b); what it takes as const auto& or auto, by reads(b) or as a "
                    "number.");
      return shared_->made.template get<kernel<P...>>([this] { return build<P...>(); });
    } else {
      constexpr bool is_mutable =
          std::is_invocable_v<F&, detail::parameter_value<P>&...> ||
          std::is_invocable_v<F&, detail::parameter_value<P>&..., host_index>;
      static_assert(!is_mutable,
                    "An elementwise lambda is not mutable: its calls for different elements run at "
                    "the same time, and share what it has captured.");
      static_assert(is_mutable, "The elementwise lambda takes another number of arguments.");
      std::terminate();  // Nothing is returned, so that the sentence stands alone.
    }
  }

  template <class... P>
  kernel<P...> build() const {
    detail::elementwise_lambda lambda{detail::elementwise_loop<F, P...>(shared_->f)};
    lambda.takes_index = detail::takes_index<F, detail::parameter_value<P>...>;
    if constexpr (Portable) lambda.results = detail::trace_elementwise<P...>(shared_->f);
    return detail::elementwise_definition(
        shared_->name, {detail::parameter_traits<P>::described()...}, std::move(lambda));
  }

  std::shared_ptr<content> shared_;
};

/// Makes a family of kernels from one generic lambda that is applied to each element of buffers of
/// equal extents, of any rank: `const auto&` or `auto` takes reads(b) or a number, `auto&` takes
/// writes(b) or updates(b). A last parameter `element_index auto` takes no argument; it is the
/// element's index in the region, row by row. The lambda is compiled for the host, and called once
/// with traced values to give the bodies in devices' languages: it computes with operators,
/// select(), cast<T>() and the functions of math.hpp, without `if` on a value.
///
///     const auto relu = elementwise("relu", [](const auto& x, auto& y) {
///       y = select(x > 0, x, 0);
///     });
template <class F>
[[nodiscard]] elementwise_family<F> elementwise(std::string name, F f) {
  return {std::move(name), std::move(f)};
}

/// elementwise() with a body for the host alone, from a lambda that may call any C++.
template <class F>
[[nodiscard]] elementwise_family<F, false> elementwise_on_host(std::string name, F f) {
  return {std::move(name), std::move(f)};
}

}  // namespace hocket
