// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>

#include <hocket/execution/item_note.hpp>
#include <hocket/scheduler/detail/runtime_context.hpp>

namespace hocket::detail {

/// While this lives, the calling stack runs tasks of the context while it waits for something. See
/// runs_in_a_waiter, which asks for the context's runtime. Workers of that are known without, and
/// are not noted.
class helping_scope {
 public:
  helping_scope(const host_context* context, bool is_worker) noexcept {
    if (context == nullptr || is_worker) return;
    const host_context& home = context->home();
    note_.emplace(item_note::kind::context, &home);
  }

 private:
  std::optional<item_note> note_;
};

}  // namespace hocket::detail
