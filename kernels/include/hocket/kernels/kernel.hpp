// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/kernels/definition.hpp>
#include <hocket/kernels/native.hpp>
#include <hocket/kernels/signature.hpp>

namespace hocket {

template <class F, bool Portable>
class elementwise_family;

/// The C++ body of a kernel: takes the parameters in signature order (numbers by value, buffers as
/// views), after a leading lane_group& if it wants one, and returns the value of a returns<>.
template <class F>
struct host_body {
  F call;
};
template <class F>
host_body(F) -> host_body<F>;

/// A body of one pass as text, in the language of a device:
///
///     scale.with(opencl_c{"a, x", "uint i = ITEM(0); if (i < x_extent0) x(i) *= a;"})
template <kernel_format Format>
struct text_body {
  std::string names;  ///< of the parameters, separated by commas, and of the result last
  std::string text;   ///< as in kernel_pass
  grid local{64, 1, 1};
  std::function<grid(const launch_shape&)> items = {};
  std::string structures = {};           ///< as in kernel_source
  std::vector<element_type> types = {};  ///< as in kernel_source
  /// Of the braces that make the body, which messages of compilers name.
  const char* file = __builtin_FILE();
  int line = __builtin_LINE();
};
using glsl = text_body<kernel_format::glsl>;
using opencl_c = text_body<kernel_format::opencl_c>;
using cuda_c = text_body<kernel_format::cuda_c>;

namespace detail {

/// A copy of the definition with the sources before those it has. Throws usage_error if one names
/// another number of parameters than the kernel has.
[[nodiscard]] kernel_ref with_sources(const kernel_definition& from,
                                      std::vector<kernel_source> sources);

/// "a, x" as its parts, without blanks.
[[nodiscard]] std::vector<std::string> split_names(const std::string& names);

/// Whether a function of this type may own anything: what is copied bit by bit does not.
template <class F>
inline constexpr bool keeps_captures = !std::is_trivially_copyable_v<F>;

/// A copy of the definition that change(copy) has changed.
template <class Change>
kernel_ref changed(const kernel_definition& from, Change&& change) {
  auto copy = std::make_shared<kernel_definition>(from);
  change(*copy);
  return copy;
}

}  // namespace detail

/// One operation under one name and one signature, with a body in each format that it has. The
/// signature lists a number type for a scalar and in_buffer<T, R>, out_buffer<T, R> or
/// inout_buffer<T, R> for a buffer; returns<T> stands first where the future carries a value.
/// Immutable; copies share their content.
///
///     const kernel<float, inout_buffer<float>> scale{
///         "scale", host_body{[](float a, buffer_view<float> x) {
///           for (float& element : x) element *= a;
///         }}};
template <class... Sig>
class kernel {
  using split = detail::signature<Sig...>;
  using parameters = typename split::parameters;
  template <class... D>
  using match = detail::call_match<parameters, std::tuple<std::type_identity<D>...>>;

 public:
  /// void for a kernel without returns<>.
  using value_type = typename split::value_type;

  /// True for a call with arguments of these descriptors: numbers convert, buffers have the
  /// element type, the mode and (unless the kernel takes any) the rank of the signature.
  template <class... D>
  static constexpr bool accepts =
      match<D...>::kinds&& match<D...>::elements&& match<D...>::modes&& match<D...>::ranks;

  /// Does not compile, with a sentence that says why, unless accepts<D...>.
  template <class... D>
  static constexpr void assert_accepts() {
    using m = match<D...>;
    static_assert(m::count, "The kernel takes another number of arguments.");
    static_assert(!m::count || m::kinds,
                  "A kernel's number is passed as a number, its buffer as reads(b), writes(b) or "
                  "updates(b).");
    if constexpr (m::kinds && !m::elements) detail::refuse_element<m::first_other_element() + 1>();
    static_assert(
        !m::kinds || m::modes,
        "A buffer is passed by another of reads, writes and updates than the kernel "
        "needs: in_buffer<> is read, out_buffer<> is written, inout_buffer<> is updated.");
    static_assert(!m::kinds || m::ranks, "A buffer has another rank than the kernel's.");
  }

