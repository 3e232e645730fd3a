// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include <hocket/core/error.hpp>
#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/array_ops.hpp>
#include <hocket/kernels/loop_nest.hpp>
#include <hocket/kernels/ranges.hpp>
#include <hocket/kernels/reduction.hpp>

#include "device/bodies.hpp"
#include "element_lists.hpp"

namespace hocket::ops::detail {

namespace {

/// A reduction whose sum is changed at the end: map(x) is traced, finish(sum, elements) is
/// finish_text in texts.
template <class T, class Map, class Finish>
auto finished_sum(const char* name, Map map, Finish finish, const char* finish_text) {
  using value = computed_t<T>;
  const auto add = [](const auto& a, const auto& b) { return a + b; };
  const auto body = [=](lane_group& lanes, const strided_view<const T>& x) {
    using sum = hocket::detail::blocked_reduction<value, decltype(add), Map, T>;
    return static_cast<value>(finish(sum(0, add, map, x).run(lanes), x.size()));
  };
  const auto traced_value = [](std::size_t number) {
    return traced<value>(hocket::detail::make_parameter(element_type_of<value>, number));
  };
  const traced<T> element(hocket::detail::make_parameter(element_type_of<T>, 0));
  const traced<value> mapped = map(element);
  return kernel<returns<value>, in_buffer<T, any_rank>>(name, host_body{body})
      .wide([](const launch_shape& shape) {
        return static_cast<double>(volume(shape[0])) * sizeof(T) >= hocket::detail::wide_bytes;
      })
      .with(hocket::detail::reduction_sources(
          scalar_argument::of(value{0}), (traced_value(0) + traced_value(1)).recorded(),
          {{element_type_of<T>}, mapped.recorded()}, finish_text));
}

/// The best element of each block, by a loop that becomes vectors; then the first place of the best
/// of these in the first block that has it.
template <class T, bool Greatest>
class place_search {
 public:
  explicit place_search(const strided_view<const T>& x)
      : data_(x.data()), nest_(x.extents(), {&x.strides()}) {}

  [[nodiscard]] std::uint32_t run(lane_group& lanes) const {
    const std::size_t blocks = (nest_.size() + block - 1) / block;
    const auto best = std::make_unique_for_overwrite<number[]>(blocks);
    hocket::detail::for_ranges(lanes, blocks, 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) best[b] = best_of(b);
    });
    std::size_t first = 0;
    for (std::size_t b = 1; b < blocks; ++b) {
      if (better(best[first], best[b]) != best[first] && best[first] == best[first]) first = b;
    }
    return static_cast<std::uint32_t>(place_in(first, best[first]));
  }

 private:
  using number = computed_t<T>;

  // The compiler makes no vectors of a shorter loop over the chains: it unrolls that first.
  static constexpr std::size_t block = 4096, chains = 64;

  /// a unless b is beyond it; a NaN is beyond every number.
  static number better(number a, number b) {
    return select((Greatest ? b > a : b < a) | (b != b), b, a);
  }

  static number worst() {
    using limits = std::numeric_limits<number>;
    if constexpr (limits::has_infinity) {
      return Greatest ? -limits::infinity() : limits::infinity();
    }
    return Greatest ? limits::lowest() : limits::max();
  }

  template <class F>
  void for_block(std::size_t index, const F& f) const {
    const std::size_t begin = index * block, end = std::min(begin + block, nest_.size());
    nest_.for_runs(begin, end, [&](const auto& offset, std::size_t count) {
      f(data_ + offset[0], count, nest_.run_strides()[0]);
    });
  }

  [[nodiscard]] number best_of(std::size_t index) const {
    number best = worst();
    for_block(index, [&](const T* from, std::size_t count, std::size_t step) {
      std::array<number, chains> chain;
      chain.fill(best);
      std::size_t i = 0;
      for (; step == 1 && i + chains <= count; i += chains) {
        for (std::size_t c = 0; c < chains; ++c) chain[c] = better(chain[c], number(from[i + c]));
      }
      for (; i < count; ++i) chain[0] = better(chain[0], number(from[i * step]));
      for (const number each : chain) best = better(best, each);
    });
    return best;
  }

  [[nodiscard]] std::size_t place_in(std::size_t index, number wanted) const {
    std::size_t place = index * block, found = place;
    bool is_found = false;
    for_block(index, [&](const T* from, std::size_t count, std::size_t step) {
      for (std::size_t i = 0; i < count && !is_found; ++i) {
        const number value(from[i * step]);
        is_found = value == wanted || (value != value && wanted != wanted);
        found = place + i;
      }
      place += count;
    });
    return found;
  }

  const T* data_;
  loop_nest<1> nest_;
};

void check_places(const char* name, const index_list& extents) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  const std::size_t count = volume(extents);
  if (count > 0 && count <= most) return;
  throw usage_error("Kernel \"" + std::string(name) + "\" is given " + to_string(extents) +
                    " elements; it takes 1 to " + std::to_string(most) + ".");
}

}  // namespace

template <class T>
auto mean_op::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made = finished_sum<T>(
      "mean", [](const auto& x) { return cast<computed_t<T>>(x); },
      [](auto sum, std::size_t count) { return sum / static_cast<computed_t<T>>(count); },
      std::is_same_v<T, double> ? "((v) / AS(f64, x_count))" : "((v) / AS(f32, x_count))");
  return made;
}

template <class T>
auto norm_op::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made = finished_sum<T>(
      "norm", [](const auto& x) { return x * x; },
      [](auto sum, std::size_t) { return std::sqrt(sum); }, "sqrt(v)");
  return made;
}

template <bool Greatest>
template <class T>
auto extreme_place_op<Greatest>::instance() -> const type<T>& {
  constexpr const char* name = Greatest ? "argmax" : "argmin";
  const auto body = [](lane_group& lanes, const strided_view<const T>& x) {
    return place_search<T, Greatest>(x).run(lanes);
  };
  static const never_destroyed<type<T>> made =
      type<T>(name, host_body{body})
          .check([](const launch_shape& shape) { check_places(name, shape[0]); })
          .wide([](const launch_shape& shape) {
            return static_cast<double>(volume(shape[0])) * sizeof(T) >= hocket::detail::wide_bytes;
          })
          .positional()
          .with(hocket::detail::extreme_place_bodies(element_type_of<T>, Greatest));
  return made;
}

#define HOCKET_INSTANTIATE(T)                              \
  template const mean_op::type<T>& mean_op::instance<T>(); \
  template const norm_op::type<T>& norm_op::instance<T>();
HOCKET_INSTANTIATE(float)
HOCKET_INSTANTIATE(double)
HOCKET_INSTANTIATE(float16)
HOCKET_INSTANTIATE(bfloat16)
#undef HOCKET_INSTANTIATE

#define HOCKET_INSTANTIATE(T)                                                            \
  template const extreme_place_op<true>::type<T>& extreme_place_op<true>::instance<T>(); \
  template const extreme_place_op<false>::type<T>& extreme_place_op<false>::instance<T>();
HOCKET_FOR_COMPUTABLE(HOCKET_INSTANTIATE)
#undef HOCKET_INSTANTIATE

}  // namespace hocket::ops::detail
