// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/kernels/family.hpp>
#include <hocket/kernels/kernel.hpp>
#include <hocket/kernels/loop_nest.hpp>
#include <hocket/kernels/math.hpp>
#include <hocket/kernels/ranges.hpp>
#include <hocket/kernels/select.hpp>
#include <hocket/kernels/traced.hpp>
#include <hocket/kernels/traced_source.hpp>

namespace hocket {

namespace detail {

/// Throws usage_error unless all buffers have the same extents.
void require_equal_extents(const std::string& kernel, const launch_shape& shape);

/// One argument of an elementwise loop at one run: a number, or a pointer that steps.
template <class S>
struct constant_cursor {
  S value;
  [[nodiscard]] const S& at(std::size_t) const noexcept { return value; }
};
template <class T>
struct dense_cursor {
  T* first;
  [[nodiscard]] T& at(std::size_t i) const noexcept { return first[i]; }
};
template <class T>
struct strided_cursor {
  T* first;
  std::size_t stride;
  [[nodiscard]] T& at(std::size_t i) const noexcept { return first[i * stride]; }
};

struct index_cursor {
  std::uint32_t first;
  [[nodiscard]] host_index at(std::size_t i) const noexcept {
    return host_index(first + static_cast<std::uint32_t>(i));
  }
};

template <class F, class... Cursors>
void loop_over(std::size_t count, const F& f, const Cursors... cursors) {
// Arguments are disjoint or, in place, the same region: no iteration sees another's result. The
// compiler cannot know that and would test it, or not vectorise.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < count; ++i) f(cursors.at(i)...);
}

/// How many elements of each buffer one piece of a wide elementwise body has.
inline constexpr std::size_t elementwise_grain = 32768;

/// Whether an elementwise lambda asks for the element's index, after parameters of these types.
template <class F, class... Values>
inline constexpr bool takes_index = std::is_invocable_v<const F&, Values&..., host_index> &&
                                    !std::is_invocable_v<const F&, Values&..., std::uint32_t>;

/// The host body of an elementwise kernel whose arguments are Arguments: numbers and strided_views.
template <class F, class... Arguments>
class elementwise_loop {
  template <class A>
  static constexpr bool is_view = !std::is_arithmetic_v<A>;
  static constexpr std::size_t buffers = (std::size_t{0} + ... + std::size_t{is_view<Arguments>});

  template <class A>
  struct value_in {
    using type = A;
  };
  template <class T>
  struct value_in<strided_view<T>> {
    using type = std::remove_const_t<T>;
  };

 public:
  elementwise_loop(const F& f, const Arguments&... arguments)
      : f_(f),
        arguments_(arguments...),
        nest_(make_nest(std::index_sequence_for<Arguments...>{})) {}

  void run(lane_group& lanes) const {
    for_ranges(lanes, nest_.size(), elementwise_grain, [this](std::size_t begin, std::size_t end) {
      nest_.for_runs(begin, end, [this, begin](const auto& offsets, std::size_t count) mutable {
        this->run_once(begin, offsets, count, std::index_sequence_for<Arguments...>{});
        begin += count;
      });
    });
  }

 private:
  /// How many of the arguments before I are buffers.
  template <std::size_t I>
  static consteval std::size_t position() {
    constexpr std::array<bool, sizeof...(Arguments)> views{is_view<Arguments>...};
    std::size_t before = 0;
    for (std::size_t i = 0; i < I; ++i) before += views[i] ? 1 : 0;
    return before;
  }

  template <std::size_t... I>
  loop_nest<buffers> make_nest(std::index_sequence<I...>) const {
    const index_list* extents = nullptr;
    std::array<const index_list*, buffers> strides{};
    const auto add = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
      if constexpr (is_view<std::tuple_element_t<J, std::tuple<Arguments...>>>) {
        extents = &std::get<J>(arguments_).extents();
        strides[position<J>()] = &std::get<J>(arguments_).strides();
      }
    };
    (add(std::integral_constant<std::size_t, I>{}), ...);
    return loop_nest<buffers>(*extents, strides);
  }

  template <std::size_t... I>
  void run_once(std::size_t first, const std::array<std::size_t, buffers>& offsets,
                std::size_t count, std::index_sequence<I...>) const {
    const auto run = [&](auto... cursors) {
      if constexpr (takes_index<F, typename value_in<Arguments>::type...>) {
        loop_over(count, f_, cursors..., index_cursor{static_cast<std::uint32_t>(first)});
      } else {
        loop_over(count, f_, cursors...);
      }
    };
    if (nest_.dense()) {
      run(cursor<I, true>(offsets)...);
    } else {
      run(cursor<I, false>(offsets)...);
    }
  }

