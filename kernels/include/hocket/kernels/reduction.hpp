// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/kernels/family.hpp>
#include <hocket/kernels/kernel.hpp>
#include <hocket/kernels/loop_nest.hpp>
#include <hocket/kernels/math.hpp>
#include <hocket/kernels/number_fits.hpp>
#include <hocket/kernels/ranges.hpp>
#include <hocket/kernels/traced_packed.hpp>
#include <hocket/kernels/traced_source.hpp>

namespace hocket {

namespace detail {

/// The map of a reduction that has none.
struct same_value {
  template <class T>
  [[nodiscard]] T operator()(const T& x) const noexcept {
    return x;
  }
};

/// Throws usage_error: the type, one of whole numbers, does not hold the start of the reduction.
[[noreturn]] void refuse_start(const std::string& reduction, element_type type,
                               const std::string& start);
/// Throws usage_error: the reduction makes something else of its start and itself.
[[noreturn]] void refuse_start(const std::string& reduction, element_type type,
                               const std::string& start, const std::string& combined);

/// The start of a reduction to a T. Throws usage_error if T does not hold it.
template <class T, class Start>
[[nodiscard]] T start_as(const std::string& reduction, const Start& start) {
  if constexpr (std::is_arithmetic_v<Start> || number_element<Start>) {
    bool fits = number_fits(start, element_type_of<T>);
    if constexpr (std::is_integral_v<T> && !std::is_integral_v<Start>) {
      fits = fits && static_cast<double>(static_cast<T>(start)) == widened(start);
    }
    if (!fits) refuse_start(reduction, element_type_of<T>, number_text(widened(start)));
  }
  return static_cast<T>(start);
}

/// Reduces what map gives for the elements of regions with equal extents, in one order that depends
/// on their number alone, neither on the layout nor on the lanes: blocks of consecutive elements,
/// in each of them interleaved chains that the compiler vectorises, and pairwise trees over chains
/// and over blocks.
template <class T, class Combine, class Map, class... E>
class blocked_reduction {
 public:
  static constexpr std::size_t block = 4096;
  static constexpr std::size_t chains = 16;
  static constexpr std::size_t blocks_per_range = 16;

  blocked_reduction(T identity, const Combine& combine, const Map& map,
                    const strided_view<const E>&... inputs)
      : data_(inputs.data()...),
        nest_(std::get<0>(std::tie(inputs...)).extents(), {&inputs.strides()...}),
        identity_(identity),
        combine_(combine),
        map_(map) {}

  [[nodiscard]] T run(lane_group& lanes) const {
    const std::size_t blocks = (nest_.size() + block - 1) / block;
    if (blocks == 0) return identity_;
    if (blocks == 1) return reduce_block(0);
    const auto partial = std::make_unique_for_overwrite<T[]>(blocks);  // of bools too
    for_ranges(lanes, blocks, blocks_per_range, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) partial[b] = reduce_block(b);
    });
    return tree(partial.get(), blocks);
  }

 private:
  [[nodiscard]] T reduce_block(std::size_t number) const {
    const std::size_t begin = number * block;
    const std::size_t count = std::min(block, nest_.size() - begin);
    if constexpr (std::is_same_v<Map, same_value>) {
      if (nest_.dense() && nest_.run_length() == nest_.size()) {
        return reduce_run(std::get<0>(data_) + begin, count);
      }
    }
    std::array<T, block> mapped;
    T* next = mapped.data();
    nest_.for_runs(begin, begin + count, [&](const auto& offset, std::size_t length) {
      map_run(next, offset, length, std::index_sequence_for<E...>{});
      next += length;
    });
    return reduce_run(mapped.data(), count);
  }

  template <class Offsets, std::size_t... I>
  void map_run(T* to, const Offsets& offset, std::size_t length, std::index_sequence<I...>) const {
    const std::tuple from(std::get<I>(data_) + offset[I]...);
    if (nest_.dense()) {
      for (std::size_t i = 0; i < length; ++i) to[i] = map_(std::get<I>(from)[i]...);
    } else {
      const auto& stride = nest_.run_strides();
      for (std::size_t i = 0; i < length; ++i) to[i] = map_(std::get<I>(from)[i * stride[I]]...);
    }
  }

  [[nodiscard]] T reduce_run(const T* values, std::size_t count) const {
    std::array<T, chains> chain;
    chain.fill(identity_);
    std::size_t i = 0;
    for (; i + chains <= count; i += chains) {
      for (std::size_t c = 0; c < chains; ++c) chain[c] = combine_(chain[c], values[i + c]);
    }
    for (std::size_t c = 0; i < count; ++i, ++c) chain[c] = combine_(chain[c], values[i]);
    return tree(chain.data(), chains);
  }

