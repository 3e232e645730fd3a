// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <variant>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/memory/timepoint_set.hpp>

#include "placement/request.hpp"

namespace hocket::placement {

/// The block is for a replica of data. If the memory has no room, allocation_failed has to tell.
struct allocate_block {
  block_id block;
  data_id data;
  memory_id memory;
  std::uint64_t bytes = 0;
};

struct free_block {
  block_id block;
};

/// Both blocks hold the whole buffer.
struct issue_copy {
  point number;
  timepoint_set after;
  block_id from;
  block_id to;
  index_list extents;
  std::size_t element_size = 0;
  box region;
  std::uint64_t bytes = 0;
};

struct issue_launch {
  point number;
  timepoint_set after;
  request* task;           ///< whose accesses have their blocks; some later action keeps it
  bool may_leave = false;  ///< as in launch_command
};

/// The content of a view or fetch is in host memory.
struct deliver {
  request_ref task;
  std::vector<block_id> blocks;
};

/// The task reached its final state; an empty failure means success.
struct complete {
  request_ref task;
  failure why;
  bool runs_on = false;  ///< its body may run until it is retired
};

/// The engine has forgotten a task that was completed before.
struct retire {
  request_ref task;
};

/// cancel_asked is to come for the launch when this time has passed, unless it is completed before.
struct start_timer {
  request_ref task;
  nanoseconds after{0};
};

/// After this time, memory_awaited is to tell that it has passed.
struct await_memory {
  task_id task;
  nanoseconds after{0};
};

/// The user is to be told, once.
struct warn {
  std::string text;
};

using action = std::variant<allocate_block, free_block, issue_copy, issue_launch, deliver, complete,
                            retire, start_timer, await_memory, warn>;

/// Actions in the order in which they have to be carried out.
using action_list = std::vector<action>;

}  // namespace hocket::placement
