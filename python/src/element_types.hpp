// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <hocket/core/dtype.hpp>
#include <hocket/kernels/argument.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace hocket::python {

namespace nb = nanobind;

/// The element type that numpy calls by that name, as in "float32"; none if there is none.
[[nodiscard]] std::optional<element_type> element_type_named(std::string_view name);

/// What numpy calls the type; "void24" for a structure of 24 bytes.
[[nodiscard]] std::string name_of(element_type type);

/// How the array interface of numpy writes the type: "<f4". A type that numpy has not, such as
/// bfloat16, is written as an integer of as many bits.
[[nodiscard]] std::string typestr_of(element_type type);

/// The element type of an object numpy.dtype. Throws type_error, naming the dtype, if buffers
/// cannot hold it.
[[nodiscard]] element_type element_type_of_dtype(const nb::handle& dtype);

/// A Python number as a number of that type. `what` begins the message of the TypeError or
/// ValueError that is raised where the number does not fit.
[[nodiscard]] scalar_argument number_of(const nb::handle& number, element_type type,
                                        const std::string& what);

/// A number of Hocket as one of Python.
[[nodiscard]] nb::object to_python(const void* value, element_type type);

[[nodiscard]] constexpr bool is_floating(element_type type) noexcept {
  return type == element_type::f64 || computed_type(type) == element_type::f32;
}

/// Raises TypeError or ValueError.
[[noreturn]] void raise_type_error(const std::string& message);
[[noreturn]] void raise_value_error(const std::string& message);

}  // namespace hocket::python
