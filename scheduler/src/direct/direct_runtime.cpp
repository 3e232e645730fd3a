// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "direct/direct_runtime.hpp"

#include <algorithm>

#include <boost/container/small_vector.hpp>

#include <hocket/scheduler/detail/arguments.hpp>

#include "direct/direct_task.hpp"
#include "direct/hold_node.hpp"
#include "machine_parts.hpp"
#include "runtime_core.hpp"

namespace hocket::detail {

bool direct_runtime::suits(const machine_parts& machine, const executor& where) {
  const heart::machine& all = machine.description();
  if (all.memories.size() != 1 || all.devices.size() != 1) return false;
  const device_info& only = machine.infos().front();
  return only.shares_host_memory && only.formats == std::vector{kernel_format::host} &&
         only.lanes == where.workers(only.arena);
}

direct_runtime::direct_runtime(runtime_core& home, machine_parts& machine)
    : home_(home),
      arena_(machine.infos().front().arena),
      one_arena_(home.where().arenas() == 1),
      storage_(std::make_shared<host_storage>(
          machine.host_memory(), machine.host_alignment(), machine.infos().front().name,
          machine.description().memories.front().capacity, home.where())) {}

direct_runtime::~direct_runtime() { storage_->close(); }

host_context& direct_runtime::context() noexcept { return home_; }

void direct_runtime::function_begins() noexcept { home_.submission_made(); }
void direct_runtime::function_over() noexcept { home_.submission_gone(); }

std::unique_ptr<data_order> direct_runtime::make_order(const box& whole, std::uint64_t bytes) {
  return std::make_unique<data_order>(storage_, whole, bytes);
}

namespace {

/// True if the task has none of the options that few tasks have.
bool has_usual_options(const task_options& options) {
  // There is one device, so that it does not matter whether it is named.
  const bool anywhere = !options.on || options.on->id == device_id{0};
  return anywhere && !options.stop.stop_possible() && !options.in_order && !options.takes &&
         options.returns.empty() && options.timeout == nanoseconds::max() &&
         options.deadline == time_stamp::max();
}

bool belongs_to(const direct_argument& argument, const host_storage& home) {
  if (argument.data == nullptr) return true;
  const data_order* const order = (*argument.data)->order();
  return order != nullptr && order->belongs_to(home);
}

bool fits(std::span<const direct_argument> arguments, const host_storage& home) {
  std::uint64_t bytes = 0;
  for (const direct_argument& each : arguments) {
    if (each.data != nullptr) bytes += (*each.data)->bytes();
  }
  return bytes <= home.capacity();
}

bool shares_a_buffer(std::span<const direct_argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].data == nullptr) continue;
    for (std::size_t j = i + 1; j < arguments.size(); ++j) {
      if (arguments[j].data != nullptr && *arguments[i].data == *arguments[j].data) return true;
    }
  }
  return false;
}

}  // namespace

bool direct_runtime::is_plain(const task_options& options, const kernel_ref& kernel,
                              const launch_function& function,
                              std::span<const direct_argument> arguments) const {
  return has_usual_options(options) && (function || kernel->host) && !kernel->check &&
         home_.is_open() && fits(arguments, *storage_) &&
         std::all_of(arguments.begin(), arguments.end(),
                     [&](const auto& each) { return belongs_to(each, *storage_); }) &&
         !shares_a_buffer(arguments);
}

completion_ptr direct_runtime::launch(const task_options& options, const kernel_ref& kernel,
                                      launch_function function,
                                      std::span<const direct_argument> arguments) {
  if (!is_plain(options, kernel, function, arguments)) {
    kernel_ref whole = kernel;
    if (function) {
      whole = changed(*kernel, [&](auto& made) { made.host = std::move(function); });
    }
    task_description task = described(options, whole, whole != kernel);
    for (const direct_argument& each : arguments) {
      if (each.data != nullptr) {
        task.arguments.push_back(access_argument{*each.data, *each.where, each.mode});
      } else {
        task.arguments.push_back(each.number);
      }
    }
    return home_.launch(std::move(task));
  }
  boost::container::small_vector<completion_ptr, 4> after;
  for (const any_future& before : options.after) {
    if (before.state() == nullptr) {
      throw usage_error("A task is to run after a future without a task.");
    }
    before.state()->check_waitable();
    after.push_back(before.state());
  }
  for (const direct_argument& each : arguments) {
    if (each.number.from != nullptr) each.number.from->check_waitable();
  }
  const auto made =
      direct_task::make(*this, {options_of(options.label, options.priority, options.stop),
                                kernel,
                                std::move(function),
                                arguments,
                                {after.data(), after.size()}});
  made->start();
  return made;
}

