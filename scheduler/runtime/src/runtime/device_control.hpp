// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/task_options.hpp>

namespace hocket::detail {

class runtime_core;

/// See runtime::drain().
[[nodiscard]] future<void> drain(runtime_core& home, const device_handle& device);
/// See runtime::resume().
void resume(runtime_core& home, const device_handle& device);
/// See runtime::remove().
void remove(runtime_core& home, const device_handle& device);
/// See runtime::reopen().
void reopen(runtime_core& home, const device_handle& device);

}  // namespace hocket::detail
