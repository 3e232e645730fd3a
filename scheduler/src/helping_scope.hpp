// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/detail/host_context.hpp>

namespace hocket::detail {

/// While this lives the calling thread runs tasks of the context, which is only compared, while it
/// waits for something. See host_task::runs_in_a_waiter. It does nothing for workers, since a
/// worker's task may go on with another thread.
class helping_scope {
 public:
  helping_scope(const host_context* context, bool is_worker);
  helping_scope(const helping_scope&) = delete;
  helping_scope& operator=(const helping_scope&) = delete;
  ~helping_scope();

 private:
  bool outside_;
};

}  // namespace hocket::detail