host_options direct_runtime::options_of(task_label label, std::int64_t priority,
                                        std::stop_token stop) const {
  host_options made;
  made.label = std::move(label);
  made.priority = priority < 0 ? -1 : (priority > 0 ? 1 : 0);
  made.stop = std::move(stop);
  if (!one_arena_) made.arena = arena_;
  return made;
}

completion_ptr direct_runtime::launch(task_description&& task) {
  std::vector<direct_argument> arguments;
  for (const auto& each : task.arguments) {
    if (const auto* use = std::get_if<access_argument>(&each)) {
      arguments.push_back({&use->data, &use->where, use->mode, {}});
    } else {
      const auto& number = std::get<number_argument>(each);
      if (number.from != nullptr) number.from->check_waitable();
      arguments.push_back({nullptr, nullptr, access_mode::read, number});
    }
  }
  for (const completion_ptr& before : task.after) before->check_waitable();
  const bool as_kernel = task.label == task.kernel->name;
  direct_content from{options_of(as_kernel ? task_label() : task_label(std::move(task.label)),
                                 task.priority, task.stop),
                      task.kernel,
                      {},
                      arguments,
                      task.after,
                      task.timeout,
                      {},
                      task.scope,
                      static_cast<hold_node*>(task.within.node.get())};
  if (task.in_order || task.takes || !task.returns.empty()) {
    from.wish.id = task_id{home_.next_number()};
    from.wish.priority = task.priority;
    from.wish.in_order = task.in_order;
    if (task.takes) {
      from.wish.budget = task.takes->budget;
      from.wish.bytes = task.takes->bytes;
    }
    for (const completion_ptr& taker : task.returns) {
      const auto* const other = dynamic_cast<const direct_task*>(taker.get());
      if (other != nullptr && other->has_wish()) from.wish.returns.push_back(other->wish().id);
    }
  }
  const auto made = direct_task::make(*this, std::move(from));
  made->begin(task.timeout);
  return made;
}

direct_runtime::tally& direct_runtime::own_tally() noexcept {
  // Threads have their variables far from one another.
  [[gnu::tls_model("initial-exec")]] static thread_local const char here = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&here);
  return tallies_[(address >> 12U) * 0x9e3779b97f4a7c15ULL >> 60U];
}

heart::device_statistics direct_runtime::statistics() const {
  heart::device_statistics sum;
  for (const tally& each : tallies_) {
    // Only numbers, that nothing depends on: relaxed, here and where they are counted.
    sum.kernels += each.kernels.load(std::memory_order_relaxed);
    sum.busy += nanoseconds(each.busy.load(std::memory_order_relaxed));
    sum.flops += each.flops.load(std::memory_order_relaxed);
  }
  sum.peak_bytes = storage_->peak();
  return sum;
}

direct_runtime::counted::counted(direct_runtime& home, std::size_t kernels, double flops) noexcept
    : home_(home), kernels_(kernels), flops_(flops), begin_(home.home_.where().now()) {}

direct_runtime::counted::~counted() {
  const nanoseconds took = home_.home_.where().now() - begin_;
  tally& own = home_.own_tally();
  // Relaxed: see statistics().
  own.kernels.fetch_add(kernels_, std::memory_order_relaxed);
  own.busy.fetch_add(took.count(), std::memory_order_relaxed);
  own.flops.fetch_add(flops_, std::memory_order_relaxed);
}

}  // namespace hocket::detail
