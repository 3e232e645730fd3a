// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "operations.hpp"

namespace standin {

namespace {

struct plus {
  template <class T>
  T operator()(T old, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(std::uint64_t(old) + std::uint64_t(b));
    } else {
      return old + b;
    }
  }
};
struct pairs_plus {
  template <class T>
  pair_of<T> operator()(pair_of<T> old, pair_of<T> b) const {
    return {old.low + b.low, old.high + b.high};
  }
};
struct bits_and {
  template <class T>
  T operator()(T old, T b) const {
    return old & b;
  }
};
struct bits_or {
  template <class T>
  T operator()(T old, T b) const {
    return old | b;
  }
};
struct bits_xor {
  template <class T>
  T operator()(T old, T b) const {
    return old ^ b;
  }
};
struct second {
  template <class T>
  T operator()(T /*old*/, T b) const {
    return b;
  }
};
struct up_to {
  template <class T>
  T operator()(T old, T b) const {
    return old >= b ? 0 : old + 1;
  }
};
struct down_from {
  template <class T>
  T operator()(T old, T b) const {
    return old == 0 || old > b ? b : old - 1;
  }
};

/// The operands are the old value, the address and a value, for `cas` the expected value before it.
template <class Op, class T, bool compares>
void exchange(warp& w, const instruction& i, lane_mask m) {
  const std::uint64_t* const address = w.in(i.with[1]);
  const std::uint64_t* const value = w.in(i.with[compares ? 3 : 2]);
  const std::uint64_t* const expected = w.in(i.with[2]);
  std::uint64_t* const to = w.out(i.with[0]);
  each_lane(m, [&](unsigned l) {
    const std::uint64_t where = address[l] + static_cast<std::uint64_t>(i.offset);
    char* const at = w.at(i, i.where, where, sizeof(T), l);
    const std::atomic_ref<bits_t<T>> cell(*reinterpret_cast<bits_t<T>*>(at));
    bits_t<T> old = cell.load();
    for (;;) {
      if (compares && old != static_cast<bits_t<T>>(expected[l])) break;
      const T next = Op{}(std::bit_cast<T>(old), read<T>(value[l]));
      if (cell.compare_exchange_weak(old, std::bit_cast<bits_t<T>>(next))) break;
    }
    to[l] = write(std::bit_cast<T>(old));
  });
}

template <class Op, class... T>
void add(operation_table& to, const std::string& name) {
  ((to[named<T>("atom." + name)] = {&exchange<Op, T, false>, nullptr}), ...);
}

}  // namespace

void add_atomics(operation_table& to) {
  using u16 = std::uint16_t;
  using s32 = std::int32_t;
  using u32 = std::uint32_t;
  using s64 = std::int64_t;
  using u64 = std::uint64_t;
  add<plus, s32, u32, s64, u64, float, double, half, bfloat>(to, "add");
  add<pairs_plus, pair_of<half>, pair_of<bfloat>>(to, "add");
  add<smallest, s32, u32, s64, u64>(to, "min");
  add<largest, s32, u32, s64, u64>(to, "max");
  add<bits_and, u32, u64>(to, "and");
  add<bits_or, u32, u64>(to, "or");
  add<bits_xor, u32, u64>(to, "xor");
  add<second, u32, u64>(to, "exch");
  add<up_to, u32>(to, "inc");
  add<down_from, u32>(to, "dec");
  to["atom.cas.u16"] = {&exchange<second, u16, true>, nullptr};
  to["atom.cas.u32"] = {&exchange<second, u32, true>, nullptr};
  to["atom.cas.u64"] = {&exchange<second, u64, true>, nullptr};
}

}  // namespace standin
