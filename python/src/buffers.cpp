// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "buffers.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <hocket/scheduler/dlpack_abi.hpp>
#include <hocket/scheduler/untyped_launch.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "array_view.hpp"
#include "element_types.hpp"
#include "failures.hpp"

namespace hocket::python {

namespace {

using extents = std::vector<std::size_t>;

index_list as_indices(const extents& from) { return {from.begin(), from.end()}; }

array_buffer made(const open_runtime_ref& home, detail::buffer_state* data) {
  return {home, detail::region_ref(detail::buffer_ref(data))};
}

array_buffer empty_buffer(const open_runtime_ref& home, const extents& shape,
                          const nb::handle& dtype, std::string label) {
  if (shape.empty()) {
    raise_value_error("The shape of buffer \"" + label +
                      "\" is (); a buffer has at least one dimension.");
  }
  const element_type type = element_type_of_dtype(dtype);
  const runtime_ref rt = home->get();
  const without_gil released;
  return made(home, new detail::buffer_state(rt->owner_of_data(), type, as_indices(shape),
                                             std::move(label)));
}

/// Over an array or a tensor without elements: there is no memory, and nothing that lacks content.
array_buffer buffer_without_elements(const open_runtime_ref& home, element_type type,
                                     const index_list& sizes, std::string label) {
  const runtime_ref rt = home->get();
  const without_gil released;
  array_buffer empty =
      made(home, new detail::buffer_state(rt->owner_of_data(), type, sizes, std::move(label)));
  (void)detail::open_view(empty.what, access_mode::write);
  return empty;
}

bool has_no_elements(const index_list& sizes) { return !sizes.empty() && volume(sizes) == 0; }

/// Memory of a program, and what keeps it.
array_buffer over_memory(const open_runtime_ref& home, detail::memory_offer&& offer,
                         const nb::object& owner, std::string label) {
  const runtime_ref rt = home->get();
  offer.owner = std::make_unique<detail::kept_owner<kept_object>>(
      kept_object(owner, home->threads()), nullptr);
  const without_gil released;
  // In an array with gaps the buffer is a part.
  const box where = box::whole(offer.extents);
  const detail::buffer_ref data(
      new detail::buffer_state(rt->owner_of_data(), std::move(offer), std::move(label)));
  const array_buffer over{home, detail::region_ref(data, where)};
  // A writer has been there, from which on the content counts.
  (void)detail::open_view(over.what, access_mode::write);
  return over;
}

std::string shape_text(const index_list& numbers) { return hocket::to_string(numbers); }

/// The strides of the elements of an array, which has to lie as a buffer may.
index_list array_of(const index_list& sizes, const std::vector<std::int64_t>& strides,
                    const std::string& label) {
  bool fits = !sizes.empty();
  index_list steps(sizes.size(), 1);
  for (std::size_t d = sizes.size(); fits && d-- > 0;) {
    const bool is_last = d + 1 == sizes.size();
    const auto next = is_last ? std::size_t{1} : steps[d + 1] * sizes[d + 1];
    // The step of a dimension with one element does not matter: it is that of the dimension around
    // it, whose gaps it has then.
    std::size_t from = d;
    while (from > 0 && sizes[from] == 1) --from;
    if (sizes[from] == 1 || (is_last && sizes[d] == 1)) {
      steps[d] = next;
      continue;
    }
    fits = strides[from] > 0;
    if (!fits) break;
    steps[d] = static_cast<std::size_t>(strides[from]);
    fits = is_last ? steps[d] == 1 : steps[d] >= next && steps[d] % steps[d + 1] == 0;
  }
  if (!fits) {
    raise_value_error(
        "The array of buffer \"" + label + "\" has the shape " + shape_text(sizes) +
        " and strides that a buffer cannot have: it has to have a dimension, the "
        "elements of a row adjacent, and rows one behind the other. numpy.ascontiguousarray, or "
        "copy=True, makes such an array.");
  }
  return detail::array_with(sizes, steps);
}

std::vector<std::int64_t> in_elements(const std::vector<std::int64_t>& bytes, std::size_t size,
                                      const std::string& label) {
  std::vector<std::int64_t> steps;
  for (const std::int64_t each : bytes) {
    if (each % static_cast<std::int64_t>(size) != 0) {
      raise_value_error("The array of buffer \"" + label + "\" has a stride of " +
                        std::to_string(each) + " bytes, no multiple of its elements of " +
                        std::to_string(size) + "; copy=True copies it.");
    }
    steps.push_back(each / static_cast<std::int64_t>(size));
  }
  return steps;
}

array_buffer over_array(const open_runtime_ref& home, const nb::object& owner,
                        std::uintptr_t address, const nb::handle& dtype, const extents& shape,
                        const std::vector<std::int64_t>& strides, bool read_only,
                        std::string label) {
  const element_type type = element_type_of_dtype(dtype);
  const index_list sizes = as_indices(shape);
  if (has_no_elements(sizes)) return buffer_without_elements(home, type, sizes, std::move(label));
  const index_list array = array_of(sizes, in_elements(strides, size_of(type), label), label);
  return over_memory(home,
                     {reinterpret_cast<void*>(address), type, sizes, array, read_only, nullptr},
                     owner, std::move(label));
}

element_type type_of(nb::dlpack::dtype type, const std::string& label) {
  using nb::dlpack::dtype_code;
  const std::string bits = std::to_string(static_cast<int>(type.bits));
  std::string name;
  switch (static_cast<dtype_code>(type.code)) {
    case dtype_code::Int:
      name = "int" + bits;
      break;
    case dtype_code::UInt:
      name = "uint" + bits;
      break;
    case dtype_code::Float:
      name = "float" + bits;
      break;
    case dtype_code::Bfloat:
      name = "bfloat" + bits;
      break;
    case dtype_code::Complex:
      name = "complex" + bits;
      break;
    case dtype_code::Bool:
      name = "bool";
      break;
    default:
      if (type.code == dlpack::type_codes::float8_e4m3fn) name = "float8_e4m3fn";
      if (type.code == dlpack::type_codes::float8_e5m2) name = "float8_e5m2";
      if (name.empty()) name = "of code " + std::to_string(static_cast<int>(type.code));
  }
  const auto found = element_type_named(name);
  if (!found || type.lanes != 1) {
    raise_type_error("The tensor of buffer \"" + label + "\" has elements of the DLPack type " +
                     name + " with " + std::to_string(type.lanes) +
                     " lanes; a buffer holds bool, integers, float16, bfloat16, float8_e4m3fn, "
                     "float8_e5m2, float32, float64, complex64 and complex128 with one lane.");
  }
  return *found;
}

array_buffer over_tensor(const open_runtime_ref& home, const nb::object& given, bool read_only,
                         std::string label) {
  // Only a tensor that is marked as read-only cannot be had as one to write.
  nb::ndarray<> writable;
  nb::ndarray<nb::ro> tensor;
  if (nb::try_cast(given, writable)) {
    tensor = nb::ndarray<nb::ro>(writable);
  } else if (nb::try_cast(given, tensor)) {
    read_only = true;
  } else {
    raise_type_error("The object of buffer \"" + label + "\", a " +
                     nb::cast<std::string>(given.type().attr("__name__")) +
                     ", is no tensor that can be had by DLPack.");
  }
  if (tensor.device_type() != nb::device::cpu::value) {
    raise_type_error("The tensor of buffer \"" + label + "\" is on a device of the DLPack type " +
                     std::to_string(tensor.device_type()) +
                     "; a buffer lies over memory of the host, type 1.");
  }
  const element_type type = type_of(tensor.dtype(), label);
  index_list sizes;
  std::vector<std::int64_t> strides;
  for (std::size_t d = 0; d < tensor.ndim(); ++d) {
    sizes.push_back(tensor.shape(d));
    strides.push_back(tensor.stride(d));
  }
  if (has_no_elements(sizes)) return buffer_without_elements(home, type, sizes, std::move(label));
  const index_list array = array_of(sizes, strides, label);
  // The tensor is let go of with the memory.
  auto* const kept = new nb::ndarray<nb::ro>(tensor);
  const nb::object owner = nb::capsule(
      kept, [](void* gone) noexcept { delete static_cast<nb::ndarray<nb::ro>*>(gone); });
  auto* const address = const_cast<void*>(tensor.data());
  return over_memory(home, {address, type, sizes, array, read_only, nullptr}, owner,
                     std::move(label));
}

/// Waits for the tasks before a view, so that Ctrl-C ends the wait, and brings the content: a
/// function that does nothing with it. Of a view that writes there is no content to bring, and a
/// function that were left behind by Ctrl-C would take away what the buffer has.
void wait_for_content(const array_buffer& of, access_mode mode) {
  if (mode == access_mode::write) return;
  const runtime_ref rt = of.home->get();
  auto nothing = std::make_shared<kernel_definition>();
  nothing->name = "view of " + of.data().label();
  nothing->parameters = {{parameter::kind::buffer, of.data().type(), mode, any_rank}};
  nothing->host = [](const host_launch&) {};
  detail::task_state_ptr task;
  {
    const without_gil released;
    task =
        detail::untyped_submitter(*rt).call({}, nothing, {detail::untyped_access{of.what, mode}});
  }
  (void)wait_for_task(*of.home, task);
  const future<void> ended(task);
  if (const failure why = ended.error()) raise_failure(why);
}

std::unique_ptr<array_view> open_array(const array_buffer& of, const std::string& mode_name) {
  const access_mode mode = mode_named(mode_name);
  if (mode != access_mode::read && of.data().is_constant()) {
    detail::refuse_constant_buffer(of.data());
  }
  wait_for_content(of, mode);
  runtime_ref rt = of.home->get();
  const python_threads::blocked waits(*of.home->threads());
  const without_gil released;
  auto open = detail::open_view(of.what, mode);
  return std::make_unique<array_view>(std::move(rt), of.home->view_count(), std::move(open),
                                      mode == access_mode::read);
}

array_buffer part_of(const array_buffer& of, const extents& first, const extents& last) {
  box wanted = of.what.where();
  for (std::size_t d = 0; d < wanted.rank(); ++d) {
    wanted.end[d] = wanted.begin[d] + last[d];
    wanted.begin[d] += first[d];
  }
  detail::check_region(of.data(), of.what.where(), wanted);
  return {of.home, detail::region_ref(of.what.data, wanted)};
}

nb::tuple shape_of(const array_buffer& of) {
  nb::list made;
  for (const std::size_t each : of.what.where().extents()) made.append(each);
  return nb::tuple(made);
}

}  // namespace

access_mode mode_named(const std::string& name) {
  if (name == "read") return access_mode::read;
  if (name == "write") return access_mode::write;
  return access_mode::update;
}

void bind_buffers(nb::module_& to) {
  nb::class_<array_buffer>(to, "BufferHandle", "The region of a buffer behind hocket.Buffer.")
      .def_static("empty", &empty_buffer, nb::arg("runtime"), nb::arg("shape"), nb::arg("dtype"),
                  nb::arg("label"), "A buffer without content.")
      .def_static("over_array", &over_array, nb::arg("runtime"), nb::arg("owner"),
                  nb::arg("address"), nb::arg("dtype"), nb::arg("shape"), nb::arg("strides"),
                  nb::arg("read_only"), nb::arg("label"),
                  "A buffer over the memory of an array, which it keeps.")
      .def_static("over_tensor", &over_tensor, nb::arg("runtime"), nb::arg("tensor"),
                  nb::arg("read_only"), nb::arg("label"),
                  "A buffer over the memory of a DLPack tensor, which it keeps.")
      .def("open", &open_array, nb::arg("mode"),
           "A view: \"read\", \"write\" or \"update\". Waits for earlier tasks.")
      .def("part", &part_of, nb::arg("first"), nb::arg("last"), "A rectangular part.")
      .def_prop_ro("shape", &shape_of, "The extents.")
      .def_prop_ro(
          "dtype_name", [](const array_buffer& b) { return name_of(b.data().type()); },
          "What numpy calls the type of the elements.")
      .def_prop_ro(
          "label", [](const array_buffer& b) { return b.data().label(); },
          "The name of the buffer in messages and traces.")
      .def_prop_ro(
          "read_only", [](const array_buffer& b) { return b.data().is_constant(); },
          "True if it lies over memory that is not to be written.")
      .def(
          "same_region",
          [](const array_buffer& a, const array_buffer& b) {
            return a.what.data == b.what.data && a.what.where() == b.what.where();
          },
          nb::arg("other"), "True if both are the same part of one buffer.");
}

}  // namespace hocket::python
