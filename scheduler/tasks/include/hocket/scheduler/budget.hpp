// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>

#include <hocket/core/ids.hpp>

namespace hocket {

class runtime;

namespace detail {
class runtime_core;
}

/// A part of a budget, for task_options::takes.
struct budget_share {
  budget_id budget;
  std::uint64_t bytes = 0;
  std::uint64_t runtime = 0;   ///< the number of the runtime that the budget belongs to
  std::uint64_t capacity = 0;  ///< all bytes of the budget
};

/// Bytes that are counted, not allocated: one task takes some, another returns them, and a task
/// that wants more than is left waits. They are granted in order of priority: what a task of higher
/// priority will need is kept for it even while it is not ready. With one budget for the
/// activations of each device this bounds how far a pipeline runs ahead. A budget of which no bytes
/// are taken or wanted occupies no memory in the runtime.
///
/// ```cpp
/// runtime rt;
/// budget room{rt, 1 << 20};  // bytes
/// for (int batch = 0; batch < 8; ++batch) {
///   const buffer<float> activations{rt, 1 << 16};  // four of them fit at a time
///   const future<void> forward =
///       rt.submit({.takes = room.share(1 << 18)}, ops::fill, 1.0f, writes(activations));
///   rt.submit({.returns = {forward}}, ops::sum, reads(activations));
/// }
/// rt.wait();
/// ```
class budget {
 public:
  /// An empty handle; share() throws usage_error.
  budget() = default;
  budget(runtime& home, std::uint64_t bytes);

  /// Throws usage_error if the budget never has so many bytes.
  [[nodiscard]] budget_share share(std::uint64_t bytes) const;

 private:
  budget_id id_;
  std::uint64_t bytes_ = 0;
  std::uint64_t runtime_ = 0;
};

}  // namespace hocket
