// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/streams/command.hpp>

#include "placement/request.hpp"

namespace hocket::placement {

class engine;

/// A buffer exists from here on.
struct data_added {
  data_id data;
  index_list extents;
  std::size_t element_size = 0;
  std::string label;
};

/// Nobody can name the buffer any more, and every task that used it has ended.
struct data_dropped {
  data_id data;
};

struct budget_added {
  budget_id budget;
  std::uint64_t bytes = 0;
};

struct submitted {
  request_ref task;
  failure unwanted;  ///< cancelled before it came
};

/// One future that the task waits for is final.
struct external_ended {
  task_id task;
  failure why;
};

/// Somebody wants the task not to run: cancelled or timed out.
struct cancel_asked {
  task_id task;
  failure why;
};

/// Everything that was not issued is cancelled.
struct stop_asked {
  failure why;
};

/// A view, or a hold, has ended; why: what was to be written within a hold will not be.
struct view_released {
  task_id task;
  failure why = {};
};

struct command_ended {
  stream_id stream;
  std::uint64_t value = 0;
  command_result how;
};

/// Commands of one stream that follow one another, the first of which has this value.
struct commands_ended {
  stream_id stream;
  std::uint64_t first = 0;
  std::vector<command_result> how;
};

/// A command's body waits, and its stream goes on without it.
struct command_left {
  stream_id stream;
  std::uint64_t value = 0;
  time_stamp when{};
};

/// A command that left its stream has ended.
struct command_ended_apart {
  stream_id stream;
  std::uint64_t value = 0;
  command_result how;
};

struct device_gone {
  device_id device;
  failure why;
};

/// The task has waited for memory so long that something is to be done about it.
struct memory_awaited {
  task_id task;
};

/// A memory had no room for a block that an action asked for. Commands that refer to the block
/// fail.
struct allocation_failed {
  block_id block;
  data_id data;
  memory_id memory;
  failure why;
};

/// Looks at the placement engine between two events, for reports and questions.
struct inspected {
  std::function<void(const engine&)> look;
};

using event =
    std::variant<data_added, data_dropped, budget_added, submitted, external_ended, cancel_asked,
                 stop_asked, view_released, command_ended, commands_ended, command_left,
                 command_ended_apart, device_gone, memory_awaited, allocation_failed, inspected>;

}  // namespace hocket::placement
