// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/event.hpp"
#include "placement/recovery_run.hpp"
#include "placement/task_issuer.hpp"

namespace hocket::placement {

/// Tasks that run on no device: views and fetches, which are delivered when their content is in the
/// memory of the host, and nested domains.
class host_views {
 public:
  host_views(engine_state& state, task_issuer& issuer) : s_(state), issuer_(issuer) {}

  /// Nothing is in the way of the task any more.
  void open(placed_task& t) { t.kind == task_kind::domain ? open_nested(t) : open_view(t); }
  /// A view was closed, or all tasks of a nested domain were submitted.
  void release(view_released& e);
  /// The task ends: a nested domain that it belongs to may end with it.
  void leave_domain(const placed_task& t);

 private:
  void open_nested(placed_task& t);
  void open_view(placed_task& t);
  void deliver_view(task_id id);
  void leave(placed_task& domain);
  void restore(const recovery_task& t);
  [[nodiscard]] failure undelivered(const placed_task& t) const;

  engine_state& s_;
  task_issuer& issuer_;
};

}  // namespace hocket::placement
