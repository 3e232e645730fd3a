// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "operations.hpp"

namespace standin {

namespace {

struct bit_and {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct bit_or {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct bit_xor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct bit_not {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_same_v<T, bool>) {
      return !a;
    } else {
      return static_cast<T>(~a);
    }
  }
};
struct is_zero {
  template <class T>
  T operator()(T a) const {
    return a == 0 ? 1 : 0;
  }
};

template <class T>
constexpr unsigned width = sizeof(T) * 8;

struct shift_left {
  template <class T>
  T operator()(T a, std::uint32_t by) const {
    return by < width<T> ? static_cast<T>(std::uint64_t(a) << by) : T{0};
  }
};
struct shift_right {
  template <class T>
  T operator()(T a, std::uint32_t by) const {
    if (by >= width<T>) return static_cast<T>(std::is_signed_v<T> && a < 0 ? -1 : 0);
    return static_cast<T>(a >> by);
  }
};

template <bool left, bool wraps>
struct funnel_shift {
  std::uint32_t operator()(std::uint32_t low, std::uint32_t high, std::uint32_t by) const {
    by = wraps ? by & 31U : std::min(by, 32U);
    const std::uint64_t both = std::uint64_t{high} << 32U | low;
    return static_cast<std::uint32_t>(left ? both << by >> 32U : both >> by);
  }
};

struct count_ones {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct leading_zeros {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct reversed {
  template <class T>
  T operator()(T a) const {
    T result = 0;
    for (unsigned k = 0; k < width<T>; ++k) {
      result = static_cast<T>(result << 1U | (a >> k & 1U));
    }
    return result;
  }
};
/// The place of the highest bit that differs from the sign.
template <bool as_shift>
struct highest_bit {
  template <class T>
  std::uint32_t operator()(T a) const {
    using bits = std::make_unsigned_t<T>;
    const auto b = static_cast<bits>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (b == 0) return ~std::uint32_t{0};
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(b));
    return as_shift ? zeros : width<T> - 1 - zeros;
  }
};

struct extract {
  template <class T>
  T operator()(T a, std::uint32_t from, std::uint32_t count) const {
    from &= 0xFFU;
    count &= 0xFFU;
    if (count == 0) return 0;
    const unsigned last = std::min(from + count - 1, width<T> - 1);
    const bool sign = std::is_signed_v<T> && (std::uint64_t(a) >> last & 1U) != 0;
    std::uint64_t value = from < width<T> ? std::uint64_t(a) >> from : 0;
    if (count < 64) {
      const std::uint64_t ones = (std::uint64_t{1} << count) - 1;
      value &= ones;
      const std::uint64_t within = from < width<T> ? std::uint64_t{1} << (last - from) : 1;
      if (sign) value |= ~(within | (within - 1));
    }
    return static_cast<T>(value);
  }
};
struct insert {
  template <class T>
  T operator()(T a, T b, std::uint32_t at, std::uint32_t count) const {
    at &= 0xFFU;
    count &= 0xFFU;
    if (at >= width<T>) return b;
    const std::uint64_t ones = count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
    return static_cast<T>((b & ~(ones << at)) | (std::uint64_t{a} & ones) << at);
  }
};

/// `prmt`: each result byte is one of eight, or eight times its sign.
std::uint32_t permuted(std::uint32_t a, std::uint32_t b, std::uint32_t selectors) {
  const std::uint64_t bytes = std::uint64_t{b} << 32U | a;
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint32_t s = selectors >> (4 * k) & 0xFU;
    auto byte = static_cast<std::uint32_t>(bytes >> (8 * (s & 7U)) & 0xFFU);
    if ((s & 8U) != 0) byte = (byte & 0x80U) != 0 ? 0xFFU : 0U;
    result |= byte << (8 * k);
  }
  return result;
}

/// The selectors of the modes of `prmt`, from a number between 0 and 3.
enum class permutation { any, forward, backward, replicate8, edge_left, edge_right, replicate16 };
template <permutation mode>
struct permute {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    if (mode == permutation::any) return permuted(a, b, c);
    const std::uint32_t n = c & 3U;
    std::uint32_t selectors = 0;
    for (std::uint32_t k = 0; k < 4; ++k) {
      std::uint32_t s = n;
      if (mode == permutation::forward) s = n + k;
      if (mode == permutation::backward) s = (n + 8 - k) & 7U;
      if (mode == permutation::edge_left) s = std::max(n, k);
      if (mode == permutation::edge_right) s = std::min(n, k);
      if (mode == permutation::replicate16) s = (n & 1U) * 2 + (k & 1U);
      selectors |= s << (4 * k);
    }
    return permuted(a, b, selectors);
  }
};

/// Any function of three bits: bit `4a + 2b + c` of the table.
struct look_up {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                           std::uint32_t table) const {
    std::uint32_t result = 0;
    for (unsigned k = 0; k < 8; ++k) {
      if ((table >> k & 1U) == 0) continue;
      result |= ((k & 4U) != 0 ? a : ~a) & ((k & 2U) != 0 ? b : ~b) & ((k & 1U) != 0 ? c : ~c);
    }
    return result;
  }
};

