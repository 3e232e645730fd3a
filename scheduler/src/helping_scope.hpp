// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "scope_entry.hpp"

namespace hocket::detail {

/// While this lives, the calling stack runs tasks of the context while it waits for something. See
/// host_task::runs_in_a_waiter. Workers of the context's runtime are known without, and are not
/// entered.
class helping_scope : private entered_context {
 public:
  helping_scope(const host_context* context, bool is_worker) noexcept
      : entered_context(is_worker ? nullptr : context) {}
};

}  // namespace hocket::detail
