// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>
#include <string>

#include <hocket/devices/device.hpp>

#include "loader.hpp"

namespace hocket::opencl {

/// Asks a driver; nothing where it does not answer.
[[nodiscard]] std::string text_of(const api& cl, cl_platform_id of, cl_platform_info what);
[[nodiscard]] std::string text_of(const api& cl, cl_device_id of, cl_device_info what);

/// What the compiler of a device says of a program that does not compile.
[[nodiscard]] std::string build_log(const api& cl, cl_program of, cl_device_id device);

/// What it calls itself, for people.
[[nodiscard]] std::string name_of(const api& cl, cl_platform_id driver);
[[nodiscard]] std::string name_of(const api& cl, cl_device_id device);

/// A code other than CL_SUCCESS is noted in `why`.
template <class Number>
[[nodiscard]] std::optional<Number> number_of(const api& cl, cl_device_id of, cl_device_info what,
                                              cl_int* why = nullptr) {
  Number answer{};
  std::size_t bytes = 0;
  const cl_int code = cl.clGetDeviceInfo(of, what, sizeof answer, &answer, &bytes);
  if (code != CL_SUCCESS && why != nullptr) *why = code;
  return code == CL_SUCCESS && bytes == sizeof answer ? std::optional(answer) : std::nullopt;
}

/// What cannot be used of a device and why, as the end of a sentence that begins with its name;
/// empty if it can be used.
[[nodiscard]] std::string unusable(const api& cl, cl_device_id device);

/// What the driver says of a device. The name and the domain are still missing.
[[nodiscard]] device_info describe(const api& cl, cl_platform_id platform, cl_device_id device);

/// Into how many equal parts the device can be split; 1 if it cannot.
[[nodiscard]] std::size_t max_parts(const api& cl, cl_device_id device);

/// Everything that a compiled program depends on besides its source and options.
[[nodiscard]] std::string identity_of(const api& cl, cl_platform_id platform, cl_device_id device);

}  // namespace hocket::opencl