  template <std::size_t I, bool Dense>
  auto cursor(const std::array<std::size_t, buffers>& offsets) const noexcept {
    const auto& argument = std::get<I>(arguments_);
    using type = std::remove_cvref_t<decltype(argument)>;
    if constexpr (!is_view<type>) {
      return constant_cursor<type>{argument};
    } else {
      auto* first = argument.data() + offsets[position<I>()];
      using element = std::remove_pointer_t<decltype(first)>;
      if constexpr (Dense) {
        return dense_cursor<element>{first};
      } else {
        return strided_cursor<element>{first, nest_.run_strides()[position<I>()]};
      }
    }
  }

  const F& f_;
  std::tuple<const Arguments&...> arguments_;
  loop_nest<buffers> nest_;
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

/// What calls of f with traced values leave in the parameters that it may write; nothing if f takes
/// no traced values.
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
  if constexpr (takes_index<F, parameter_value<P>...>) {
    if constexpr (std::is_invocable_v<const F&, traced<parameter_value<P>>&..., traced_index>) {
      call(indices{}, traced_index());
    }
  } else if constexpr (std::is_invocable_v<const F&, traced<parameter_value<P>>&...>) {
    call(indices{});
  }
  return results;
}

/// The signature element for one descriptor of a call: any rank, and for a number the element type
/// of the buffers unless that would cut a fraction off.
template <class D, class Element>
consteval auto elementwise_parameter() {
  if constexpr (parameter_traits<D>::is_buffer) {
    using element = typename parameter_traits<D>::element;
    constexpr access_mode mode = parameter_traits<D>::mode;
    if constexpr (mode == access_mode::read) {
      return std::type_identity<in<element, any_rank>>{};
    } else if constexpr (mode == access_mode::write) {
      return std::type_identity<out<element, any_rank>>{};
    } else {
      return std::type_identity<inout<element, any_rank>>{};
    }
  } else if constexpr (std::is_floating_point_v<D> && !std::is_floating_point_v<Element>) {
    return std::type_identity<D>{};
  } else {
    return std::type_identity<Element>{};
  }
}
template <class D, class Element>
using elementwise_parameter_t = typename decltype(elementwise_parameter<D, Element>())::type;

template <class P>
consteval bool parameter_writes() {
  if constexpr (parameter_traits<P>::is_buffer) return writes_content(parameter_traits<P>::mode);
  return false;
}

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
    return make<detail::elementwise_parameter_t<D, element>...>();
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
    static_assert(invocable, "The elementwise lambda takes another number of arguments.");
    if constexpr (invocable) {
      static_assert(modes_agree<P...>(),
                    "What the elementwise lambda takes as auto& is passed by writes(b) or "
                    "updates(b); what it takes as const auto& or auto, by reads(b) or as a "
                    "number.");
    }
    return shared_->made.template get<kernel<P...>>([this] { return build<P...>(); });
  }

  template <class... P>
  kernel<P...> build() const {
    const auto body = [f = shared_->f](lane_group& lanes, auto... arguments) {
      detail::elementwise_loop<F, decltype(arguments)...>(f, arguments...).run(lanes);
    };
    const auto bytes = [](const launch_shape& shape) {
      const double each =
          (0.0 + ... +
           (detail::parameter_traits<P>::is_buffer ? double{sizeof(detail::parameter_value<P>)}
                                                   : 0.0));
      return each * static_cast<double>(volume(shape.front()));
    };
    const auto on_host =
        kernel<P...>(shared_->name, host_body{body})
            .check([name = shared_->name](const launch_shape& shape) {
              detail::require_equal_extents(name, shape);
            })
            .wide([bytes](const launch_shape& shape) { return bytes(shape) >= detail::wide_bytes; })
            .in_place();
    if constexpr (Portable) {
      return on_host.with(detail::elementwise_sources(on_host.definition()->parameters,
                                                      detail::trace_elementwise<P...>(shared_->f)));
    } else {
      return on_host;
    }
  }

  std::shared_ptr<content> shared_;
};

/// Makes a family of kernels from one generic lambda that is applied to each element of buffers of
/// equal extents, of any rank: `const auto&` or `auto` takes reads(b) or a number, `auto&` takes
/// writes(b) or updates(b). A last parameter `element_index auto` takes no argument; it is the
/// element's index. The lambda is compiled for the host, and called once with traced values to give
/// the bodies in devices' languages: it computes with operators, select(), cast<T>() and the
/// functions of math.hpp, without `if` on a value.
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
