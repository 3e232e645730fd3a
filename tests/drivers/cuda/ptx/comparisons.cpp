// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "operations.hpp"

namespace standin {

namespace {

enum class order { eq, ne, lt, le, gt, ge, num, nan };

/// Comparisons whose `unordered` is set are true for what is no number.
template <order how, bool unordered>
struct compared {
  template <class T>
  bool operator()(T x, T y) const {
    if constexpr (is_number<T>) {
      const auto a = widened(x), b = widened(y);
      const bool no_number = std::isnan(a) || std::isnan(b);
      if (how == order::num) return !no_number;
      if (how == order::nan) return no_number;
      return no_number ? unordered : holds(a, b);
    } else {
      return holds(x, y);
    }
  }

 private:
  template <class T>
  static bool holds(T a, T b) {
    switch (how) {
      case order::eq:
        return a == b;
      case order::ne:
        return a != b;
      case order::lt:
        return a < b;
      case order::le:
        return a <= b;
      case order::gt:
        return a > b;
      default:
        return a >= b;
    }
  }
};

template <order how, bool unordered>
void add_numbers(operation_table& to, const std::string& name) {
  add_binary<compared<how, unordered>, float, double, half, bfloat>(to, "setp." + name);
}

template <order how, class... T>
void add_integers(operation_table& to, const std::string& name) {
  add_binary<compared<how, false>, T...>(to, "setp." + name);
}

template <order how>
void add_order(operation_table& to, const std::string& name, const std::string& of_unsigned) {
  using s16 = std::int16_t;
  using u16 = std::uint16_t;
  using s32 = std::int32_t;
  using u32 = std::uint32_t;
  using s64 = std::int64_t;
  using u64 = std::uint64_t;
  add_numbers<how, false>(to, name);
  add_numbers<how, true>(to, name + "u");
  add_integers<how, s16, u16, s32, u32, s64, u64>(to, name);
  add_integers<how, u16, u32, u64>(to, of_unsigned);
}

}  // namespace

void add_comparisons(operation_table& to) {
  add_order<order::eq>(to, "eq", "eq");
  add_order<order::ne>(to, "ne", "ne");
  add_order<order::lt>(to, "lt", "lo");
  add_order<order::le>(to, "le", "ls");
  add_order<order::gt>(to, "gt", "hi");
  add_order<order::ge>(to, "ge", "hs");
  add_numbers<order::num, false>(to, "num");
  add_numbers<order::nan, false>(to, "nan");
}

}  // namespace standin
