// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <hocket/core/float16.hpp>
#include <hocket/core/float8.hpp>
#include <hocket/core/packed.hpp>

namespace hocket {

/// The type of one element of a buffer: one of those named here, or a structure, of which the
/// library knows the size alone; see structure_of().
enum class element_type : std::uint32_t {
  f32,
  f64,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,              ///< float16
  bf16,             ///< bfloat16
  c64,              ///< std::complex<float>
  c128,             ///< std::complex<double>
  boolean,          ///< bool, a byte that is 0 or 1
  f8e4m3,           ///< float8_e4m3
  f8e5m2,           ///< float8_e5m2
  structures = 256  ///< values from here on are structures
};

/// The most bytes of one structure.
inline constexpr std::size_t most_bytes_of_structure = 65536;

/// The type of structures of that many bytes, one to most_bytes_of_structure.
[[nodiscard]] constexpr element_type structure_of(std::size_t bytes) noexcept {
  return static_cast<element_type>(static_cast<std::uint32_t>(element_type::structures) +
                                   static_cast<std::uint32_t>(bytes));
}
[[nodiscard]] constexpr bool is_structure(element_type type) noexcept {
  return type >= element_type::structures;
}

[[nodiscard]] constexpr std::size_t size_of(element_type type) noexcept {
  switch (type) {
    case element_type::i8:
    case element_type::u8:
    case element_type::boolean:
    case element_type::f8e4m3:
    case element_type::f8e5m2:
      return 1;
    case element_type::i16:
    case element_type::u16:
    case element_type::f16:
    case element_type::bf16:
      return 2;
    case element_type::f32:
    case element_type::i32:
    case element_type::u32:
      return 4;
    case element_type::f64:
    case element_type::i64:
    case element_type::u64:
    case element_type::c64:
      return 8;
    case element_type::c128:
      return 16;
    case element_type::structures:
      break;
  }
  return static_cast<std::size_t>(type) - static_cast<std::size_t>(element_type::structures);
}

/// The address of an element is a multiple of it: the largest power of two up to 8 that divides its
/// size; of a complex number, that of its parts.
[[nodiscard]] constexpr std::size_t alignment_of(element_type type) noexcept {
  const std::size_t size = type == element_type::c64 ? 4 : size_of(type);
  std::size_t unit = 1;
  while (unit < 8 && size % (2 * unit) == 0) unit *= 2;
  return unit;
}

/// True for numbers of 8 and 16 bits that are computed with as floats.
[[nodiscard]] constexpr bool is_computed_as_float(element_type type) noexcept {
  return type == element_type::f16 || type == element_type::bf16 || type == element_type::f8e4m3 ||
         type == element_type::f8e5m2;
}
/// The type in which numbers of that type are computed with.
[[nodiscard]] constexpr element_type computed_type(element_type type) noexcept {
  return is_computed_as_float(type) ? element_type::f32 : type;
}

/// True for what a file or a caller may name: a type from above, or a structure of one byte to
/// most_bytes_of_structure.
[[nodiscard]] constexpr bool is_element_type(std::uint64_t number) noexcept {
  constexpr auto first = static_cast<std::uint64_t>(element_type::structures);
  return number <= static_cast<std::uint64_t>(element_type::f8e5m2) ||
         (number > first && number <= first + most_bytes_of_structure);
}

/// The name of the type as it is written in C++: "float", "double", "int8", "uint8" and so on; "24
/// bytes" of a structure.
[[nodiscard]] std::string to_string(element_type type);

namespace detail {
template <class T>
consteval element_type integer_type() {
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 1) return is_signed ? element_type::i8 : element_type::u8;
  if constexpr (sizeof(T) == 2) return is_signed ? element_type::i16 : element_type::u16;
  if constexpr (sizeof(T) == 4) return is_signed ? element_type::i32 : element_type::u32;
  if constexpr (sizeof(T) == 8) return is_signed ? element_type::i64 : element_type::u64;
  return structure_of(sizeof(T));
}

/// True for std::complex<Part>, and for other classes of two such parts, without its header, which
/// would be read wherever this one is.
template <class T, class Part>
inline constexpr bool is_complex_of = false;
template <class T, class Part>
requires(sizeof(T) == 2 * sizeof(Part) && requires(const T& z) {
  requires std::same_as<typename T::value_type, Part>;
  { z.real() } -> std::same_as<Part>;
  { z.imag() } -> std::same_as<Part>;
}) inline constexpr bool is_complex_of<T, Part> = true;

template <class T>
consteval element_type element_type_for() {
  if constexpr (std::is_same_v<T, float>) return element_type::f32;
  if constexpr (std::is_same_v<T, double>) return element_type::f64;
  if constexpr (std::is_same_v<T, float16>) return element_type::f16;
  if constexpr (std::is_same_v<T, bfloat16>) return element_type::bf16;
  if constexpr (std::is_same_v<T, float8_e4m3>) return element_type::f8e4m3;
  if constexpr (std::is_same_v<T, float8_e5m2>) return element_type::f8e5m2;
  if constexpr (is_packed<T>) return element_type::u8;
  if constexpr (is_complex_of<T, float>) return element_type::c64;
  if constexpr (is_complex_of<T, double>) return element_type::c128;
  if constexpr (std::is_same_v<T, bool>) return element_type::boolean;
  if constexpr (std::is_enum_v<T>) return integer_type<std::underlying_type_t<T>>();
  if constexpr (std::is_integral_v<T>) return integer_type<T>();
  return structure_of(sizeof(T));
}
}  // namespace detail

/// A number that a kernel may be given or return by value: float, double, float16, bfloat16,
/// float8_e4m3, float8_e5m2, bool and the integers of 8 to 64 bits.
template <class T>
concept number_element = std::is_same_v<T, std::remove_cv_t<T>> &&
    (std::is_same_v<T, float> || std::is_same_v<T, double> || detail::is_narrow_float<T> ||
     (std::is_integral_v<T> && sizeof(T) <= 8));

/// A buffer may hold it: numbers, std::complex, enumerations and structures whose bytes may be
/// copied. Not pointers, which mean nothing in the memory of a device.
template <class T>
concept element =
    std::is_same_v<T, std::remove_cv_t<T>> && std::is_object_v<T> &&
    std::is_trivially_copyable_v<T> && std::is_copy_assignable_v<T> && !std::is_pointer_v<T> &&
    !std::is_null_pointer_v<T> && !std::is_member_pointer_v<T> && !std::is_array_v<T> &&
    sizeof(T) <= most_bytes_of_structure && alignof(T) <= 64;

template <element T>
inline constexpr element_type element_type_of = detail::element_type_for<T>();

}  // namespace hocket
