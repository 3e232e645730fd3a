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
  std::uint64_t runtime = 0;  ///< the number of the runtime that the budget belongs to
};

/// Bytes that are counted, not allocated: one task takes some, another returns them, and a task
/// that wants more than is left waits. They are granted in order of priority: what a task of higher
/// priority will need is kept for it even while it is not ready. With one budget for the
/// activations of each device this bounds how far a pipeline runs ahead.
class budget {
 public:
  budget(runtime& home, std::uint64_t bytes);

  /// Throws usage_error if the budget never has so many bytes.
  [[nodiscard]] budget_share share(std::uint64_t bytes) const;

 private:
  budget_id id_;
  std::uint64_t bytes_;
  std::uint64_t runtime_;
};

}  // namespace hocket
