// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/execution/item_local.hpp>
#include <hocket/scheduler/detail/host_context.hpp>

namespace hocket::detail {

/// While this lives, the calling stack is in a task of the context, if that is a scope: so that
/// nobody waits for a scope from within. It goes with an item that is suspended.
class scope_entry {
 public:
  explicit scope_entry(const host_context* context) noexcept {
    if (context == nullptr || !context->is_scope()) return;
    scope_ = context;
    outer_ = innermost();
    set_item_local(this);
  }
  scope_entry(const scope_entry&) = delete;
  scope_entry& operator=(const scope_entry&) = delete;
  ~scope_entry() {
    if (scope_ != nullptr) set_item_local(outer_);
  }

  [[nodiscard]] static scope_entry* innermost() noexcept {
    return static_cast<scope_entry*>(item_local());
  }
  [[nodiscard]] const host_context& scope() const noexcept { return *scope_; }
  [[nodiscard]] const scope_entry* outer() const noexcept { return outer_; }

 private:
  const host_context* scope_ = nullptr;
  scope_entry* outer_ = nullptr;
};

}  // namespace hocket::detail
