// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/duration.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/core/shape.hpp>
#include <hocket/devices/device.hpp>

namespace hocket {

/// A device on which a task could have run, at the moment when its device was chosen. Times count
/// from then on, and are predicted.
struct traced_candidate {
  device_id device;
  nanoseconds time{0};      ///< that the task runs
  nanoseconds arrival{0};   ///< until all that it reads is there
  nanoseconds end{0};       ///< until it ends, behind what the device was given before
  std::uint64_t bytes = 0;  ///< that have to be copied there
  // The policy adds these to the end before it compares; the least sum wins.
  nanoseconds links{0};    ///< for the use of links
  nanoseconds staying{0};  ///< for what later tasks lose where its buffers stay there
  nanoseconds price{0};    ///< for what the device is worth to other tasks
};

/// Why a task has the device that it has.
enum class traced_choice : std::uint8_t {
  none,    ///< it has none: a view, or a task that ended before
  policy,  ///< the policy chose one of several
  named,   ///< the task names it: task_options::on
  only,    ///< no other device can run the task
  behind,  ///< it was queued behind a task before it, on the device of that, where the policy
           ///< agreed
  moved,   ///< an idle device took it from the queue of another one
  kept,    ///< it ran there in the earlier run of its graph whose schedule this one repeats
};

enum class traced_kind : std::uint8_t { launch, view, fetch, domain };

struct traced_access {
  data_id buffer;
  access_mode mode = access_mode::read;
  std::uint64_t bytes = 0;
  index_list begin;  ///< of the region; empty: all of the buffer
  index_list end;
};

/// One placed task, from its submission to its end. Times that did not come are 0.
struct traced_task {
  task_id id;
  std::uint64_t number = 0;  ///< how many tasks were submitted before it
  std::string name;          ///< its label, or the name of the kernel
  std::string kernel;        ///< empty for a view
  traced_kind kind = traced_kind::launch;
  bool host_only = false;  ///< a function over views
  bool wide = false;       ///< it takes all lanes of a device of the host
  bool failed = false;
  std::int64_t priority = 0;
  device_id named;  ///< by task_options::on; not valid: by no option
  device_id device;
  stream_id stream;
  traced_choice why = traced_choice::none;
  time_stamp submitted{};
  time_stamp ready{};      ///< the tasks before it had ended, or were in the same queue
  time_stamp chosen{};     ///< it got its device
  time_stamp committed{};  ///< its copies were planned, and it asked for memory
  time_stamp issued{};     ///< it had its memory
  time_stamp begin{};      ///< of a view: the program got it
  time_stamp end{};
  nanoseconds predicted{0};
  double flops = 0;  ///< by the cost of its kernel
  double bytes = 0;  ///< likewise
  std::vector<traced_candidate> candidates;
  std::vector<traced_access> accesses;
  std::vector<task_id> after;  ///< tasks before it that had not ended when it was submitted
};

/// A copy between two memories. Memory 0 is that of the host.
struct traced_copy {
  task_id task;  ///< that it is for; not valid: memory was made free
  data_id buffer;
  memory_id from;
  memory_id to;
  stream_id stream;
  std::uint64_t bytes = 0;
  time_stamp wanted{};
  time_stamp begin{};
  time_stamp end{};
};

struct traced_buffer {
  data_id id;
  std::string label;
  index_list extents;
  std::size_t element_size = 0;
};

/// The part of a trace with runtime_options::trace_decisions that is not spans: enough to tell why
/// each placed task ran where and when it did, and to simulate the run again. Only tasks that have
/// ended are in it.
struct traced_run {
  std::string policy;
  bool is_virtual = false;           ///< times are of the virtual clock
  std::vector<device_info> devices;  ///< empty without trace_decisions
  std::vector<memory_id> memories;   ///< of each device
  std::vector<traced_buffer> buffers;
  std::vector<traced_task> tasks;  ///< in the order of submission
  std::vector<traced_copy> copies;
  std::uint64_t dropped = 0;  ///< older tasks and copies that there was no room for
};

}  // namespace hocket
