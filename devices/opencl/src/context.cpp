// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "context.hpp"

#include <array>

#include "describe.hpp"
#include "errors.hpp"

namespace hocket::opencl {

handle<cl_context> retained(const api& cl, cl_context object) {
  return {cl, cl.clRetainContext(object) == CL_SUCCESS ? object : nullptr};
}

result<std::shared_ptr<context>> root_device::open() {
  const std::lock_guard lock(guard_);
  if (auto known = opened_.lock()) return known;
  auto object = this->object();
  if (!object) return object.error();
  auto made = std::make_shared<context>(cl_, std::move(object).value(), parts_,
                                        identity_of(*cl_, platform_, parts_.front()));
  opened_ = made;
  return made;
}

result<handle<cl_context>> root_device::object() const {
  if (own_.get() != nullptr) {
    handle<cl_context> again = retained(*cl_, own_.get());
    if (again.get() == nullptr) return failure_of(CL_INVALID_CONTEXT, name_, "to start");
    return again;
  }
  const std::array<cl_context_properties, 3> properties{
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform_), 0};
  cl_int code = CL_SUCCESS;
  const cl_context object =
      cl_->clCreateContext(properties.data(), static_cast<cl_uint>(parts_.size()), parts_.data(),
                           nullptr, nullptr, &code);
  if (object == nullptr) return failure_of(code, name_, "to start");
  return handle<cl_context>(*cl_, object);
}

}  // namespace hocket::opencl
