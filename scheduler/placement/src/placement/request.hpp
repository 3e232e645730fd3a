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

/// One access of a task to a region of a buffer. The submission keeps the part alive.
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
  std::uint32_t trace_name = 0;

  bool host_only = false;   ///< a host function: runs on devices of the host alone
  std::uint64_t bytes = 0;  ///< sum over the buffers that it uses, each whole

  /// If valid, the nested domain that the task belongs to: the task is ordered only with others in
  /// the domain, which is open and stays so until all of its tasks have ended.
  task_id within;

  std::optional<device_id> on;
  std::int64_t priority = 0;  ///< higher first
  bool in_order = false;      ///< starts after tasks of higher priority of its device
  nanoseconds timeout = nanoseconds::max();

  std::uint32_t external = 0;  ///< futures it waits for; the end of each is posted once
  budget_id budget;            ///< the bytes are taken when the task starts
  std::uint64_t budget_bytes = 0;
};

/// A task as it was submitted. It does not change once the end of every external predecessor was
/// posted, except for the blocks of its accesses, which the engine sets.
struct request : request_facts {
  virtual ~request() = default;

  /// Called when the last reference is gone.
  virtual void unused() noexcept { delete this; }

  task_label label;
  /// Of a launch: the command, without the addresses of its buffers.
  boost::intrusive_ptr<counted_launch> launch;
  boost::container::small_vector<task_access, 3> accesses;  ///< as in the signature, a result last
  std::vector<task_id> returns;  ///< tasks whose budget bytes come back when this one ends

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

 private:
  std::atomic<std::uint32_t> references_{0};
};

using request_ref = boost::intrusive_ptr<request>;

}  // namespace hocket::placement
