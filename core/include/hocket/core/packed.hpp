// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <hocket/core/float16.hpp>

namespace hocket {

namespace detail {

/// Throw a usage_error for a packed_i4 and the like.
[[noreturn]] void refuse_packed_index(unsigned bits, bool is_signed, std::size_t index);
[[noreturn]] void refuse_packed_value(unsigned bits, bool is_signed, std::size_t index,
                                      std::int64_t value);
[[noreturn]] void refuse_packed_value(unsigned bits, bool is_signed, std::size_t index,
                                      std::uint64_t value);

}  // namespace detail

/// A byte that holds two integers of 4 bits or four of 2 bits. Integer 0 is in the lowest bits, as
/// in packed tensors of DLPack. A buffer of them is one of bytes to devices, files and DLPack; a
/// lambda of elementwise() or of a reduction reads them by get() and writes them by set_saturated()
/// on all devices. See packed_i4, packed_u4, packed_i2 and packed_u2.
template <unsigned Bits, bool IsSigned>
requires(Bits == 2 || Bits == 4) class packed_integers {
 public:
  /// How many integers there are, and from where to where each can be.
  static constexpr std::size_t count = 8 / Bits;
  static constexpr int lowest = IsSigned ? -(1 << (Bits - 1)) : 0;
  static constexpr int greatest = lowest + (1 << Bits) - 1;

  constexpr packed_integers() noexcept = default;
  /// One value for each integer. Throws a usage_error where one does not fit.
  template <std::integral... Values>
  requires(sizeof...(Values) == count) constexpr packed_integers(Values... values) {
    std::size_t index = 0;
    (set(index++, values), ...);
  }

  [[nodiscard]] static constexpr packed_integers from_bits(std::uint8_t bits) noexcept {
    packed_integers made;
    made.bits_ = bits;
    return made;
  }
  [[nodiscard]] constexpr std::uint8_t bits() const noexcept { return bits_; }

  /// The integer with that number, from 0 to count - 1. Throws a usage_error for another number.
  [[nodiscard]] constexpr std::int32_t get(std::size_t index) const {
    check(index);
    const int stored = bits_ >> (Bits * index) & mask;
    return IsSigned && stored > greatest ? stored - mask - 1 : stored;
  }

  /// Gives one of the integers a value. Throws a usage_error where it does not fit.
  template <std::integral Value>
  constexpr void set(std::size_t index, Value value) {
    check(index);
    if (!fits(value)) {
      using wide = std::conditional_t<std::is_signed_v<Value>, std::int64_t, std::uint64_t>;
      detail::refuse_packed_value(Bits, IsSigned, index, wide{value});
    }
    put(index, static_cast<int>(value));
  }

  /// Gives one of the integers the value that is nearest among those that fit. A fraction is cut
  /// off; a NaN gives the lowest. Throws a usage_error for an index of none.
  template <class Value>
  requires(std::is_arithmetic_v<Value> ||
           detail::is_narrow_float<Value>) constexpr void set_saturated(std::size_t index,
                                                                        Value value) {
    check(index);
    const auto number = +value;
    using type = std::remove_const_t<decltype(number)>;
    const bool is_low = std::is_signed_v<type> && !(number > static_cast<type>(lowest));
    const bool is_high = !(number < static_cast<type>(greatest));
    put(index, is_low ? lowest : is_high ? greatest : static_cast<int>(number));
  }

  [[nodiscard]] friend constexpr bool operator==(const packed_integers&,
                                                 const packed_integers&) noexcept = default;

 private:
  static constexpr int mask = (1 << Bits) - 1;

  static constexpr void check(std::size_t index) {
    if (index >= count) detail::refuse_packed_index(Bits, IsSigned, index);
  }
  template <class Value>
  [[nodiscard]] static constexpr bool fits(Value value) noexcept {
    if constexpr (std::is_signed_v<Value>) {
      return value >= lowest && value <= greatest;
    } else {
      return value <= static_cast<unsigned>(greatest);
    }
  }
  constexpr void put(std::size_t index, int value) noexcept {
    const auto place = static_cast<int>(Bits * index);
    bits_ = static_cast<std::uint8_t>((bits_ & ~(mask << place)) | (value & mask) << place);
  }

  std::uint8_t bits_ = 0;
};

/// Two integers from -8 to 7.
using packed_i4 = packed_integers<4, true>;
/// Two integers from 0 to 15.
using packed_u4 = packed_integers<4, false>;
/// Four integers from -2 to 1.
using packed_i2 = packed_integers<2, true>;
/// Four integers from 0 to 3.
using packed_u2 = packed_integers<2, false>;

namespace detail {
template <class T>
inline constexpr bool is_packed = false;
template <unsigned Bits, bool IsSigned>
inline constexpr bool is_packed<packed_integers<Bits, IsSigned>> = true;
}  // namespace detail

}  // namespace hocket
