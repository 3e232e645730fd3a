// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/execution/item_local.hpp>
#include <hocket/scheduler/detail/host_context.hpp>

namespace hocket::detail {

/// Contexts whose tasks run on the calling stack, innermost first: scopes, and whatever a thread
/// helps while it waits. The list is a part of the stack: if the item is suspended and resumed on
/// another thread, the list goes with it.
class entered_context {
 public:
  entered_context(const entered_context&) = delete;
  entered_context& operator=(const entered_context&) = delete;

  [[nodiscard]] static entered_context* innermost() noexcept {
    return static_cast<entered_context*>(item_local());
  }
  [[nodiscard]] const host_context& context() const noexcept { return *context_; }
  [[nodiscard]] const entered_context* outer() const noexcept { return outer_; }

 protected:
  /// Enters the context; nothing if it is null.
  explicit entered_context(const host_context* context) noexcept : context_(context) {
    if (context == nullptr) return;
    outer_ = innermost();
    set_item_local(this);
  }
  ~entered_context() {
    if (context_ != nullptr) set_item_local(outer_);
  }

 private:
  const host_context* context_;
  entered_context* outer_ = nullptr;
};

/// While this lives, the calling stack is in a task of the context, if that is a scope: so that
/// nobody waits for a scope from within.
class scope_entry : private entered_context {
 public:
  explicit scope_entry(const host_context* context) noexcept
      : entered_context(context != nullptr && context->is_scope() ? context : nullptr) {}
};

}  // namespace hocket::detail
