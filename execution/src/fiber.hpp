// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <boost/context/detail/fcontext.hpp>

namespace hocket {

/// A stack on which a body runs that can leave in the middle, and be gone on with by any thread.
/// It can run another body when one has ended.
class fiber {
 public:
  /// Null if there is no memory for a stack.
  [[nodiscard]] static std::unique_ptr<fiber> create() noexcept;

  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber();

  /// Only while no other body has begun and not ended. body must not throw.
  void set_body(std::function<void()> body) noexcept { body_ = std::move(body); }

  /// Begins or goes on with the body here, until it ends or leaves. Returns true if it has ended.
  bool run() noexcept;

  /// Only in the body: run() returns false to its caller. Returns when run() is called again. No
  /// exception may be in flight or be handled: the C++ library keeps those for each thread.
  void leave() noexcept;

  /// The address below which less than half of the stack is free.
  [[nodiscard]] std::uintptr_t middle() const noexcept;

 private:
  fiber() = default;

  static void enter(boost::context::detail::transfer_t from) noexcept;
  void serve() noexcept;

  std::function<void()> body_;
  bool ended_ = false;
  bool begun_ = false;  // the stack has been entered
  std::byte* stack_ = nullptr;
  boost::context::detail::fcontext_t inside_ = nullptr;   // where to go on with the body
  boost::context::detail::fcontext_t outside_ = nullptr;  // where run() was called
  // What the sanitizers want to know of the two stacks.
  void* inner_shadow_ = nullptr;
  void* outer_shadow_ = nullptr;
  const void* outer_stack_ = nullptr;
  std::size_t outer_bytes_ = 0;
};

}  // namespace hocket
