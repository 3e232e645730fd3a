// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket::detail {

class host_context;
class runtime_context;

/// The runtimes of this process that have not ended. A future may outlive its runtime, and what it
/// has of that is an address, which tells nothing: a thread that is to use the runtime of a task
/// that may have ended asks here first. Any thread.
class live_runtimes {
 public:
  static void add(runtime_context& made);

  /// No thread begins to use the runtime any more.
  static void remove(const runtime_context& gone) noexcept;

  /// True if the runtime has not ended. It may end at the next moment, unless a task of it is known
  /// to be pending. Takes no lock where few runtimes exist.
  [[nodiscard]] static bool contains(const host_context* home) noexcept;

  /// While it lives, the runtime does not end, if it was there. For slow paths: it takes a lock.
  class user {
   public:
    explicit user(const host_context* home) noexcept;
    user(const user&) = delete;
    user& operator=(const user&) = delete;
    ~user();

    /// False if the runtime has ended.
    [[nodiscard]] explicit operator bool() const noexcept { return used_ != nullptr; }
    [[nodiscard]] runtime_context& operator*() const noexcept { return *used_; }

   private:
    runtime_context* used_ = nullptr;
  };
};

}  // namespace hocket::detail
