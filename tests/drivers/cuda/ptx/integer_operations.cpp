// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "operations.hpp"

namespace standin {

namespace {

__extension__ using signed_128 = __int128;
__extension__ using unsigned_128 = unsigned __int128;

/// A type of twice the bits.
template <class T>
struct doubled;
template <>
struct doubled<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct doubled<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct doubled<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct doubled<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct doubled<std::int64_t> {
  using type = signed_128;
};
template <>
struct doubled<std::uint64_t> {
  using type = unsigned_128;
};
template <class T>
using doubled_t = typename doubled<T>::type;

template <class T>
doubled_t<T> product(T a, T b) {
  return static_cast<doubled_t<T>>(static_cast<doubled_t<T>>(a) * static_cast<doubled_t<T>>(b));
}
template <class T>
T wrapped_sum(T a, T b) {
  return static_cast<T>(std::uint64_t(a) + std::uint64_t(b));
}

struct plus {
  template <class T>
  T operator()(T a, T b) const {
    return wrapped_sum(a, b);
  }
};
struct minus {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(std::uint64_t(a) - std::uint64_t(b));
  }
};
template <bool subtract>
struct saturated_sum {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int64_t exact = subtract ? std::int64_t{a} - b : std::int64_t{a} + b;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(
        exact, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
  }
};
struct low_product {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(std::uint64_t(a) * std::uint64_t(b));
  }
};
struct high_product {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(product(a, b) >> (sizeof(T) * 8));
  }
};
struct wide_product {
  template <class T>
  doubled_t<T> operator()(T a, T b) const {
    return product(a, b);
  }
};
template <class Product>
struct multiply_add {
  template <class T, class Sum>
  Sum operator()(T a, T b, Sum c) const {
    return wrapped_sum<Sum>(Product{}(a, b), c);
  }
};
struct product_24 {
  template <class T>
  T operator()(T a, T b) const {
    const auto part = [](T v) {
      return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(v) << 8U) >> 8);
    };
    return low_product{}(part(a), part(b));
  }
};
struct difference_sum {
  template <class T>
  T operator()(T a, T b, T c) const {
    return wrapped_sum<T>(c, a < b ? minus{}(b, a) : minus{}(a, b));
  }
};

/// A division by zero gives all ones, as devices do.
struct quotient {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~T{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return minus{}(T{0}, a);
    return static_cast<T>(a / b);
  }
};
struct remainder {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

struct negate {
  template <class T>
  T operator()(T a) const {
    return minus{}(T{0}, a);
  }
};
struct absolute {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? minus{}(T{0}, a) : a;
  }
};

/// The sum of the products of four bytes each.
template <class A, class B>
struct dot_of_bytes {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (unsigned k = 0; k < 32; k += 8) {
      c += static_cast<std::uint32_t>(static_cast<A>(a >> k) * static_cast<B>(b >> k));
    }
    return c;
  }
};

/// The sum of the products of two words of 16 bits and two bytes, the low or the high ones.
template <class A, class B, unsigned first_byte>
struct dot_of_words {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    for (unsigned k = 0; k < 2; ++k) {
      c += static_cast<std::uint32_t>(static_cast<A>(a >> (16 * k)) *
                                      static_cast<B>(b >> (8 * (k + first_byte))));
    }
    return c;
  }
};

template <class A, class B>
void add_dots_of_words(operation_table& to, const std::string& types) {
  using u32 = std::uint32_t;
  add_one<dot_of_words<A, B, 0>, u32, u32, u32>(to, "dp2a.lo." + types);
  add_one<dot_of_words<A, B, 2>, u32, u32, u32>(to, "dp2a.hi." + types);
}

