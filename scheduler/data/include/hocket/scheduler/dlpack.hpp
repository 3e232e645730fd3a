// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <hocket/core/dtype.hpp>
#include <hocket/core/shape.hpp>
#include <hocket/scheduler/buffer.hpp>
#include <hocket/scheduler/dlpack_abi.hpp>
#include <hocket/scheduler/host_view.hpp>
#include <hocket/scheduler/user_memory.hpp>

namespace hocket {

namespace detail {

/// A tensor of another library, in whichever structure it came.
struct dlpack_tensor {
  dlpack::tensor content;
  bool is_constant;
};

/// Where the elements of a tensor are.
struct dlpack_memory {
  void* first;
  index_list extents;
  index_list strides;
};

/// Throws usage_error: from_dlpack has got no tensor.
[[noreturn]] void refuse_no_tensor();
/// Throws usage_error unless the layout of that version is known.
void check_version(dlpack::version_number given);

/// Throws usage_error unless the tensor is a buffer of such elements and so many dimensions.
[[nodiscard]] dlpack_memory memory_of(const dlpack::tensor& given, element_type type,
                                      std::size_t rank);

/// Of what can be handed out.
[[nodiscard]] dlpack::data_type dlpack_type_of(element_type type) noexcept;

struct dlpack_deleter {
  template <class M>
  void operator()(M* managed) const {
    if (managed->deleter != nullptr) managed->deleter(managed);
  }
};

template <dlpack::managed_structure M>
[[nodiscard]] dlpack_tensor look_at(const M& managed) {
  dlpack_tensor seen{};
  // Of another major version nothing but the deleter may be used.
  if constexpr (dlpack::versioned_structure<M>) {
    check_version({managed.version.major, managed.version.minor});
    seen.is_constant = (managed.flags & dlpack::flag_read_only) != 0;
  }
  const auto& from = managed.dl_tensor;
  seen.content = {
      from.data,       {static_cast<std::int32_t>(from.device.device_type), from.device.device_id},
      from.ndim,       {from.dtype.code, from.dtype.bits, from.dtype.lanes},
      from.shape,      from.strides,
      from.byte_offset};
  return seen;
}

/// A view that is handed out, and the tensor that another library sees of it.
template <class M, class T, std::size_t R>
struct handed_out_view {
  explicit handed_out_view(host_view<T, R>&& from) : view(std::move(from)) {
    view.detach();
    for (std::size_t d = 0; d < R; ++d) {
      shape[d] = static_cast<std::int64_t>(view.extent(d));
      strides[d] = static_cast<std::int64_t>(view.stride(d));
    }
    auto& to = managed.dl_tensor;
    to.data = view.size() == 0 ? nullptr : const_cast<std::remove_const_t<T>*>(view.data());
    using device_type = decltype(to.device.device_type);
    to.device.device_type = static_cast<device_type>(dlpack::device_types::cpu);
    to.ndim = static_cast<std::int32_t>(R);
    const dlpack::data_type type = dlpack_type_of(element_type_of<std::remove_const_t<T>>);
    to.dtype.code = type.code;
    to.dtype.bits = type.bits;
    to.dtype.lanes = type.lanes;
    to.shape = shape.data();
    to.strides = strides.data();
    managed.manager_ctx = this;
    managed.deleter = [](M* self) { delete static_cast<handed_out_view*>(self->manager_ctx); };
    if constexpr (dlpack::versioned_structure<M>) {
      managed.version.major = 1;
      // The minor version that added the numbers of 8 bits.
      managed.version.minor = type.code > dlpack::type_codes::boolean ? 1 : 0;
      managed.flags = std::is_const_v<T> ? dlpack::flag_read_only : 0;
    }
  }
  handed_out_view(const handed_out_view&) = delete;
  handed_out_view& operator=(const handed_out_view&) = delete;
  ~handed_out_view() = default;

