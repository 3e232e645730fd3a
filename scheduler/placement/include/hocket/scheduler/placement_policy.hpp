// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/duration.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {

/// What it takes to run a task on one of the devices that can. Times are predicted, and count from
/// now on.
struct placement_option {
  std::size_t device = 0;  ///< its place in runtime::devices()
  nanoseconds time{0};     ///< that the task runs
  nanoseconds backlog{0};  ///< until a lane of the device is done with what is queued and in flight
  nanoseconds arrival{0};  ///< until all that the task reads is in the memory of the device
  nanoseconds copies{0};   ///< that links are busy for the task
  std::size_t lanes = 1;   ///< of the device
  std::size_t tasks = 0;   ///< that the device was given and that have not ended
  std::size_t room = 0;    ///< how many tasks more the device should have, so as not to stand idle
  double watts = 0;        ///< that the device takes while it works; 0: unknown

  /// When the task would end there.
  [[nodiscard]] nanoseconds end() const { return std::max(backlog, arrival) + time; }
};

/// A part of a buffer that the task uses.
struct placement_access {
  std::uint64_t buffer = 0;  ///< a number: buffers that were made later have larger ones
  const box* region = nullptr;
  std::uint64_t bytes = 0;
  access_mode mode = access_mode::read;
};

/// A task for which a device is to be chosen.
struct placement_task {
  std::string_view label;
  std::string_view kernel;
  std::uint64_t number = 0;  ///< how many tasks were submitted before it
  std::int64_t priority = 0;
  nanoseconds rank{0};  ///< how long the longest chain of tasks that begins with it takes
  std::span<const placement_access> accesses;  ///< as in the signature of the kernel
  std::span<const placement_option> options;   ///< at least one, in the order of devices
};

/// The moment in which a policy chooses.
enum class placement_moment : std::uint8_t {
  when_ready,  ///< when the task could start, or before; ranks are not computed
  by_rank,     ///< likewise, and of tasks that can start together by priority, rank and age
  when_room    ///< by priority, rank and age, again and again until the chosen device has room
};

/// Chooses devices for the tasks of one runtime. A policy of one's own is given to
/// runtime_options::own_policy. Functions are called by one thread at a time, and never from two
/// runtimes; they must not use the runtime. What they throw, and an answer that is no option, is
/// printed on standard error once, and the option that ends first is taken.
///
/// ```cpp
/// class least_tasks final : public placement_policy {
///   std::size_t choose(const placement_task& task) override {
///     return std::ranges::min_element(task.options, {}, &placement_option::tasks)->device;
///   }
/// };
/// runtime rt({.own_policy = std::make_shared<least_tasks>()});
/// const buffer<float> x{rt, 100, 1.0f, "x"};
/// rt.submit(ops::axpy, 2.0f, reads(x), updates(x));
/// ```
class placement_policy {
 public:
  placement_policy() = default;
  placement_policy(const placement_policy&) = delete;
  placement_policy& operator=(const placement_policy&) = delete;
  virtual ~placement_policy() = default;

  /// The device of one of the options. A policy may be asked more than once for a task, and before
  /// the task could start, where a device orders the task behind another one itself. It is not
  /// asked where only one device can run the task, or the task names one.
  [[nodiscard]] virtual std::size_t choose(const placement_task& task) = 0;

  /// Always the same.
  [[nodiscard]] virtual placement_moment moment() const { return placement_moment::when_ready; }

  /// True if devices that stand idle may take tasks from the queues of others. Always the same.
  [[nodiscard]] virtual bool moves_tasks() const { return false; }

  /// True if a device that stands idle, and has nothing queued, is to take the task out of the
  /// queue of the device for which it was chosen. It is asked for some of the last in each queue.
  [[nodiscard]] virtual bool should_move(const placement_task& /*task*/,
                                         const placement_option& /*from*/,
                                         const placement_option& /*to*/) {
    return false;
  }
};

/// The names that runtime_options::policy takes, the usual one first.
[[nodiscard]] std::vector<std::string> placement_policies();

}  // namespace hocket