  /// A kernel without a host body; bodies are added by with().
  explicit kernel(std::string name) : definition_(described(std::move(name))) {}

  template <class F>
  kernel(std::string name, host_body<F> body)
      : definition_(detail::changed(*described(std::move(name)), [&](kernel_definition& made) {
          made.keeps_captures = detail::keeps_captures<F>;
          made.host = body_of(std::move(body.call));
        })) {}

  // Copies alone: a kernel that was moved from stays what it is.
  kernel(const kernel&) = default;
  kernel& operator=(const kernel&) = default;
  ~kernel() = default;

  /// f(const launch_shape&) returns what a launch with these extents costs.
  template <class F>
  [[nodiscard]] kernel cost(F f) const {
    return detail::changed(*definition_, [&](auto& made) {
      made.keeps_captures |= detail::keeps_captures<F>;
      made.estimate = std::move(f);
    });
  }

  /// f(const launch_shape&) throws usage_error if these extents do not fit together.
  template <class F>
  [[nodiscard]] kernel check(F f) const {
    return detail::changed(*definition_, [&](auto& made) {
      made.keeps_captures |= detail::keeps_captures<F>;
      made.check = std::move(f);
    });
  }

  /// The host body takes the whole node, always or where f(const launch_shape&) is true.
  [[nodiscard]] kernel wide() const {
    return wide([](const launch_shape&) { return true; });
  }
  template <class F>
  [[nodiscard]] kernel wide(F f) const {
    return detail::changed(*definition_, [&](auto& made) {
      made.keeps_captures |= detail::keeps_captures<F>;
      made.width = [f = std::move(f)](const launch_shape& shape) {
        return f(shape) ? body_width::wide : body_width::serial;
      };
    });
  }

  /// Promises that an argument that is read may be the same region as one that is written.
  [[nodiscard]] kernel in_place() const {
    return detail::changed(*definition_, [](auto& made) { made.in_place = true; });
  }

  /// Says that results depend on where elements are in the region; split_rows refuses the kernel.
  [[nodiscard]] kernel positional() const {
    return detail::changed(*definition_, [](auto& made) { made.positional = true; });
  }

  /// Adds a body in another format; it is preferred to those in that format that the kernel has.
  template <kernel_format Format>
  [[nodiscard]] kernel with(text_body<Format> body) const {
    kernel_source made{Format,
                       detail::split_names(body.names),
                       {{std::move(body.text), body.local, std::move(body.items)}}};
    made.structures = std::move(body.structures);
    made.types = std::move(body.types);
    made.place = std::string(body.file) + ':' + std::to_string(body.line);
    return with(std::move(made));
  }
  template <native_body B>
  [[nodiscard]] kernel with(B body) const {
    kernel_source made;
    made.format = B::format;
    made.native = [call = std::move(body.call)](const native_launch& launch) {
      enqueue<typename B::place>(call, launch, std::make_index_sequence<count>{});
    };
    kernel_ref with_body = detail::with_sources(*definition_, {std::move(made)});
    if constexpr (!detail::keeps_captures<decltype(body.call)>) return with_body;
    return detail::changed(*with_body, [](auto& changed) { changed.keeps_captures = true; });
  }
  [[nodiscard]] kernel with(kernel_source source) const {
    return detail::with_sources(*definition_, {std::move(source)});
  }
  [[nodiscard]] kernel with(std::vector<kernel_source> sources) const {
    return detail::with_sources(*definition_, std::move(sources));
  }

  [[nodiscard]] const kernel_ref& definition() const noexcept { return definition_; }

  /// A C++ body of this signature, as a definition has it.
  template <class F>
  [[nodiscard]] static std::function<void(const host_launch&)> body_of(F call) {
    return [call = std::move(call)](const host_launch& launch) {
      invoke(call, launch, std::make_index_sequence<count>{});
    };
  }

