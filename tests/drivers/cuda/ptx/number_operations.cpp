// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "operations.hpp"

namespace standin {

namespace {

/// Applies an operation of numbers to both halves of pairs.
template <class Op>
struct both {
  template <class T>
  pair_of<T> operator()(pair_of<T> a) const {
    return {Op{}(a.low), Op{}(a.high)};
  }
  template <class T>
  pair_of<T> operator()(pair_of<T> a, pair_of<T> b) const {
    return {Op{}(a.low, b.low), Op{}(a.high, b.high)};
  }
  template <class T>
  pair_of<T> operator()(pair_of<T> a, pair_of<T> b, pair_of<T> c) const {
    return {Op{}(a.low, b.low, c.low), Op{}(a.high, b.high, c.high)};
  }
};

struct plus {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct minus {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct times {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct divide {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct multiply_add {
  template <class T>
  T operator()(T a, T b, T c) const {
    return T(std::fma(widened(a), widened(b), widened(c)));
  }
};

template <class T>
constexpr bits_t<T> sign_bit = static_cast<bits_t<T>>(bits_t<T>{1} << (sizeof(T) * 8 - 1));

struct negate {
  template <class T>
  T operator()(T a) const {
    return std::bit_cast<T>(static_cast<bits_t<T>>(std::bit_cast<bits_t<T>>(a) ^ sign_bit<T>));
  }
};
struct absolute {
  template <class T>
  T operator()(T a) const {
    const auto rest = static_cast<bits_t<T>>(~sign_bit<T>);
    return std::bit_cast<T>(static_cast<bits_t<T>>(std::bit_cast<bits_t<T>>(a) & rest));
  }
};
/// The sign of the first operand, the rest of the second one.
struct copy_sign {
  template <class T>
  T operator()(T a, T b) const {
    return std::copysign(b, a);
  }
};

template <bool largest, bool keeps_nan>
struct extreme {
  template <class T>
  T operator()(T a, T b) const {
    const auto x = widened(a), y = widened(b);
    if (std::isnan(x) || std::isnan(y)) {
      if (keeps_nan) return T(std::numeric_limits<wide_t<T>>::quiet_NaN());
      return std::isnan(x) ? b : a;
    }
    const bool a_less = x < y || (x == y && std::signbit(x));
    return a_less == largest ? b : a;
  }
};

struct square_root {
  template <class T>
  T operator()(T a) const {
    return std::sqrt(a);
  }
};
struct reciprocal {
  template <class T>
  T operator()(T a) const {
    return T{1} / a;
  }
};

/// Functions that the device approximates are computed in double and rounded once.
template <double (*f)(double)>
struct approximated {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(f(static_cast<double>(a)));
  }
};
double reciprocal_root(double x) { return 1 / std::sqrt(x); }
double power_of_two(double x) { return std::exp2(x); }
double logarithm(double x) { return std::log2(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double hyperbolic_tangent(double x) { return std::tanh(x); }

template <class Op>
void add_binary_of_all(operation_table& to, const std::string& name) {
  add_binary<Op, float, double, half, bfloat>(to, name);
  add_binary<both<Op>, pair_of<half>, pair_of<bfloat>>(to, name);
}

template <class Op>
void add_unary_of_all(operation_table& to, const std::string& name) {
  add_unary<Op, float, double, half, bfloat>(to, name);
  add_unary<both<Op>, pair_of<half>, pair_of<bfloat>>(to, name);
}

/// `testp` asks for a class of numbers.
template <int kind>
struct tested {
  template <class T>
  bool operator()(T a) const {
    switch (kind) {
      case 0:
        return std::isfinite(a);
      case 1:
        return std::isinf(a);
      case 2:
        return !std::isnan(a);
      case 3:
        return std::isnan(a);
      case 4:
        return std::isnormal(a);
      default:
        return std::fpclassify(a) == FP_SUBNORMAL;
    }
  }
};

}  // namespace

void add_number_operations(operation_table& to) {
  add_binary_of_all<plus>(to, "add");
  add_binary_of_all<minus>(to, "sub");
  add_binary_of_all<times>(to, "mul");
  add_binary_of_all<extreme<false, false>>(to, "min");
  add_binary_of_all<extreme<true, false>>(to, "max");
  add_binary_of_all<extreme<false, true>>(to, "min.NaN");
  add_binary_of_all<extreme<true, true>>(to, "max.NaN");
  add_binary<divide, float, double>(to, "div");
  add_binary<copy_sign, float, double>(to, "copysign");
  for (const char* const name : {"fma", "mad"}) {
    add_ternary<multiply_add, float, double, half, bfloat>(to, name);
    add_ternary<both<multiply_add>, pair_of<half>, pair_of<bfloat>>(to, name);
  }
  add_unary_of_all<negate>(to, "neg");
  add_unary_of_all<absolute>(to, "abs");
  add_unary<square_root, float, double>(to, "sqrt");
  add_unary<reciprocal, float, double>(to, "rcp");
  add_unary<approximated<reciprocal_root>, float, double>(to, "rsqrt");
  add_unary<approximated<power_of_two>, float, half, bfloat>(to, "ex2");
  add_unary<both<approximated<power_of_two>>, pair_of<half>, pair_of<bfloat>>(to, "ex2");
  add_unary<approximated<logarithm>, float>(to, "lg2");
  add_unary<approximated<sine>, float>(to, "sin");
  add_unary<approximated<cosine>, float>(to, "cos");
  add_unary<approximated<hyperbolic_tangent>, float, half, bfloat>(to, "tanh");
  add_unary<both<approximated<hyperbolic_tangent>>, pair_of<half>, pair_of<bfloat>>(to, "tanh");
  add_unary<tested<0>, float, double>(to, "testp.finite");
  add_unary<tested<1>, float, double>(to, "testp.infinite");
  add_unary<tested<2>, float, double>(to, "testp.number");
  add_unary<tested<3>, float, double>(to, "testp.notanumber");
  add_unary<tested<4>, float, double>(to, "testp.normal");
  add_unary<tested<5>, float, double>(to, "testp.subnormal");
}

}  // namespace standin
