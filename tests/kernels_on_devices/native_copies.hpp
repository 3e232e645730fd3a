// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>

#include <hocket/hocket.hpp>

namespace hocket::testing {

/// A copy of equally large rows, which each API's own function for copies makes.
using native_copy = kernel<in_buffer<std::uint32_t, 2>, out_buffer<std::uint32_t, 2>>;

/// called is told of each call of a body. It must not throw unless the task is to fail.
[[nodiscard]] native_copy native_copy_kernel(const std::function<void()>& called = [] {});

/// A copy of the first element, which the kernel returns, by the same functions.
[[nodiscard]] kernel<returns<std::uint32_t>, in_buffer<std::uint32_t, 2>> native_first_kernel();

}  // namespace hocket::testing