  [[nodiscard]] T tree(T* values, std::size_t count) const {
    for (; count > 1; count = (count + 1) / 2) {
      for (std::size_t i = 0; i + 1 < count; i += 2) {
        values[i / 2] = combine_(values[i], values[i + 1]);
      }
      if (count % 2 != 0) values[count / 2] = values[count - 1];
    }
    return values[0];
  }

  std::tuple<const E*...> data_;
  loop_nest<sizeof...(E)> nest_;
  T identity_;
  const Combine& combine_;
  const Map& map_;
};

}  // namespace detail

/// A family that reduces buffers to a value. See reduction(), reduction_on_host() and
/// transform_reduction().
template <class Identity, class Combine, class Map, bool Portable = true>
class reduction_family : public family_base {
 public:
  reduction_family(std::string name, Identity identity, Combine combine, Map map)
      : shared_(std::make_shared<content>(std::move(name), std::move(identity), std::move(combine),
                                          std::move(map))) {}

  template <class... D>
  const auto& resolve() const {
    constexpr bool has_buffers =
        sizeof...(D) > 0 && (... && detail::parameter_traits<D>::is_buffer);
    static_assert(is_mapped || (has_buffers && sizeof...(D) == 1),
                  "A reduction takes one argument, reads(b).");
    static_assert(has_buffers,
                  "A reduction with a map takes reads(b) for each argument of the map.");
    return of<typename detail::parameter_traits<D>::element...>();
  }

 private:
  static constexpr bool is_mapped = !std::is_same_v<Map, detail::same_value>;
  /// Numbers in 8 and 16 bits that are computed with as floats are reduced as floats.
  template <class... E>
  static constexpr bool maps = is_mapped || (... || detail::is_narrow_float<E>);

  struct content {
    content(std::string name_, Identity identity_, Combine combine_, Map map_)
        : name(std::move(name_)),
          identity(std::move(identity_)),
          combine(std::move(combine_)),
          map(std::move(map_)) {}
    std::string name;
    Identity identity;
    Combine combine;
    Map map;
    detail::kernel_cache made;
  };

  /// Lambdas for the host alone are not looked at: a call with traced values may not compile.
  template <class... E>
  static consteval bool takes_traced() {
    if constexpr (Portable && (detail::traceable<E> && ...)) {
      return std::is_invocable_v<const Map&, const traced<E>&...>;
    }
    return false;
  }
  template <class T>
  static consteval bool combines_traced() {
    if constexpr (Portable && !std::is_same_v<T, bool>) {
      return std::is_invocable_v<const Combine&, const traced<T>&, const traced<T>&>;
    }
    return false;
  }

  /// The type of the value. Where the map can be traced it is that of the traced value: a number
  /// that is written in a lambda takes the type of what stands beside it.
  template <class... E>
  static auto value_type() {
    if constexpr (takes_traced<E...>()) {
      using result = std::invoke_result_t<const Map&, const traced<E>&...>;
      using type = detail::element_behind_t<std::remove_cvref_t<result>>;
      return std::type_identity<detail::computed_t<type>>{};
    } else {
      using result = std::invoke_result_t<const Map&, const E&...>;
      return std::type_identity<detail::computed_t<std::remove_cvref_t<result>>>{};
    }
  }

  template <class... E>
  const auto& of() const {
    static_assert(
        std::is_invocable_v<const Map&, const E&...>,
        "The map of this reduction does not take so many elements, or not of these types.");
    using T = typename decltype(value_type<E...>())::type;
    static_assert(number_element<T>, "A reduction, and its map, return a number.");
    using type = kernel<returns<T>, in_buffer<E, any_rank>...>;
    return shared_->made.template get<type>([this] { return build<T, E...>(); });
  }

  template <class T, class... E>
  kernel<returns<T>, in_buffer<E, any_rank>...> build() const {
    const auto combine = [given = shared_->combine](const T& a, const T& b) {
      return static_cast<T>(given(a, b));
    };
    const auto map = [given = shared_->map] {
      if constexpr (maps<E...>) {
        return [given](const E&... elements) { return static_cast<T>(given(elements...)); };
      } else {
        return given;
      }
    }();
    const T start = start_of<T>();
    const auto body = [identity = start, combine, map](lane_group& lanes,
                                                       const strided_view<const E>&... inputs) {
      using blocked = detail::blocked_reduction<T, decltype(combine), decltype(map), E...>;
      return blocked(identity, combine, map, inputs...).run(lanes);
    };
    constexpr std::size_t bytes = (... + sizeof(E));
    const auto on_host =
        kernel<returns<T>, in_buffer<E, any_rank>...>(shared_->name, host_body{body})
            .wide([](const launch_shape& shape) {
              return static_cast<double>(volume(shape.front()) * bytes) >= detail::wide_bytes;
            });
    if constexpr (sizeof...(E) > 1) {
      return with_texts<T, E...>(
          start, on_host.check([name = shared_->name](const launch_shape& shape) {
            detail::require_equal_extents(name, std::span(shape).first(sizeof...(E)));
          }));
    } else {
      return with_texts<T, E...>(start, on_host);
    }
  }

