// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/intrusive/list_hook.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <hocket/core/access.hpp>
#include <hocket/core/array_part.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/core/lent_list.hpp>
#include <hocket/scheduler/task_label.hpp>
#include <hocket/streams/command.hpp>

namespace hocket::placement {

struct tracked_buffer;

/// One access of a task to a region of a buffer. The submission keeps the part alive.
struct task_access {
  data_id data;
  const array_part* part = nullptr;
  access_mode mode = access_mode::read;
  bool is_all = false;        ///< the region is all of the buffer
  bool is_in_history = true;  ///< false: only tasks of the same run concern it
  // What follows is the engine's.
  bool is_pinned = false;            ///< the replica has a pin of this access
  block_id block = {};               ///< once the launch is issued; none for an empty region
  tracked_buffer* buffer = nullptr;  ///< lives as long as the task
  std::uint64_t age = 0;             ///< of the task
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      among_unissued{};  ///< of the buffer, until the task is issued or has ended

  [[nodiscard]] const box& region() const noexcept { return part->region(); }
  [[nodiscard]] bool is_empty() const noexcept { return part->elements() == 0; }
};

/// The kinds of tasks.
enum class task_kind : std::uint8_t {
  launch,  ///< run a kernel, or a host function with accesses, on a device
  view,    ///< make a region addressable for the host until it is released
  fetch,   ///< the same for an instant: the value is taken out when it is delivered
  domain,  ///< open a nested domain over some buffers, until it is released
};

/// The plain values of a request.
struct request_facts {
  task_id id;
  task_kind kind = task_kind::launch;
  bool host_only = false;  ///< a host function: runs on devices of the host alone
  bool in_order = false;   ///< starts after tasks of higher priority of its device
  // One byte, or the next member would need a word more.
  bool is_limited : 1 = false;      ///< its limits hold a timeout, a budget or returns
  bool is_of_run : 1 = false;       ///< it is a run_task
  bool is_recovery : 1 = false;     ///< it is a recovery_task, and a run_task
  bool is_duplicate : 1 = false;    ///< it is a task_duplicate
  bool is_preparation : 1 = false;  ///< it is a kernel_preparation
  bool is_brief : 1 = false;        ///< a view that its thread closes without waiting for anything
  bool is_refused : 1 = false;      ///< a view that is not to be opened: the engine notes it
  std::uint32_t trace_name = 0;
  std::uint64_t bytes = 0;  ///< sum over the buffers that it uses, each whole

  /// If valid, the nested domain that the task belongs to: the task is ordered only with others in
  /// the domain, which is open and stays so until all of its tasks have ended.
  task_id within;

  device_id on;                ///< if valid, where it has to run, and the line of tasks in order
  std::int64_t priority = 0;   ///< higher first
  std::uint32_t external = 0;  ///< futures it waits for; the end of each is posted once
};

/// Bytes and time that a task may take. Few tasks have limits.
struct task_limits {
  virtual ~task_limits() = default;

  budget_id budget;  ///< the bytes are taken from it when the task starts; not valid: none are
  std::uint64_t bytes = 0;
  std::uint64_t capacity = 0;    ///< all bytes of the budget
  std::vector<task_id> returns;  ///< tasks whose bytes come back when this one ends
  nanoseconds timeout = nanoseconds::max();
};

/// A task as it was submitted. It does not change once the end of every external predecessor was
/// posted, but for what the engine notes in its accesses.
struct request : request_facts {
 private:
  std::atomic<std::uint32_t> references_{0};  // in the padding

 public:
  virtual ~request() = default;

  /// Called when the last reference is gone.
  virtual void unused() noexcept { delete this; }

  task_label label;
  /// Of a launch: the command, without the addresses of its buffers.
  boost::intrusive_ptr<counted_launch> launch;
  lent_list<task_access> accesses;      ///< as in the signature, a result last
  std::unique_ptr<task_limits> limits;  ///< null: none

  [[nodiscard]] bool takes_bytes() const noexcept { return is_limited && limits->budget.valid(); }

  /// The label, or the name of the kernel if there is none.
  [[nodiscard]] std::string_view label_text() const noexcept {
    return label.empty() && launch != nullptr ? std::string_view(launch->kernel->name)
                                              : label.text();
  }

  friend void intrusive_ptr_add_ref(request* r) noexcept {
    // A new reference comes from an old one, which keeps the object alive: nothing to order.
    r->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(request* r) noexcept {
    // Release and acquire pair with one another: what comes of it comes after all uses.
    if (r->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) r->unused();
  }
};

}  // namespace hocket::placement
