// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <type_traits>

#include <hocket/devices/driver_handle.hpp>

#include "gpu/api.hpp"

namespace hocket::gpu {

template <class Object>
void release(const api& driver, Object object) {
  if constexpr (std::is_same_v<Object, stream_handle>) (void)driver.stream_destroy(object);
  if constexpr (std::is_same_v<Object, event_handle>) (void)driver.event_destroy(object);
  if constexpr (std::is_same_v<Object, graph_handle>) (void)driver.graph_destroy(object);
  if constexpr (std::is_same_v<Object, runnable_handle>) (void)driver.runnable_destroy(object);
  if constexpr (std::is_same_v<Object, module_handle>) (void)driver.module_unload(object);
  if constexpr (std::is_same_v<Object, std::byte*>) (void)driver.pinned_free(object);
}

/// Owns an object of the driver; a std::byte* is pinned memory of the host. The functions outlive
/// it, and its context is current where it is destroyed.
template <class Object>
using handle = driver_handle<api, Object, release<Object>>;

}  // namespace hocket::gpu
