// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <type_traits>

#include <hocket/devices/driver_handle.hpp>

#include "loader.hpp"

namespace hocket::cuda {

template <class Object>
void release(const api& driver, Object object) {
  if constexpr (std::is_same_v<Object, stream_handle>) (void)driver.cuStreamDestroy_v2(object);
  if constexpr (std::is_same_v<Object, event_handle>) (void)driver.cuEventDestroy_v2(object);
  if constexpr (std::is_same_v<Object, graph_handle>) (void)driver.cuGraphDestroy(object);
  if constexpr (std::is_same_v<Object, runnable_handle>) (void)driver.cuGraphExecDestroy(object);
  if constexpr (std::is_same_v<Object, module_handle>) (void)driver.cuModuleUnload(object);
  if constexpr (std::is_same_v<Object, std::byte*>) (void)driver.cuMemFreeHost(object);
}

/// Owns an object of the driver; a std::byte* is pinned memory of the host. The functions outlive
/// it, and its context is current where it is destroyed.
template <class Object>
using handle = driver_handle<api, Object, release<Object>>;

}  // namespace hocket::cuda
