// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "adopted.hpp"

#include <algorithm>
#include <string>

#include <hocket/core/error.hpp>

#include "describe.hpp"
#include "errors.hpp"

namespace hocket::opencl {

namespace {

std::vector<cl_device_id> devices_of(const api& cl, cl_context context) {
  std::size_t bytes = 0;
  cl_int code = context == nullptr
                    ? CL_INVALID_CONTEXT
                    : cl.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes);
  std::vector<cl_device_id> made(bytes / sizeof(cl_device_id));
  if (code == CL_SUCCESS) {
    code = cl.clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, made.data(), nullptr);
  }
  std::erase(made, nullptr);
  if (code == CL_SUCCESS && !made.empty()) return made;
  throw usage_error(
      "runtime_options::adopted has a context of OpenCL that cannot be used: asked for its "
      "devices, its driver says " +
      name_of(code) + ".");
}

}  // namespace

std::vector<adopted_device> adopted_devices(const api& cl, const adopted_contexts& adopted) {
  std::vector<adopted_device> made;
  for (const adopted_context& each : adopted) {
    const auto* const given = std::get_if<opencl_context>(&each);
    if (given == nullptr) continue;
    const auto context = static_cast<cl_context>(given->context);
    for (const cl_device_id device : devices_of(cl, context)) {
      if (std::ranges::find(made, device, &adopted_device::device) != made.end()) {
        throw usage_error("runtime_options::adopted has two contexts of the OpenCL device \"" +
                          name_of(cl, device) + "\".");
      }
      made.push_back({context, device});
    }
  }
  return made;
}

}  // namespace hocket::opencl
