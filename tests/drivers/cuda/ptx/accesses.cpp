// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "operations.hpp"

namespace standin {

namespace {

/// The operands of a load are the elements of the result, then the address; those of a store the
/// address, then the elements.
template <class T>
void load(warp& w, const instruction& i, lane_mask m) {
  const std::size_t width = i.width;
  const std::uint64_t* const address = w.in(i.with[width]);
  const auto offset = static_cast<std::uint64_t>(i.offset);
  each_lane(m, [&](unsigned l) {
    const char* const from = w.at(i, i.where, address[l] + offset, width * sizeof(T), l);
    for (std::size_t k = 0; k < width; ++k) {
      T value;
      std::memcpy(&value, from + k * sizeof(T), sizeof(T));
      w.out(i.with[k])[l] = write(value);
    }
  });
}

template <class T>
void store(warp& w, const instruction& i, lane_mask m) {
  const std::size_t width = i.width;
  const std::uint64_t* const address = w.in(i.with[0]);
  const auto offset = static_cast<std::uint64_t>(i.offset);
  each_lane(m, [&](unsigned l) {
    char* const to = w.at(i, i.where, address[l] + offset, width * sizeof(T), l);
    for (std::size_t k = 0; k < width; ++k) {
      const T value = read<T>(w.in(i.with[k + 1])[l]);
      std::memcpy(to + k * sizeof(T), &value, sizeof(T));
    }
  });
}

template <class... T>
void add_all(operation_table& to) {
  ((to[named<T>("ld")] = {&load<T>, nullptr}), ...);
  ((to[named<T>("st")] = {&store<T>, nullptr}), ...);
}

std::uint64_t window_of(space where) {
  switch (where) {
    case space::shared:
      return shared_window;
    case space::local:
      return local_window;
    case space::param:
      return param_window;
    default:
      return 0;
  }
}

void to_generic(warp& w, const instruction& i, lane_mask m) {
  const std::uint64_t* const from = w.in(i.with[1]);
  std::uint64_t* const to = w.out(i.with[0]);
  const std::uint64_t window = window_of(i.where);
  each_lane(m, [&](unsigned l) { to[l] = from[l] | window; });
}

void from_generic(warp& w, const instruction& i, lane_mask m) {
  const std::uint64_t* const from = w.in(i.with[1]);
  std::uint64_t* const to = w.out(i.with[0]);
  const std::uint64_t window = window_of(i.where);
  each_lane(m, [&](unsigned l) { to[l] = from[l] & ~window; });
}

void is_in_space(warp& w, const instruction& i, lane_mask m) {
  const std::uint64_t* const from = w.in(i.with[1]);
  std::uint64_t* const to = w.out(i.with[0]);
  const std::uint64_t window = window_of(i.where) >> 56U;
  each_lane(m, [&](unsigned l) {
    const std::uint64_t top = from[l] >> 56U;
    to[l] = window != 0 ? top == window : top < 0x71;
  });
}

/// `cp.async`: a copy to shared memory, done at once. The last operand is how many bytes are not
/// zeros.
void copy_to_shared(warp& w, const instruction& i, lane_mask m) {
  const std::uint64_t* const to = w.in(i.with[0]);
  const std::uint64_t* const from = w.in(i.with[1]);
  const std::uint64_t* const bytes = w.in(i.with[2]);
  const std::uint64_t* const wanted = w.in(i.with[3]);
  each_lane(m, [&](unsigned l) {
    const std::size_t size = bytes[l];
    const std::size_t taken = std::min<std::size_t>(size, static_cast<std::uint32_t>(wanted[l]));
    char* const target = w.at(i, space::shared, to[l], size, l);
    std::memset(target, 0, size);
    if (taken > 0) std::memcpy(target, w.at(i, space::global, from[l], size, l), taken);
  });
}

}  // namespace

void add_accesses(operation_table& to) {
  add_all<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
          std::int64_t, std::uint64_t, half, float, double>(to);
  to["cvta"] = {&to_generic, nullptr};
  to["cvta.to"] = {&from_generic, nullptr};
  to["isspacep"] = {&is_in_space, nullptr};
  to["cp.async"] = {&copy_to_shared, nullptr};
}

}  // namespace standin