  template <class T, class... E>
  kernel<returns<T>, in_buffer<E, any_rank>...> with_texts(
      T start, kernel<returns<T>, in_buffer<E, any_rank>...> on_host) const {
    if constexpr (takes_traced<E...>() && combines_traced<T>()) {
      const traced<T> a(detail::make_parameter(element_type_of<T>, 0));
      const traced<T> b(detail::make_parameter(element_type_of<T>, 1));
      const traced<T> combined = shared_->combine(a, b);
      detail::traced_map map{{element_type_of<E>...}, {}};
      if constexpr (maps<E...>) {
        const auto trace = [this](const traced<E>&... elements) {
          return traced<T>(shared_->map(elements...));
        };
        const traced<T> mapped = [&]<std::size_t... I>(std::index_sequence<I...>) {
          return trace(traced<E>(detail::make_parameter(element_type_of<E>, I))...);
        }
        (std::index_sequence_for<E...>{});
        map.value = mapped.recorded();
      }
      return on_host.with(
          detail::reduction_sources(scalar_argument::of(start), combined.recorded(), map));
    } else {
      return on_host;
    }
  }

  /// Throws usage_error unless combining the start with itself gives the start: a device combines
  /// it once for each lane or partial result, so that another start would count differently often.
  template <class T>
  T start_of() const {
    const T start = [this] {
      if constexpr (std::is_invocable_v<const Identity&, T>) {
        return detail::start_as<T>(shared_->name, shared_->identity(T{}));
      } else {
        return detail::start_as<T>(shared_->name, shared_->identity);
      }
    }();
    const T combined = static_cast<T>(shared_->combine(start, start));
    const bool are_nan = start != start && combined != combined;
    if (combined != start && !are_nan) {
      detail::refuse_start(shared_->name, element_type_of<T>,
                           detail::number_text(detail::widened(start)),
                           detail::number_text(detail::widened(combined)));
    }
    return start;
  }

  std::shared_ptr<content> shared_;
};

/// Makes a family that reduces all elements of one buffer, of any rank, to the value of its future.
/// combine(a, b) is associative up to rounding, and identity is its neutral element: a number, or a
/// function that is given a T{} and returns one. An empty buffer gives the identity. combine is
/// traced, as the lambda of elementwise() is. On one device the order of the elements depends on
/// their number alone. A call throws usage_error if the type of the value does not hold the
/// identity, or if combine(identity, identity) is not the identity.
///
///     const auto product = reduction("product", 1, [](auto a, auto b) { return a * b; });
template <class Identity, class Combine>
[[nodiscard]] reduction_family<Identity, Combine, detail::same_value> reduction(std::string name,
                                                                                Identity identity,
                                                                                Combine combine) {
  return {std::move(name), std::move(identity), std::move(combine), {}};
}

/// reduction() of what map gives for the elements at the same place of one or more buffers, which
/// have equal extents. The type of what map returns is that of the value, identity and combine are
/// of it, and a number that is written in map takes the type of the element beside it, as in
/// elementwise(). map is traced as well.
///
///     const auto distance = transform_reduction(
///         "distance", 0, [](auto a, auto b) { return a + b; },
///         [](auto x, auto y) { return abs(x - y); });
///     const float d = rt.submit(distance, reads(x), reads(y)).get();
template <class Identity, class Combine, class Map>
[[nodiscard]] reduction_family<Identity, Combine, Map> transform_reduction(std::string name,
                                                                           Identity identity,
                                                                           Combine combine,
                                                                           Map map) {
  return {std::move(name), std::move(identity), std::move(combine), std::move(map)};
}

/// transform_reduction() with a body for the host alone, from lambdas that may call any C++. What
/// map returns for the types of the elements is the type of the value.
template <class Identity, class Combine, class Map>
[[nodiscard]] reduction_family<Identity, Combine, Map, false> transform_reduction_on_host(
    std::string name, Identity identity, Combine combine, Map map) {
  return {std::move(name), std::move(identity), std::move(combine), std::move(map)};
}

/// reduction() with a body for the host alone, from a lambda that may call any C++.
template <class Identity, class Combine>
[[nodiscard]] reduction_family<Identity, Combine, detail::same_value, false> reduction_on_host(
    std::string name, Identity identity, Combine combine) {
  return {std::move(name), std::move(identity), std::move(combine), {}};
}

}  // namespace hocket
