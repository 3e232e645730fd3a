// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/scheduler/detail/lent_memory.hpp>
#include <hocket/streams/command.hpp>

#include "placement/answer_call.hpp"
#include "placement/run_tasks.hpp"
#include "placement/timed_part.hpp"

namespace hocket::placement {

class engine;

/// A buffer was made.
struct data_added {
  data_id data;
  index_list extents;
  element_type type = element_type::f32;
  std::string label;
  detail::lent_memory_ptr lent = {};  ///< memory of the program that it lies over
};

/// The last handle of the buffer is gone, and every task that used it has ended.
struct data_dropped {
  data_id data;
};

/// The runtime ends, and no task is pending: content comes back to the memory of the program. tell:
/// called once it is there, as far as there is any.
struct return_asked {
  answer_call tell;
};

struct submitted {
  task_ref task;
  failure unwanted;  ///< not empty: cancelled before it was submitted
};

/// A recorded graph is run, which lives until it has retired. Its first tasks are added. Each
/// run_continued adds more, and comes before any other event as long as engine::is_adding().
struct run_submitted {
  submitted_run* run;
};
struct run_continued {};

/// The tasks of the run are to be cancelled.
struct run_cancelled {
  run_ref run;
  failure why;
};

/// One future that the task waits for has ended.
struct external_ended {
  task_id task;
  failure why;
};

/// The task is to be cancelled, by the user or by a timer.
struct cancel_asked {
  task_id task;
  failure why;
};

/// The runtime stops: all tasks that were not issued are cancelled.
struct stop_asked {
  failure why;
};

/// The runtime ends when its tasks have: devices that were drained stay so.
struct end_asked {};

/// A view was closed, content was put back, or the tasks of a nested domain are complete. why: what
/// the task was to write is poisoned.
struct view_released {
  task_id task;
  failure why = {};
};

/// The call that was to open the view has thrown: it is not opened, unless it is open already, and
/// ends well when its turn comes.
struct view_refused {
  task_id task;
};

struct command_ended {
  stream_id stream;
  std::uint64_t value = 0;
  command_result how;
};

/// Consecutive commands of one stream have ended; the first has this value.
struct commands_ended {
  stream_id stream;
  std::uint64_t first = 0;
  std::vector<command_result> how;
};

/// The body of a command blocks, and yields its stream.
struct command_left {
  stream_id stream;
  std::uint64_t value = 0;
  time_stamp when{};
};

/// A command that yielded its stream has ended.
struct command_ended_apart {
  stream_id stream;
  std::uint64_t value = 0;
  command_result how;
};

/// No more tasks are to be placed on the device. tell: called once the device is empty, or will
/// not become so.
struct drain_asked {
  device_id device;
  answer_call tell;
};
/// The device is to take tasks again.
struct resume_asked {
  device_id device;
  answer_call tell;
};

/// The driver of the device is to be let go of. tell: called once no command refers to the device;
/// with a failure if it is in use. removes: it may be drained, and is removed then.
struct close_asked {
  device_id device;
  bool removes = false;
  answer_call tell;
};
/// The device, which had been lost or removed, is connected again.
struct device_opened {
  device_id device;
  answer_call tell;
};

struct device_gone {
  device_id device;
  failure why;
};

/// The time of an await_time action has passed.
struct time_passed {
  timed_part part;
};

/// The time of an await_probe action has passed.
struct rest_ended {
  device_id device;
};

/// The time of an await_memory action has passed.
struct memory_awaited {
  task_id task;
};

/// A memory had no room for the block of an allocate_block action. Commands that refer to the
/// block fail.
struct allocation_failed {
  block_id block;
  data_id data;
  memory_id memory;
  failure why;
};

/// Calls look between two events, for reports and searches.
struct inspected {
  std::function<void(const engine&)> look;
};

using event =
    std::variant<data_added, data_dropped, submitted, run_submitted, run_continued, run_cancelled,
                 external_ended, cancel_asked, stop_asked, end_asked, view_released, command_ended,
                 commands_ended, command_left, command_ended_apart, device_gone, memory_awaited,
                 time_passed, allocation_failed, inspected, drain_asked, resume_asked, close_asked,
                 device_opened, rest_ended, return_asked, view_refused>;

}  // namespace hocket::placement
