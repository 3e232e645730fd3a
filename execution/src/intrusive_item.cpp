// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "intrusive_item.hpp"

#include <hocket/execution/executor.hpp>
#include <hocket/execution/own_items.hpp>
#include <hocket/execution/worker_record.hpp>

namespace hocket {

void run_intrusive(void* item) {
  make_owed_call();
  static_cast<executor::intrusive_item*>(item)->run();
}

void executor::post_intrusive(std::size_t arena, int priority, intrusive_item& item) {
  post_bare(arena, priority, {run_intrusive, &item}, current_worker(pool()));
}

}  // namespace hocket
