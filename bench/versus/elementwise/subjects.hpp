// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

#include <harness/command.hpp>

namespace hocket::bench {

/// Four operations on each of so many floats, in the words of all languages: t = a x + b,
/// t = min(t, c), t = t t + t, y += t.
struct chain {
  static constexpr float a = 0.75F, b = 0.125F, c = 0.5F;

  std::size_t size;
  std::size_t calls;  ///< that one sample makes, one after the other
};

/// Through a runtime, pinned to the device: four tasks of a graph fused into one, the four tasks,
/// and one task of a kernel that the user has written as one lambda.
[[nodiscard]] contender fused_chain(const chain& what, const std::string& device);
[[nodiscard]] contender unfused_chain(const chain& what, const std::string& device);
[[nodiscard]] contender one_lambda(const chain& what, const std::string& device);

/// One loop written by hand, spread over so many threads: compiled as the benchmark is, or with
/// vectors as wide as hocket's own loops choose when they run.
[[nodiscard]] contender tbb_loop(const chain& what, std::size_t threads, bool wide);

/// A kernel written for this by hand, through the API alone.
[[nodiscard]] contender cuda_kernel(const chain& what);
[[nodiscard]] contender opencl_kernel(const chain& what);
[[nodiscard]] contender vulkan_kernel(const chain& what, const std::string& description);

}  // namespace hocket::bench
