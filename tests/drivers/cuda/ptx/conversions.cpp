// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "operations.hpp"

namespace standin {

namespace {

double whole(double value, rounding how) {
  switch (how) {
    case rounding::zero:
      return std::trunc(value);
    case rounding::down:
      return std::floor(value);
    case rounding::up:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

/// Values beyond the target's range become its end, and NaNs zero.
template <class To>
To to_integer(double value, rounding how) {
  if (std::isnan(value)) return 0;
  value = whole(value, how);
  constexpr int digits = std::numeric_limits<To>::digits;
  if (value >= std::ldexp(1.0, digits)) return std::numeric_limits<To>::max();
  if (value < static_cast<double>(std::numeric_limits<To>::min())) {
    return std::numeric_limits<To>::min();
  }
  return static_cast<To>(value);
}

template <class T>
T saturated_if(bool wanted, T value) {
  return wanted ? saturated(value) : value;
}

/// Flushes a value that came from a float; other types keep their subnormal numbers.
template <class From>
double flushed_like(double value) {
  if constexpr (std::is_same_v<From, float>) return flushed(static_cast<float>(value));
  return value;
}

template <class To, class From>
To between_integers(From value, bool saturates) {
  if (saturates) {
    if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (std::cmp_greater(value, std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
  }
  return static_cast<To>(value);
}

template <class To, class From>
To to_number(From from, const instruction& i) {
  if constexpr (is_small_float<To>) {
    double value = static_cast<double>(from);
    if (i.integral) return To(whole(value, i.round));
    if (i.saturates) value = saturated(value);
    return To(value, i.round);
  } else if constexpr (std::is_integral_v<From>) {
    const rounding_scope mode(i.round);
    return saturated_if(i.saturates, static_cast<To>(from));
  } else {
    double value = static_cast<double>(from);
    if (i.flushes) value = flushed_like<From>(value);
    if (i.integral) value = whole(value, i.round);
    const rounding_scope mode(i.integral ? rounding::nearest : i.round);
    auto result = static_cast<To>(value);
    if (i.flushes) result = flushed(result);
    return saturated_if(i.saturates, result);
  }
}

template <class To, class From>
void convert(warp& w, const instruction& i, lane_mask m) {
  const std::uint64_t* const from = w.in(i.with[1]);
  std::uint64_t* const to = w.out(i.with[0]);
  each_lane(m, [&](unsigned l) {
    const From value = read<From>(from[l]);
    if constexpr (is_number<To>) {
      to[l] = write(to_number<To>(value, i));
    } else if constexpr (is_number<From>) {
      const double wide = static_cast<double>(value);
      to[l] = write(to_integer<To>(i.flushes ? flushed_like<From>(wide) : wide, i.round));
    } else {
      to[l] = write(between_integers<To>(value, i.saturates));
    }
  });
}

template <class To, class... From>
void add_from(operation_table& to) {
  ((to[std::string("cvt.") + type_name<To>() + "." + type_name<From>()] =
        operation{&convert<To, From>, &convert<To, From>}),
   ...);
}

template <class... To>
void add_all(operation_table& to) {
  (add_from<To, To...>(to), ...);
}

/// Two numbers become the halves of a register: the first one is the high half.
template <class T>
void convert_pair(warp& w, const instruction& i, lane_mask m) {
  const std::uint64_t* const high = w.in(i.with[1]);
  const std::uint64_t* const low = w.in(i.with[2]);
  std::uint64_t* const to = w.out(i.with[0]);
  each_lane(m, [&](unsigned l) {
    const pair_of<T> both{T(read<float>(low[l]), i.round), T(read<float>(high[l]), i.round)};
    to[l] = write(both);
  });
}

}  // namespace

void add_conversions(operation_table& to) {
  add_all<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
          std::int64_t, std::uint64_t, half, bfloat, float, double>(to);
  to["cvt.f16x2.f32"] = {&convert_pair<half>, &convert_pair<half>};
  to["cvt.bf16x2.f32"] = {&convert_pair<bfloat>, &convert_pair<bfloat>};
}

}  // namespace standin
