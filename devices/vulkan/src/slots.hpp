// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "launch.hpp"

namespace hocket::vulkan {

/// The command buffers of a stream that no command uses. What was recorded in one stays there, for
/// the case that the same launch comes again. Any thread.
class slot_store {
 public:
  explicit slot_store(const context& of) : of_(of) {}

  /// One in which this launch is recorded; null if there is none.
  [[nodiscard]] std::unique_ptr<slot> take_recorded(const launch_command& what);

  /// One to record in.
  [[nodiscard]] result<std::unique_ptr<slot>> take(bool stamped);

  void give_back(std::unique_ptr<slot> used);

  /// Destroys one in which recording failed: its command buffer must not be begun again.
  void discard(std::unique_ptr<slot> broken);

 private:
  const context& of_;
  std::mutex guard_;  // for what follows
  std::deque<std::unique_ptr<slot>> free_;
  std::size_t made_ = 0;
};

}  // namespace hocket::vulkan
