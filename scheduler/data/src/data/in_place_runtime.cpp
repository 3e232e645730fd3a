// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_runtime.hpp"

#include <algorithm>
#include <cmath>

#include <boost/container/small_vector.hpp>

#include <hocket/core/saturating.hpp>
#include <hocket/scheduler/detail/arguments.hpp>
#include <hocket/scheduler/detail/task_waits.hpp>

#include "data/bare_launch.hpp"
#include "data/data_runtime.hpp"
#include "data/domain_node.hpp"
#include "data/extents_check.hpp"
#include "data/in_place_starter.hpp"
#include "data/in_place_task.hpp"

namespace hocket::detail {

in_place_runtime::in_place_runtime(data_runtime& home, const host_part& host)
    : home_(home),
      context_(home),
      arena_(host.arena),
      one_arena_(home.where().arenas() == 1),
      is_simple_(one_arena_ && home.only_counts()),
      models_time_(home.where().is_virtual()),
      start_(home.where().now()),
      first_tick_(ticks()),
      device_name_(host.device_name),
      storage_(std::make_shared<host_storage>(host.memory, host.alignment, host.device_name,
                                              host.capacity, home.where())) {}

in_place_runtime::~in_place_runtime() { storage_->close(); }

void in_place_runtime::keep_open() noexcept { home_.submission_made(); }
void in_place_runtime::let_close() noexcept { home_.submission_gone(); }

void in_place_runtime::end_kept_back() {
  ready_list next;
  admit(gate_.let_all_end(), next);
}

std::unique_ptr<in_place_history> in_place_runtime::make_order(const box& whole,
                                                               std::uint64_t bytes,
                                                               buffer_argument&& argument,
                                                               lent_memory_ptr lent) {
  return std::make_unique<in_place_history>(storage_, whole, bytes, std::move(argument),
                                            std::move(lent));
}

namespace {

/// True if the task has none of the options that few tasks have.
bool has_usual_options(const task_options& options, const data_runtime& home) {
  // There is one device, so that it does not matter whether it is named.
  const bool anywhere =
      !options.on || (options.on->id == device_id{0} &&
                      (options.on->runtime == 0 || options.on->runtime == home.number()));
  return anywhere && !options.stop.stop_possible() && !options.in_order && !options.takes &&
         options.returns.empty() && options.timeout == nanoseconds::max() &&
         options.deadline == time_stamp::max();
}

/// True if the buffers are of this runtime, fit into its memory together, and none is used twice.
inline bool are_usual(std::span<const borrowed_access> accesses, const host_storage& home) {
  std::uint64_t bytes = 0;
  const borrowed_access* const end = accesses.data() + accesses.size();
  for (const borrowed_access* each = accesses.data(); each != end; ++each) {
    const buffer_state* const data = each->data->get();
    const in_place_history* const order = data->order();
    if (order == nullptr || !order->belongs_to(home)) return false;
    bytes = saturating_add(bytes, data->bytes());
    for (const borrowed_access* before = accesses.data(); before != each; ++before) {
      if (before->data->get() == data) return false;
    }
  }
  return bytes <= home.capacity();
}

}  // namespace

/// Nothing is refused, and the task may keep the kernel.
inline bool in_place_runtime::may_launch(const kernel_definition& kernel, bool has_function) const {
  return (has_function || kernel.host) && !kernel.keeps_captures && home_.is_open();
}

task_state* in_place_runtime::submit(const kernel_ref& kernel, make_device_state make_state) {
  const kernel_definition& what = *kernel;
  const bool is_bare =
      !what.result && !what.width && !what.estimate && what.sequence.empty() && is_simple_;
  if (!is_bare || what.check || !may_launch(what, false)) [[unlikely]]
    return submit(without_arguments(kernel, make_state));
  return bare_launch::start_new(*this, kernel);
}

task_state* in_place_runtime::submit(const borrowed_launch& what) {
  const kernel_definition& kernel = *what.kernel;
  const bool has_more =
      what.parts + what.awaited > 0 || what.function.body != nullptr || kernel.result;
  if (what.options != nullptr || has_more || !is_simple_ || !may_launch(kernel, false) ||
      !are_usual(what.accesses, *storage_) || !takes_extents(kernel, what.accesses)) [[unlikely]] {
    return launch_specially(what).detach();
  }
  return in_place_starter::start_new(*this, what);
}

task_state_ptr in_place_runtime::launch_specially(const borrowed_launch& what) {
  const bool is_plain = (what.options == nullptr || has_usual_options(*what.options, home_)) &&
                        may_launch(*what.kernel, what.function.body != nullptr) &&
                        are_usual(what.accesses, *storage_) &&
                        takes_extents(*what.kernel, what.accesses);
  if (!is_plain) return home_.launch(described(what));
  for (const borrowed_number& each : what.numbers) {
    if (each.from != nullptr) check_readable(**each.from);
  }
  const task_options* const options = what.options;
  const bool say_nothing = options == nullptr || (options->label.empty() &&
                                                  options->priority == 0 && options->after.empty());
  if (say_nothing && what.awaited == 0 && one_arena_) {
    return {in_place_starter::start_with_more(*this, what), false};
  }
  return options == nullptr ? launch_with({}, what) : launch_with(*options, what);
}

task_state_ptr in_place_runtime::launch_with(const task_options& options,
                                             const borrowed_launch& what) {
  boost::container::small_vector<task_state_ptr, 4> after;
  for (const any_future& before : options.after) {
    after.push_back(before.state());
    if (after.back() == nullptr) {
      throw usage_error("A task names a future without a task.");
    }
    check_waitable(*after.back());
  }
  return in_place_starter::start(
      *this, what,
      {options_of(options.label, options.priority, options.stop), {after.data(), after.size()}});
}

host_options in_place_runtime::options_of(task_label label, std::int64_t priority,
                                          std::stop_token stop) const {
  host_options made;
  made.label = std::move(label);
  made.priority = priority < 0 ? -1 : (priority > 0 ? 1 : 0);
  made.stop = std::move(stop);
  if (!one_arena_) made.arena = arena_;
  return made;
}

task_state_ptr in_place_runtime::launch(task_description&& task) {
  std::vector<borrowed_access> accesses;
  std::vector<borrowed_number> numbers;
  std::uint32_t parts = 0;
  std::uint32_t awaited = 0;
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (const auto* use = std::get_if<access_argument>(&task.arguments[i])) {
      const bool is_whole = use->where == use->data->whole();
      accesses.push_back({&use->data, is_whole ? nullptr : &use->where, use->mode});
      parts += is_whole ? 0 : 1;
      continue;
    }
    const auto& number = std::get<number_argument>(task.arguments[i]);
    borrowed_number& made = numbers.emplace_back(borrowed_number{number.value});
    if (number.from == nullptr) continue;
    check_readable(*number.from);
    made.value.type = task.kernel->parameters[i].type;
    made.from = &number.from;
    made.convert = number.convert;
    ++awaited;
  }
  for (const task_state_ptr& before : task.after) check_waitable(*before);
  // Such a task lets go of its kernel when it ends, and has a name nevertheless.
  if (task.kernel->keeps_captures && task.label.empty()) task.label = task.kernel->name;
  in_place_content from{options_of(std::move(task.label), task.priority, task.stop),
                        task.after,
                        task.timeout,
                        {},
                        task.scope,
                        static_cast<domain_node*>(task.within.node.get())};
  if (task.in_order || task.takes || !task.returns.empty()) {
    from.request.id = task_id{home_.next_number()};
    from.request.priority = task.priority;
    from.request.in_order = task.in_order;
    if (task.takes) {
      from.request.budget = task.takes->budget;
      from.request.bytes = task.takes->bytes;
      from.request.capacity = task.takes->capacity;
    }
    for (const task_state_ptr& taker : task.returns) {
      const auto* const other = dynamic_cast<const in_place_task*>(taker.get());
      const in_place_control* const control = other == nullptr ? nullptr : other->control();
      if (control != nullptr && control->has_request()) {
        from.request.returns.push_back(control->request().id);
      }
    }
  }
  const borrowed_launch what{.kernel = task.kernel,
                             .accesses = accesses,
                             .numbers = numbers,
                             .parts = parts,
                             .awaited = awaited,
                             .function = {.bytes = task.function_bytes, .box = task.box.get()}};
  return in_place_starter::start(*this, what, std::move(from));
}

