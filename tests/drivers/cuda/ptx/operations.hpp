// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <cfenv>
#include <string>
#include <unordered_map>
#include <utility>

#include "numbers.hpp"
#include "warp.hpp"

namespace standin {

/// The function that executes an instruction.
struct operation {
  handler run = nullptr;
  handler careful = nullptr;  ///< where the instruction rounds otherwise, flushes or saturates
};

/// Operations by the name of their instruction without modifiers, such as "mul.wide.s32".
using operation_table = std::unordered_map<std::string, operation>;

/// All operations that the stand-in knows.
const operation_table& operations();

void add_integer_operations(operation_table& to);
void add_bit_operations(operation_table& to);
void add_number_operations(operation_table& to);
void add_comparisons(operation_table& to);
void add_conversions(operation_table& to);
void add_accesses(operation_table& to);
void add_atomics(operation_table& to);
void add_lane_operations(operation_table& to);

/// Rounds the host's arithmetic as an instruction says, for the life of the object.
class rounding_scope {
 public:
  explicit rounding_scope(rounding how) : changed_(how != rounding::nearest) {
    constexpr std::array modes{FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (changed_) std::fesetround(modes[static_cast<std::size_t>(how)]);
  }
  ~rounding_scope() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;

 private:
  bool changed_;
};

template <class T>
T flushed(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::fpclassify(value) == FP_SUBNORMAL) return std::copysign(T{0}, value);
  }
  return value;
}

template <class T>
T saturated(T value) {
  if constexpr (is_number<T>) {
    const auto v = widened(value);
    return v > 0 ? (v < 1 ? value : T(1)) : T(0);
  }
  return value;
}

/// Executes `Op` for values of the types T, the operands after the first one; the first one is the
/// result.
template <class Op, class... T>
struct computed {
  template <std::size_t... n>
  static void plain(warp& w, const instruction& i, lane_mask m, std::index_sequence<n...> /**/) {
    const std::array<const std::uint64_t*, sizeof...(T)> from{w.in(i.with[n + 1])...};
    std::uint64_t* const to = w.out(i.with[0]);
    each_lane(m, [&](unsigned l) { to[l] = write(Op{}(read<T>(from[n][l])...)); });
  }
  template <std::size_t... n>
  static void carefully(warp& w, const instruction& i, lane_mask m,
                        std::index_sequence<n...> /**/) {
    const std::array<const std::uint64_t*, sizeof...(T)> from{w.in(i.with[n + 1])...};
    std::uint64_t* const to = w.out(i.with[0]);
    const rounding_scope mode(i.round);
    each_lane(m, [&](unsigned l) {
      auto value = i.flushes ? Op{}(flushed(read<T>(from[n][l]))...) : Op{}(read<T>(from[n][l])...);
      if (i.flushes) value = flushed(value);
      to[l] = write(i.saturates ? saturated(value) : value);
    });
  }
};

template <class Op, class... T>
void compute(warp& w, const instruction& i, lane_mask m) {
  computed<Op, T...>::plain(w, i, m, std::index_sequence_for<T...>());
}

template <class Op, class... T>
void compute_carefully(warp& w, const instruction& i, lane_mask m) {
  computed<Op, T...>::carefully(w, i, m, std::index_sequence_for<T...>());
}

template <class T>
std::string named(const std::string& name) {
  return name + "." + type_name<T>();
}

template <class Op, class... T>
void add_one(operation_table& to, const std::string& name) {
  to[name] = {&compute<Op, T...>, &compute_carefully<Op, T...>};
}

/// Adds an operation of one, two or three values for each of several types.
template <class Op, class... T>
void add_unary(operation_table& to, const std::string& name) {
  (add_one<Op, T>(to, named<T>(name)), ...);
}
template <class Op, class... T>
void add_binary(operation_table& to, const std::string& name) {
  (add_one<Op, T, T>(to, named<T>(name)), ...);
}
template <class Op, class... T>
void add_ternary(operation_table& to, const std::string& name) {
  (add_one<Op, T, T, T>(to, named<T>(name)), ...);
}

}  // namespace standin