 private:
  template <class F, bool Portable>
  friend class elementwise_family;

  static constexpr std::size_t count = std::tuple_size_v<parameters>;

  template <std::size_t I>
  using traits = detail::parameter_traits<typename std::tuple_element_t<I, parameters>::type>;

  kernel(kernel_ref definition) : definition_(std::move(definition)) {}  // NOLINT(*-explicit-*)

  static kernel_ref described(std::string name) {
    auto made = std::make_shared<kernel_definition>();
    made->name = std::move(name);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      made->parameters = {traits<I>::described()...};
    }
    (std::make_index_sequence<count>{});
    if constexpr (!std::is_void_v<value_type>) made->result = element_type_of<value_type>;
    return made;
  }

  /// How many of the parameters before I are of the kind of I.
  template <std::size_t I>
  static consteval std::size_t position() {
    return []<std::size_t... J>(std::index_sequence<J...>) {
      return (std::size_t{0} + ... + std::size_t{traits<J>::is_buffer == traits<I>::is_buffer});
    }
    (std::make_index_sequence<I>{});
  }

  template <std::size_t I>
  static auto argument(const host_launch& launch) {
    using type = typename traits<I>::argument;
    if constexpr (traits<I>::is_buffer) {
      return type(launch.buffers[position<I>()]);
    } else {
      return launch.scalars[position<I>()].template as<type>();
    }
  }

  template <std::size_t I>
  static auto native_argument(const native_launch& launch) {
    if constexpr (traits<I>::is_buffer) {
      return typename traits<I>::native_argument(launch.buffers[position<I>()]);
    } else {
      return launch.scalars[position<I>()].template as<typename traits<I>::argument>();
    }
  }

  template <class Place, class F, std::size_t... I>
  static void enqueue(const F& f, const native_launch& launch, std::index_sequence<I...>) {
    const Place& place = *static_cast<const Place*>(launch.place);
    if constexpr (std::is_void_v<value_type>) {
      static_assert(
          std::is_invocable_v<const F&, const Place&, decltype(native_argument<I>(launch))...>,
          "A native body takes the place of its API, and then the parameters of its "
          "signature in order: numbers by value, native_view<const T, R> for in_buffer, "
          "native_view<T, R> for the others.");
      f(place, native_argument<I>(launch)...);
    } else {
      static_assert(
          std::is_invocable_v<const F&, const Place&, decltype(native_argument<I>(launch))...,
                              native_view<value_type>>,
          "A native body of a kernel with returns<T> takes the place of its API, the "
          "parameters of its signature in order, and native_view<T> for the result.");
      f(place, native_argument<I>(launch)..., native_view<value_type>(launch.buffers.back()));
    }
  }

  template <class F, std::size_t... I>
  static void invoke(const F& f, const host_launch& launch, std::index_sequence<I...>) {
    constexpr bool takes_lanes =
        std::is_invocable_v<const F&, lane_group&, typename traits<I>::argument...>;
    static_assert(
        takes_lanes || std::is_invocable_v<const F&, typename traits<I>::argument...>,
        "A host body takes the parameters of its signature in order: numbers by value, "
        "buffer_view<const T, R> for in_buffer, buffer_view<T, R> for the others, after a leading "
        "lane_group& if it wants one.");
    const auto run = [&]() -> decltype(auto) {
      if constexpr (takes_lanes) {
        return f(launch.lanes, argument<I>(launch)...);
      } else {
        return f(argument<I>(launch)...);
      }
    };
    if constexpr (std::is_void_v<value_type>) {
      run();
    } else {
      static_assert(std::is_same_v<std::decay_t<decltype(run())>, value_type>,
                    "A host body returns exactly the type of its returns<>.");
      *static_cast<value_type*>(launch.buffers.back().base) = run();
    }
  }

  kernel_ref definition_;
};

}  // namespace hocket
