// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <type_traits>
#include <utility>

#include "loader.hpp"

namespace hocket::opencl {

/// Owns one reference to an object of OpenCL. The functions outlive it.
template <class Object>
class handle {
 public:
  handle() = default;
  handle(const api& cl, Object object) noexcept : cl_(&cl), object_(object) {}
  handle(handle&& other) noexcept
      : cl_(other.cl_), object_(std::exchange(other.object_, nullptr)) {}
  handle& operator=(handle&& other) noexcept {
    std::swap(cl_, other.cl_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~handle() {
    if (object_ != nullptr && !cl_->gone) release();
  }

  [[nodiscard]] Object get() const noexcept { return object_; }
  [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  void release() noexcept {
    if constexpr (std::is_same_v<Object, cl_context>) cl_->clReleaseContext(object_);
    if constexpr (std::is_same_v<Object, cl_command_queue>) cl_->clReleaseCommandQueue(object_);
    if constexpr (std::is_same_v<Object, cl_device_id>) cl_->clReleaseDevice(object_);
    if constexpr (std::is_same_v<Object, cl_event>) cl_->clReleaseEvent(object_);
    if constexpr (std::is_same_v<Object, cl_kernel>) cl_->clReleaseKernel(object_);
    if constexpr (std::is_same_v<Object, cl_mem>) cl_->clReleaseMemObject(object_);
    if constexpr (std::is_same_v<Object, cl_program>) cl_->clReleaseProgram(object_);
  }

  const api* cl_ = nullptr;
  Object object_ = nullptr;
};

}  // namespace hocket::opencl
