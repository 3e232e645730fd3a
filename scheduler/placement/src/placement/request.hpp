// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <hocket/core/access.hpp>
#include <hocket/core/array_part.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/scheduler/task_label.hpp>
#include <hocket/streams/command.hpp>

namespace hocket::placement {

/// One access of a task to a region of a buffer. Who makes the task keeps the part.
struct task_access {
  data_id data;
  const array_part* part = nullptr;
  access_mode mode = access_mode::read;
  bool is_all = false;  ///< the region is all of the buffer
  block_id block =
      {};  ///< set by the placement engine when it issues the launch; none for an empty region

  [[nodiscard]] const box& region() const noexcept { return part->region(); }
  [[nodiscard]] bool is_empty() const noexcept { return part->elements() == 0; }
};

/// What the placement engine has to do for a task.
enum class task_kind : std::uint8_t {
  launch,  ///< run a kernel, or a host function with accesses, on a device
  view,    ///< make a region addressable for the host until it is released
  fetch,   ///< the same for an instant: the value is taken out when it is delivered
  domain,  ///< keep a place in the order of the tasks that use some buffers, until it is released
};

/// What is said of a task in plain values.
struct request_facts {
  task_id id;
  task_kind kind = task_kind::launch;
  std::uint32_t trace_name = 0;

  bool host_only = false;   ///< a host function: runs on devices of the host alone
  std::uint64_t bytes = 0;  ///< of the whole buffers that it uses

  /// A hold, if valid: to what it holds this has access in its place, in order only with others
  /// within it. The hold was given and is not released, and stays until all of these have ended.
  task_id within;

  std::optional<device_id> on;
  std::int64_t priority = 0;  ///< higher first
  bool in_order = false;      ///< never before those of higher priority with the same device
  nanoseconds timeout = nanoseconds::max();

  std::uint32_t external = 0;  ///< futures that have to succeed before; each is reported once
  budget_id budget;            ///< taken from when the task starts
  std::uint64_t budget_bytes = 0;
};

/// A task as it was submitted. The front fills it and does not change it any more once every
/// external predecessor was reported; of what is in it the placement engine sets blocks alone.
struct request : request_facts {
  virtual ~request() = default;

  /// Nobody refers to it any more; it was made with new.
  virtual void unused() noexcept { delete this; }

  task_label label;
  /// Of a launch: what is given to a device, but for where its buffers are.
  boost::intrusive_ptr<counted_launch> launch;
  boost::container::small_vector<task_access, 3> accesses;  ///< as in the signature, a result last
  std::vector<task_id> returns;  ///< tasks whose budget bytes come back when this one ends

  /// Without a label what its kernel is called.
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

 private:
  std::atomic<std::uint32_t> references_{0};
};

using request_ref = boost::intrusive_ptr<request>;

}  // namespace hocket::placement
