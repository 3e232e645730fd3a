// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/recovery_run.hpp"

namespace hocket::placement {

void recovery_run::begin(task_id first) {
  for (recovery_task& t : all_) {
    pointers_.push_back(&t);
    t.recorded = t.own_edges;
    t.begin(*this, first);
    ++first.value;
  }
  set_tasks(pointers_);
}

}  // namespace hocket::placement
