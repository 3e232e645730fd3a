// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "memory.hpp"

#include <algorithm>
#include <cassert>

#include "errors.hpp"

namespace hocket::opencl {

cl_mem buffer_table::create(std::size_t bytes, cl_int& code) {
  const cl_mem made = cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  if (made == nullptr) return nullptr;
  const std::lock_guard lock(guard_);
  own_.insert(made);
  return made;
}

void buffer_table::release(cl_mem object) noexcept {
  ++releases_;
  {
    const std::lock_guard lock(guard_);
    own_.erase(object);
  }
  if (!cl_.gone) cl_.clReleaseMemObject(object);
}

bool buffer_table::owns(const void* chunk) const {
  const std::lock_guard lock(guard_);
  return own_.contains(chunk);
}

result<cl_mem> buffer_table::use(const allocation& where, bool host_memory,
                                 const std::string& device) {
  if (where.chunk == nullptr || where.bytes == 0) return stand_in(device);
  if (host_memory) return import_host(where, device);
  assert(owns(where.chunk));
  return static_cast<cl_mem>(where.chunk);
}

result<cl_mem> buffer_table::import_host(const allocation& host, const std::string& device) {
  const import* const known = imports_.find(host);
  if (known != nullptr && known->bytes >= host.bytes) return known->object.get();
  cl_int code = CL_SUCCESS;
  const cl_mem made = cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                         host.bytes, host.address(), &code);
  if (made == nullptr) return failure_of(code, device, "to use an allocation of the host");
  ++releases_;
  imports_.add(host, {handle<cl_mem>(cl_, made), host.bytes});
  return made;
}

result<cl_mem> buffer_table::stand_in(const std::string& device) {
  constexpr std::size_t bytes = 64;
  const std::lock_guard lock(guard_);
  if (!stand_in_) {
    cl_int code = CL_SUCCESS;
    const cl_mem made = cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &code);
    if (made == nullptr) return failure_of(code, device, "to make a buffer of a few bytes");
    stand_in_ = handle<cl_mem>(cl_, made);
  }
  return stand_in_.get();
}

void buffer_table::forget(const allocation& host) noexcept {
  ++releases_;
  imports_.forget(host);
}

result<allocation> device_memory::allocate(std::size_t bytes, std::size_t alignment) {
  // A buffer begins wherever the device wants one to begin.
  (void)alignment;
  if (bytes > largest_) {
    return no_memory(device_, bytes,
                     "one allocation of it has at most " + std::to_string(largest_) + " bytes.");
  }
  cl_int code = CL_SUCCESS;
  const cl_mem made = buffers_.create(std::max<std::size_t>(bytes, 1), code);
  if (made == nullptr) return no_memory(device_, bytes, "its driver says " + name_of(code) + ".");
  return allocation{made, bytes};
}

void device_memory::deallocate(const allocation& a) noexcept {
  buffers_.release(static_cast<cl_mem>(a.chunk));
}

}  // namespace hocket::opencl
