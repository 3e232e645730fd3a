// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

#include <hocket/kernels/array_ops.hpp>

#include <harness/command.hpp>

namespace hocket::bench {

/// ops::sort through a runtime, pinned to the device, whose memory has the elements.
template <class T>
[[nodiscard]] contender device_sort(std::size_t size, const std::string& device);

/// std::sort, in one thread, and tbb::parallel_sort.
template <class T>
[[nodiscard]] contender std_sort(std::size_t size);
template <class T>
[[nodiscard]] contender tbb_sort(std::size_t size, std::size_t threads);

}  // namespace hocket::bench