  host_view<T, R> view;
  std::array<std::int64_t, R> shape{};
  std::array<std::int64_t, R> strides{};
  M managed{};
};

}  // namespace detail

/// The memory of a tensor of another library, for a buffer to lie over: nothing is copied, as with
/// any user_memory. A tensor without dimensions is a buffer of one element.
///
/// from_dlpack takes the tensor over. The deleter of the tensor is called when the buffer no longer
/// needs the memory, as said at user_memory: once, on any thread, and also if from_dlpack or the
/// constructor of the buffer throws. A tensor that is marked as read-only is never written:
/// accesses that write throw usage_error.
///
/// Throws usage_error for what cannot be such a buffer: elements that are no T, several lanes,
/// another number of dimensions than R, memory that is not the host's (the CPU's, or what CUDA has
/// pinned there), negative strides or those that user_memory refuses, and another major version of
/// DLPack than 1.
///
/// ```cpp
/// runtime rt;
/// const buffer<float, 2> made{rt, {3, 4}, 1.0f, "made"};
/// dlpack::managed_tensor_versioned* const tensor = to_dlpack(made.update());
/// {
///   const buffer<float, 2> same{rt, from_dlpack<float, 2>(tensor), "same"};
///   rt.submit(ops::fill, 2.0f, writes(same));
/// }
/// std::printf("%g\n", made.read()(2, 3));  // waits for the deleter, which ends the view
/// ```
template <element T, std::size_t R = 1, dlpack::managed_structure M>
requires(R > 0) [[nodiscard]] user_memory<T, R> from_dlpack(M* tensor) {
  if (tensor == nullptr) detail::refuse_no_tensor();
  std::unique_ptr<M, detail::dlpack_deleter> owner(tensor);
  const detail::dlpack_tensor seen = detail::look_at(*tensor);
  const detail::dlpack_memory memory = detail::memory_of(seen.content, element_type_of<T>, R);
  shape<R> extents{}, strides{};
  std::ranges::copy(memory.extents, extents.begin());
  std::ranges::copy(memory.strides, strides.begin());
  T* const first = static_cast<T*>(memory.first);
  user_memory<T, R> made = seen.is_constant
                               ? user_memory<T, R>(static_cast<const T*>(first), extents, strides)
                               : user_memory<T, R>(first, extents, strides);
  return std::move(made).kept_by(std::move(owner));
}

/// What DLPack has a name for: numbers, std::complex, and enumerations as the integers that they
/// are; no structures.
template <class T>
concept dlpack_element = element<T> && !is_structure(element_type_of<T>);

/// Hands a view out as a tensor, which other libraries take without copying: the caller, or who is
/// given the tensor, calls its deleter once, on any thread, and that ends the view. The tensor of a
/// view that only reads is marked as read-only; in a structure without flags, DLManagedTensor, such
/// a view is not handed out. M is DLManagedTensorVersioned where a program has <dlpack/dlpack.h>.
///
/// The view is detached, as host_view::detach says: the tensor stays valid when the buffer and the
/// runtime are gone.
///
/// ```cpp
/// runtime rt;
/// const buffer<int, 2> x{rt, {3, 4}, 7, "x"};
/// dlpack::managed_tensor_versioned* const tensor = to_dlpack(x.rows(0, 2).read());
/// std::printf("%d\n", static_cast<const int*>(tensor->dl_tensor.data)[7]);
/// tensor->deleter(tensor);  // later tasks that write x wait for this
/// ```
template <dlpack::managed_structure M = dlpack::managed_tensor_versioned, class T, std::size_t R>
requires(dlpack_element<std::remove_const_t<T>> &&
         (dlpack::versioned_structure<M> || !std::is_const_v<T>))
    [[nodiscard]] M* to_dlpack(host_view<T, R> view) {
  auto made = std::make_unique<detail::handed_out_view<M, T, R>>(std::move(view));
  return &made.release()->managed;
}

}  // namespace hocket
