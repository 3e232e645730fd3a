// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "element_types.hpp"

#include <array>
#include <concepts>
#include <cstring>
#include <limits>

namespace hocket::python {

namespace {

struct named_type {
  element_type type;
  std::string_view name;
  std::string_view typestr;
};

constexpr std::array named_types{
    named_type{element_type::f32, "float32", "<f4"},
    named_type{element_type::f64, "float64", "<f8"},
    named_type{element_type::f16, "float16", "<f2"},
    named_type{element_type::bf16, "bfloat16", "<u2"},
    named_type{element_type::i8, "int8", "|i1"},
    named_type{element_type::u8, "uint8", "|u1"},
    named_type{element_type::i16, "int16", "<i2"},
    named_type{element_type::u16, "uint16", "<u2"},
    named_type{element_type::i32, "int32", "<i4"},
    named_type{element_type::u32, "uint32", "<u4"},
    named_type{element_type::i64, "int64", "<i8"},
    named_type{element_type::u64, "uint64", "<u8"},
    named_type{element_type::c64, "complex64", "<c8"},
    named_type{element_type::c128, "complex128", "<c16"},
    named_type{element_type::boolean, "bool", "|b1"},
    named_type{element_type::f8e4m3, "float8_e4m3fn", "|u1"},
    named_type{element_type::f8e5m2, "float8_e5m2", "|u1"},
};

std::string text_of(const nb::handle& object) { return nb::cast<std::string>(nb::str(object)); }

/// A Python integer, also one of numpy; an empty handle if the object is none.
nb::object integer_of(const nb::handle& number) {
  PyObject* const made = PyNumber_Index(number.ptr());
  if (made == nullptr) PyErr_Clear();
  return nb::steal(made);
}

template <std::integral T>
scalar_argument integer(const nb::handle& number, const std::string& what, element_type type) {
  const nb::object whole = integer_of(number);
  if (!whole.is_valid()) {
    raise_type_error(what + " is " + text_of(nb::repr(number)) + "; it has to be an integer, a " +
                     name_of(type) + ".");
  }
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  bool fits = overflow == 0;
  auto made = static_cast<T>(value);
  if constexpr (std::same_as<T, std::uint64_t>) {
    if (overflow > 0) {
      made = PyLong_AsUnsignedLongLong(whole.ptr());
      fits = PyErr_Occurred() == nullptr;
      PyErr_Clear();
    } else {
      fits = fits && value >= 0;
    }
  } else {
    fits = fits && std::in_range<T>(value);
  }
  if (!fits) {
    raise_value_error(what + " is " + text_of(whole) + "; a " + name_of(type) + " is from " +
                      std::to_string(std::numeric_limits<T>::min()) + " to " +
                      std::to_string(std::numeric_limits<T>::max()) + ".");
  }
  return scalar_argument::of(made);
}

double floating(const nb::handle& number, const std::string& what, element_type type) {
  const double value = PyFloat_AsDouble(number.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise_type_error(what + " is " + text_of(nb::repr(number)) + "; it has to be a number, a " +
                     name_of(type) + ".");
  }
  return value;
}

template <class T>
T read(const void* value) {
  T made;
  std::memcpy(&made, value, sizeof made);
  return made;
}

}  // namespace

std::optional<element_type> element_type_named(std::string_view name) {
  for (const named_type& each : named_types) {
    if (each.name == name) return each.type;
  }
  return {};
}

std::string name_of(element_type type) {
  for (const named_type& each : named_types) {
    if (each.type == type) return std::string(each.name);
  }
  return "void" + std::to_string(8 * size_of(type));
}

std::string typestr_of(element_type type) {
  for (const named_type& each : named_types) {
    if (each.type == type) return std::string(each.typestr);
  }
  return "|V" + std::to_string(size_of(type));
}

element_type element_type_of_dtype(const nb::handle& dtype) {
  const auto name = nb::cast<std::string>(dtype.attr("name"));
  const bool is_native = nb::cast<bool>(dtype.attr("isnative"));
  if (const auto found = element_type_named(name); found && is_native) return *found;
  const auto bytes = nb::cast<std::size_t>(dtype.attr("itemsize"));
  const bool has_fields = !dtype.attr("fields").is_none();
  const bool has_objects = nb::cast<bool>(dtype.attr("hasobject"));
  if (is_native && has_fields && !has_objects && bytes > 0 && bytes <= most_bytes_of_structure) {
    return structure_of(bytes);
  }
  raise_type_error("A buffer cannot hold elements of the dtype " + text_of(nb::repr(dtype)) +
                   "; it holds bool, int8 to int64, uint8 to uint64, float16, bfloat16, "
                   "float8_e4m3fn, float8_e5m2, float32, float64, complex64, complex128 and "
                   "structures of them, in the byte order of "
                   "this machine.");
}

scalar_argument number_of(const nb::handle& number, element_type type, const std::string& what) {
  switch (type) {
    case element_type::f32:
      return scalar_argument::of(static_cast<float>(floating(number, what, type)));
    case element_type::f64:
      return scalar_argument::of(floating(number, what, type));
    case element_type::f16:
      return scalar_argument::of(float16(static_cast<float>(floating(number, what, type))));
    case element_type::bf16:
      return scalar_argument::of(bfloat16(static_cast<float>(floating(number, what, type))));
    case element_type::f8e4m3:
      return scalar_argument::of(float8_e4m3(static_cast<float>(floating(number, what, type))));
    case element_type::f8e5m2:
      return scalar_argument::of(float8_e5m2(static_cast<float>(floating(number, what, type))));
    case element_type::i8:
      return integer<std::int8_t>(number, what, type);
    case element_type::u8:
      return integer<std::uint8_t>(number, what, type);
    case element_type::i16:
      return integer<std::int16_t>(number, what, type);
    case element_type::u16:
      return integer<std::uint16_t>(number, what, type);
    case element_type::i32:
      return integer<std::int32_t>(number, what, type);
    case element_type::u32:
      return integer<std::uint32_t>(number, what, type);
    case element_type::i64:
      return integer<std::int64_t>(number, what, type);
    case element_type::u64:
      return integer<std::uint64_t>(number, what, type);
    case element_type::boolean: {
      const int truth = PyObject_IsTrue(number.ptr());
      if (truth < 0) throw nb::python_error();
      return scalar_argument::of(truth != 0);
    }
    case element_type::c64:
    case element_type::c128:
    case element_type::structures:
      break;
  }
  raise_type_error(what + " cannot be a " + name_of(type) +
                   "; a kernel is given real numbers and bool by value.");
}

nb::object to_python(const void* value, element_type type) {
  switch (type) {
    case element_type::f32:
      return nb::cast(static_cast<double>(read<float>(value)));
    case element_type::f64:
      return nb::cast(read<double>(value));
    case element_type::f16:
      return nb::cast(static_cast<double>(static_cast<float>(read<float16>(value))));
    case element_type::bf16:
      return nb::cast(static_cast<double>(static_cast<float>(read<bfloat16>(value))));
    case element_type::f8e4m3:
      return nb::cast(static_cast<double>(static_cast<float>(read<float8_e4m3>(value))));
    case element_type::f8e5m2:
      return nb::cast(static_cast<double>(static_cast<float>(read<float8_e5m2>(value))));
    case element_type::i8:
      return nb::int_(static_cast<long long>(read<std::int8_t>(value)));
    case element_type::u8:
      return nb::int_(static_cast<long long>(read<std::uint8_t>(value)));
    case element_type::i16:
      return nb::int_(static_cast<long long>(read<std::int16_t>(value)));
    case element_type::u16:
      return nb::int_(static_cast<long long>(read<std::uint16_t>(value)));
    case element_type::i32:
      return nb::int_(static_cast<long long>(read<std::int32_t>(value)));
    case element_type::u32:
      return nb::int_(static_cast<long long>(read<std::uint32_t>(value)));
    case element_type::i64:
      return nb::int_(static_cast<long long>(read<std::int64_t>(value)));
    case element_type::u64:
      return nb::int_(static_cast<unsigned long long>(read<std::uint64_t>(value)));
    case element_type::boolean:
      return nb::bool_(read<bool>(value));
    case element_type::c64:
    case element_type::c128:
    case element_type::structures:
      break;
  }
  return nb::none();
}

void raise_type_error(const std::string& message) { throw nb::type_error(message.c_str()); }
void raise_value_error(const std::string& message) { throw nb::value_error(message.c_str()); }

}  // namespace hocket::python
