// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/core/array_part.hpp>
#include <hocket/core/duration.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/lent_list.hpp>
#include <hocket/core/timepoint.hpp>
#include <hocket/kernels/argument.hpp>
#include <hocket/kernels/definition.hpp>
#include <hocket/memory/resource.hpp>

namespace hocket {

/// Copies a box of a dense row-major array to the same place of another of the same extents.
/// Between which memories a copy goes.
enum class copy_route : std::uint8_t { to_device, to_host, between_devices };

struct copy_command {
  allocation from;
  allocation to;
  index_list extents;  ///< of the whole array
  std::size_t element_size = 0;
  box region;
  std::uint64_t bytes = 0;  ///< of the region
  copy_route route = copy_route::to_device;
};

/// A region of a buffer's replica, as an argument of a launch.
struct placed_buffer {
  allocation where;  ///< of the whole replica
  array_part_ref part;

  /// For devices whose memory the host can address.
  [[nodiscard]] buffer_argument argument() const {
    auto* const base = static_cast<std::byte*>(where.address());
    return {base == nullptr ? nullptr : base + part->first_byte(), part->type(), part->sizes(),
            part->strides()};
  }

  friend bool operator==(const placed_buffer& a, const placed_buffer& b) noexcept {
    return a.where == b.where && (a.part == b.part || *a.part == *b.part);
  }
};

using placed_buffers = lent_list<placed_buffer>;
using scalar_arguments = lent_list<scalar_argument>;

/// Runs a kernel. Buffers and scalars are in signature order, a hidden result last.
struct launch_command {
  kernel_ref kernel;
  placed_buffers buffers;
  scalar_arguments scalars;
  launch_work cost;
  body_width width = body_width::serial;
  /// Its body may wait for other tasks, and leaves its stream when it does: see host_stream. For
  /// who submits it to decide; on other streams it means nothing.
  bool may_leave = false;
};

/// A launch that commands point to: to hand one on copies no argument. It may be a part of a larger
/// object.
struct counted_launch : launch_command {
  counted_launch() = default;
  explicit counted_launch(launch_command&& what) : launch_command(std::move(what)) {}
  counted_launch(const counted_launch&) = delete;
  counted_launch& operator=(const counted_launch&) = delete;
  virtual ~counted_launch() = default;

  /// The function that is called on the host: the kernel's body, or one of the launch's own.
  [[nodiscard]] virtual const std::function<void(const host_launch&)>& body() const noexcept {
    return kernel->host;
  }
  /// The last reference is gone: nothing refers to the launch any more. Any thread.
  virtual void unused() const noexcept { delete this; }
  /// True if the caller's reference is the only one.
  [[nodiscard]] bool is_unshared() const noexcept {
    // Acquire: pairs with the releases of the references that are gone.
    return references_.load(std::memory_order_acquire) == 1;
  }

  friend void intrusive_ptr_add_ref(const counted_launch* l) noexcept {
    // A new reference comes from an old one, which keeps the object alive: nothing to order.
    l->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(const counted_launch* l) noexcept {
    // Release and acquire pair with one another: the deletion comes after all uses.
    if (l->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) l->unused();
  }

 private:
  mutable std::atomic<std::uint32_t> references_{0};
};
using launch_ref = boost::intrusive_ptr<const counted_launch>;

/// The launches that stand for one of a sequence, in order.
[[nodiscard]] std::vector<launch_command> parts_of(const launch_command& what);

/// Ends at once with a failure: stands for a command that cannot be made, so that the numbers of
/// the stream stay without gaps.
struct failed_command {
  failure why;
};

/// One command of a stream. It starts when the command before it on its stream has ended and every
/// timepoint of `after` is done.
struct command {
  std::uint64_t value = 0;  ///< its number on the stream: one more than the one before it
  boost::container::small_vector<timepoint, 4> after;
  std::variant<copy_command, launch_ref, failed_command> what;
  /// Of a launch: its programs are compiled, as the first such launch would have it, and nothing
  /// runs. The addresses of its buffers are not known.
  bool prepares_only = false;

  /// Null if it is no launch.
  [[nodiscard]] const counted_launch* launch() const noexcept {
    const launch_ref* const found = std::get_if<launch_ref>(&what);
    return found == nullptr ? nullptr : found->get();
  }
};

/// How a command ended. A failure of a kernel is the task's; the stream goes on.
struct command_result {
  failure why;
  time_stamp begin{};
  time_stamp end{};
};

}  // namespace hocket