struct same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};
struct chosen {
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b, bool first) const {
    return first ? a : b;
  }
};

/// Joins the low bits of several registers: {first, second, ...}.
template <class Part, class... Rest>
struct joined {
  std::uint64_t operator()(Part first, Rest... rest) const {
    std::uint64_t result = first;
    unsigned at = width<Part>;
    ((result |= std::uint64_t{rest} << at, at += width<Part>), ...);
    return result;
  }
};
template <class Part, unsigned n>
struct part_of {
  Part operator()(std::uint64_t whole) const {
    return static_cast<Part>(whole >> (n * width<Part>));
  }
};

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

void add_moves(operation_table& to) {
  add_one<same, u64>(to, "mov");
  add_one<chosen, u64, u64, bool>(to, "selp");
  add_one<joined<u8, u8>, u8, u8>(to, "join2.u16");
  add_one<joined<u16, u16>, u16, u16>(to, "join2.u32");
  add_one<joined<u32, u32>, u32, u32>(to, "join2.u64");
  add_one<joined<u8, u8, u8, u8>, u8, u8, u8, u8>(to, "join4.u32");
  add_one<joined<u16, u16, u16, u16>, u16, u16, u16, u16>(to, "join4.u64");
  add_one<part_of<u8, 0>, u64>(to, "part0.u8");
  add_one<part_of<u8, 1>, u64>(to, "part1.u8");
  add_one<part_of<u8, 2>, u64>(to, "part2.u8");
  add_one<part_of<u8, 3>, u64>(to, "part3.u8");
  add_one<part_of<u16, 0>, u64>(to, "part0.u16");
  add_one<part_of<u16, 1>, u64>(to, "part1.u16");
  add_one<part_of<u16, 2>, u64>(to, "part2.u16");
  add_one<part_of<u16, 3>, u64>(to, "part3.u16");
  add_one<part_of<u32, 0>, u64>(to, "part0.u32");
  add_one<part_of<u32, 1>, u64>(to, "part1.u32");
}

template <class... T>
void add_shifts(operation_table& to) {
  (add_one<shift_left, T, u32>(to, named<T>("shl")), ...);
  (add_one<shift_right, T, u32>(to, named<T>("shr")), ...);
}
template <class... T>
void add_fields(operation_table& to) {
  (add_one<extract, T, u32, u32>(to, named<T>("bfe")), ...);
  add_unary<highest_bit<false>, T...>(to, "bfind");
  add_unary<highest_bit<true>, T...>(to, "bfind.shiftamt");
}

}  // namespace

void add_bit_operations(operation_table& to) {
  add_moves(to);
  add_binary<bit_and, bool, u16, u32, u64>(to, "and");
  add_binary<bit_or, bool, u16, u32, u64>(to, "or");
  add_binary<bit_xor, bool, u16, u32, u64>(to, "xor");
  add_unary<bit_not, bool, u16, u32, u64>(to, "not");
  add_unary<is_zero, u16, u32, u64>(to, "cnot");
  add_shifts<std::int16_t, u16, std::int32_t, u32, std::int64_t, u64>(to);
  add_one<funnel_shift<true, true>, u32, u32, u32>(to, "shf.l.wrap.u32");
  add_one<funnel_shift<true, false>, u32, u32, u32>(to, "shf.l.clamp.u32");
  add_one<funnel_shift<false, true>, u32, u32, u32>(to, "shf.r.wrap.u32");
  add_one<funnel_shift<false, false>, u32, u32, u32>(to, "shf.r.clamp.u32");
  add_unary<count_ones, u32, u64>(to, "popc");
  add_unary<leading_zeros, u32, u64>(to, "clz");
  add_unary<reversed, u32, u64>(to, "brev");
  add_fields<std::int32_t, u32, std::int64_t, u64>(to);
  add_one<insert, u32, u32, u32, u32>(to, "bfi.u32");
  add_one<insert, u64, u64, u32, u32>(to, "bfi.u64");
  add_one<look_up, u32, u32, u32, u32>(to, "lop3.u32");
  add_one<permute<permutation::any>, u32, u32, u32>(to, "prmt.u32");
  add_one<permute<permutation::forward>, u32, u32, u32>(to, "prmt.u32.f4e");
  add_one<permute<permutation::backward>, u32, u32, u32>(to, "prmt.u32.b4e");
  add_one<permute<permutation::replicate8>, u32, u32, u32>(to, "prmt.u32.rc8");
  add_one<permute<permutation::edge_left>, u32, u32, u32>(to, "prmt.u32.ecl");
  add_one<permute<permutation::edge_right>, u32, u32, u32>(to, "prmt.u32.ecr");
  add_one<permute<permutation::replicate16>, u32, u32, u32>(to, "prmt.u32.rc16");
}

}  // namespace standin
