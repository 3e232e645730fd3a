// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "array_view.hpp"

#include <nanobind/ndarray.h>

#include <hocket/scheduler/dlpack_abi.hpp>

#include "element_types.hpp"

namespace hocket::python {

namespace {

/// Where an array without elements begins.
alignas(64) char no_elements[64];

void* address_of(const buffer_argument& content) {
  return content.base != nullptr ? content.base : no_elements;
}

nb::tuple as_tuple(const index_list& numbers, std::size_t times) {
  nb::list made;
  for (const std::size_t each : numbers) made.append(each * times);
  return nb::tuple(made);
}

nb::dlpack::dtype dlpack_type_of(element_type type) {
  using nb::dlpack::dtype_code;
  const auto bits = static_cast<std::uint8_t>(8 * size_of(type));
  const auto as = [bits](auto code) {
    return nb::dlpack::dtype{static_cast<std::uint8_t>(code), bits, 1};
  };
  switch (type) {
    case element_type::f32:
    case element_type::f64:
    case element_type::f16:
      return as(dtype_code::Float);
    case element_type::bf16:
      return as(dtype_code::Bfloat);
    case element_type::i8:
    case element_type::i16:
    case element_type::i32:
    case element_type::i64:
      return as(dtype_code::Int);
    case element_type::u8:
    case element_type::u16:
    case element_type::u32:
    case element_type::u64:
      return as(dtype_code::UInt);
    case element_type::c64:
    case element_type::c128:
      return as(dtype_code::Complex);
    case element_type::boolean:
      return as(dtype_code::Bool);
    case element_type::f8e4m3:
      return as(dlpack::type_codes::float8_e4m3fn);
    case element_type::f8e5m2:
      return as(dlpack::type_codes::float8_e5m2);
    case element_type::structures:
      break;
  }
  raise_type_error("DLPack has no type for the elements of the buffer, " + name_of(type) + ".");
}

template <class Array>
nb::object tensor_over(const buffer_argument& content, const nb::object& owner) {
  std::vector<std::int64_t> strides;
  for (const std::size_t each : content.strides) strides.push_back(static_cast<std::int64_t>(each));
  return nb::cast(Array(address_of(content), content.extents.size(), content.extents.data(), owner,
                        strides.data(), dlpack_type_of(content.type), nb::device::cpu::value, 0),
                  nb::rv_policy::reference);
}

}  // namespace

nb::dict array_view::array_interface() const {
  if (closed_) raise_value_error("The view of a buffer was closed; open another one.");
  const std::size_t bytes = size_of(content_.type);
  nb::dict made;
  made["version"] = 3;
  made["shape"] = as_tuple(content_.extents, 1);
  made["strides"] = as_tuple(content_.strides, bytes);
  made["typestr"] = typestr_of(content_.type);
  made["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(address_of(content_)), read_only_);
  return made;
}

nb::object array_view::tensor(const nb::object& self) {
  const auto& view = nb::cast<const array_view&>(self);
  if (view.read_only_) return tensor_over<nb::ndarray<nb::array_api, nb::ro>>(view.content_, self);
  return tensor_over<nb::ndarray<nb::array_api>>(view.content_, self);
}

void array_view::close() {
  closed_ = true;
  if (open_ == nullptr) return;
  // A task that waited for the view may become ready, and a runtime may end.
  const without_gil released;
  open_.reset();
  counted_.reset();
  home_.reset();
}

void bind_views(nb::module_& to) {
  nb::class_<array_view>(to, "ArrayView", "Memory of a buffer that an array lies over.")
      .def_prop_ro("__array_interface__", &array_view::array_interface,
                   "What numpy makes the array from.")
      .def_prop_ro("closed", &array_view::is_closed, "True after close().")
      .def("detach", &array_view::detach, nb::call_guard<without_gil>(),
           "From here on the view belongs to no thread, and the memory outlives the runtime.")
      .def("close", &array_view::close, "Ends the view.")
      .def_static("tensor", &array_view::tensor, nb::arg("view"),
                  "An object with __dlpack__ over the same memory.");
}

}  // namespace hocket::python
