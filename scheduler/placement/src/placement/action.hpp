// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/memory/timepoint_set.hpp>
#include <hocket/scheduler/detail/lent_memory.hpp>

#include "placement/answer_call.hpp"
#include "placement/kept_bytes.hpp"
#include "placement/run_tasks.hpp"
#include "placement/timed_part.hpp"

namespace hocket::placement {

/// Allocates a block for a replica. If the memory has no room, allocation_failed is posted.
struct allocate_block {
  block_id block;
  data_id data;
  memory_id memory;
  std::uint64_t bytes = 0;
  std::shared_ptr<const box> band = {};  ///< that it has room for; null: all of the buffer
};

struct free_block {
  block_id block;
};

/// The block of a replica of the host is memory of the program.
struct lend_block {
  block_id block;
  detail::lent_memory_ptr memory;
};

/// Reads the part of a block of the host before it is overwritten or freed.
struct put_aside {
  block_id from;
  kept_ref to;
};

/// Writes the region back to a block of the host, and tells the task's view_released.
struct put_back {
  task_id task;
  block_id to;
  kept_ref from;
  box region;
};

/// Copies a region between two blocks of a buffer. At most one is for a band of it.
struct issue_copy {
  point number;
  timepoint_set after;
  block_id from;
  block_id to;
  index_list extents;  ///< of the whole buffer
  std::size_t element_size = 0;
  box region;
  std::uint64_t bytes = 0;
};

struct issue_launch {
  point number;
  timepoint_set after;
  placed_task* task;       ///< its accesses have their blocks; a later action keeps it alive
  bool may_leave = false;  ///< as in launch_command
};

/// The content of a view or fetch is in host memory.
struct deliver {
  task_ref task;
  std::vector<block_id> blocks;
};

/// The task has ended; an empty failure means success.
struct complete {
  task_ref task;
  failure why;
  bool runs_on = false;  ///< its body may run until it is retired
};

/// The engine has forgotten a task that was completed before.
struct retire {
  task_ref task;
};

/// What a submitted_run is told.
enum class run_news : std::uint8_t {
  ended,
  ended_but_bodies,  ///< it has ended, and bodies of cancelled tasks run on
  bodies_ended,
  retired,
};
struct tell_run {
  submitted_run* run;
  run_news what;
  failure why = {};  ///< that it has ended with
};

/// Posts cancel_asked for the launch after this time, unless it is completed before.
struct start_timer {
  task_ref task;
  nanoseconds after{0};
};

/// Posts memory_awaited after this time.
struct await_memory {
  task_id task;
  nanoseconds after{0};
};

/// Posts time_passed, for the same part, after this time.
struct await_time {
  timed_part part;
  nanoseconds after{0};
};

/// Posts rest_ended after this time.
struct await_probe {
  device_id device;
  nanoseconds after{0};
};

/// Calls tell(why).
struct answer {
  answer_call tell;
  failure why;
};

/// Declares the device lost, which its device_gone tells.
struct give_up_device {
  device_id device;
  failure why;
};

/// Does nothing, and keeps the task alive until here: an action before this one refers to it.
struct keep_task {
  task_ref task;
};

/// Prints a warning, once.
struct warn {
  std::string text;
};

using action = std::variant<allocate_block, free_block, issue_copy, issue_launch, deliver, complete,
                            retire, tell_run, start_timer, await_memory, await_time, give_up_device,
                            warn, put_aside, put_back, await_probe, answer, lend_block, keep_task>;

/// Actions in the order in which they have to be carried out.
using action_list = std::vector<action>;

}  // namespace hocket::placement