/// Sums and differences that continue over several words. The operands are those of the
/// instruction, with a third one for products, then where the carry is and where it goes.
enum class term_of { operand, low_product, high_product };
template <class T, term_of first, bool subtracts>
void carry_on(warp& w, const instruction& i, lane_mask m) {
  constexpr bool multiplies = first != term_of::operand;
  const std::uint64_t* const a = w.in(i.with[1]);
  const std::uint64_t* const b = w.in(i.with[2]);
  const std::uint64_t* const c = w.in(i.with[multiplies ? 3 : 2]);
  const std::uint64_t* const carried = w.in(i.with[multiplies ? 4 : 3]);
  std::uint64_t* const carries = w.out(i.with[multiplies ? 5 : 4]);
  std::uint64_t* const to = w.out(i.with[0]);
  each_lane(m, [&](unsigned l) {
    T x = read<T>(a[l]);
    if (first == term_of::low_product) x = low_product{}(x, read<T>(b[l]));
    if (first == term_of::high_product) x = high_product{}(x, read<T>(b[l]));
    const auto wide = static_cast<unsigned_128>(read<T>(c[l])) + (carried[l] & 1U);
    const auto result = subtracts ? static_cast<unsigned_128>(x) - wide : x + wide;
    to[l] = static_cast<T>(result);
    carries[l] = (result >> (sizeof(T) * 8)) != 0 ? 1 : 0;
  });
}

template <class T>
void add_carries(operation_table& to) {
  to[named<T>("carry.add")] = {&carry_on<T, term_of::operand, false>, nullptr};
  to[named<T>("carry.sub")] = {&carry_on<T, term_of::operand, true>, nullptr};
  to[named<T>("carry.mad.lo")] = {&carry_on<T, term_of::low_product, false>, nullptr};
  to[named<T>("carry.mad.hi")] = {&carry_on<T, term_of::high_product, false>, nullptr};
}

template <class Op, class... T>
void add_wide_sums(operation_table& to, const std::string& name) {
  (add_one<multiply_add<Op>, T, T, doubled_t<T>>(to, named<T>(name)), ...);
}

}  // namespace

void add_integer_operations(operation_table& to) {
  using s8 = std::int8_t;
  using u8 = std::uint8_t;
  using s16 = std::int16_t;
  using u16 = std::uint16_t;
  using s32 = std::int32_t;
  using u32 = std::uint32_t;
  using s64 = std::int64_t;
  using u64 = std::uint64_t;
  add_binary<plus, s16, u16, s32, u32, s64, u64>(to, "add");
  add_binary<minus, s16, u16, s32, u32, s64, u64>(to, "sub");
  add_binary<saturated_sum<false>, s32>(to, "add.sat");
  add_binary<saturated_sum<true>, s32>(to, "sub.sat");
  add_binary<low_product, s16, u16, s32, u32, s64, u64>(to, "mul.lo");
  add_binary<high_product, s16, u16, s32, u32, s64, u64>(to, "mul.hi");
  add_binary<wide_product, s16, u16, s32, u32>(to, "mul.wide");
  add_ternary<multiply_add<low_product>, s16, u16, s32, u32, s64, u64>(to, "mad.lo");
  add_ternary<multiply_add<high_product>, s16, u16, s32, u32, s64, u64>(to, "mad.hi");
  add_wide_sums<wide_product, s16, u16, s32, u32>(to, "mad.wide");
  add_binary<product_24, s32, u32>(to, "mul24.lo");
  add_ternary<multiply_add<product_24>, s32, u32>(to, "mad24.lo");
  add_ternary<difference_sum, s16, u16, s32, u32, s64, u64>(to, "sad");
  add_binary<quotient, s16, u16, s32, u32, s64, u64>(to, "div");
  add_binary<remainder, s16, u16, s32, u32, s64, u64>(to, "rem");
  add_unary<negate, s16, s32, s64>(to, "neg");
  add_unary<absolute, s16, s32, s64>(to, "abs");
  add_binary<smallest, s16, u16, s32, u32, s64, u64>(to, "min");
  add_binary<largest, s16, u16, s32, u32, s64, u64>(to, "max");
  add_dots_of_words<s16, s8>(to, "s32.s32");
  add_dots_of_words<s16, u8>(to, "s32.u32");
  add_dots_of_words<u16, s8>(to, "u32.s32");
  add_dots_of_words<u16, u8>(to, "u32.u32");
  add_carries<u32>(to);
  add_carries<u64>(to);
  add_one<dot_of_bytes<s8, s8>, u32, u32, u32>(to, "dp4a.s32.s32");
  add_one<dot_of_bytes<s8, u8>, u32, u32, u32>(to, "dp4a.s32.u32");
  add_one<dot_of_bytes<u8, s8>, u32, u32, u32>(to, "dp4a.u32.s32");
  add_one<dot_of_bytes<u8, u8>, u32, u32, u32>(to, "dp4a.u32.u32");
}

}  // namespace standin