std::uint64_t in_place_runtime::modelled_ticks() const noexcept {
  return static_cast<std::uint64_t>(home_.where().now().count());
}

device_statistics in_place_runtime::statistics() const {
  device_statistics sum;
  std::uint64_t busy = 0;
  for (const tally& each : tallies_) {
    // Only numbers, that nothing depends on: relaxed, here and where they are counted.
    sum.kernels += each.kernels.load(std::memory_order_relaxed);
    busy += each.busy.load(std::memory_order_relaxed);
    sum.flops += each.flops.load(std::memory_order_relaxed) +
                 static_cast<double>(each.elements.load(std::memory_order_relaxed));
  }
  const std::uint64_t passed = ticks() - first_tick_;
  const double share =
      static_cast<double>(busy) / static_cast<double>(std::max<std::uint64_t>(passed, 1));
  const nanoseconds since_start = home_.where().now() - start_;
  sum.busy = nanoseconds(std::llround(share * static_cast<double>(since_start.count())));
  sum.peak_bytes = storage_->peak();
  sum.used_bytes = storage_->used();
  sum.memory_bytes = storage_->capacity();
  return sum;
}

void in_place_runtime::count_more(std::size_t kernels, double flops) noexcept {
  tally& own = own_tally();
  // Relaxed: see statistics().
  own.kernels.fetch_add(kernels - 1, std::memory_order_relaxed);
  own.flops.fetch_add(flops, std::memory_order_relaxed);
}

}  // namespace hocket::detail
