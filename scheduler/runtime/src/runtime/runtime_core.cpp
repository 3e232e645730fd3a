// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/runtime_core.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <hocket/devices/before_drivers_end.hpp>
#include <hocket/execution/detached.hpp>
#include <hocket/execution/seeded_executor.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "data/in_place_runtime.hpp"
#include "graphs/check.hpp"
#include "runtime/environment_options.hpp"
#include "runtime/run_report.hpp"
#include "runtime/run_trace.hpp"
#include "tasks/live_runtimes.hpp"
#include "tasks/own_tasks.hpp"

namespace hocket::detail {

namespace {

std::unique_ptr<executor> make_executor(const runtime_options& options,
                                        std::function<void()> out_of_items) {
  const auto topology =
      options.topology ? options.topology : std::make_shared<const host_topology>();
  if (options.clock == clock_kind::real) {
    return std::make_unique<tbb_executor>(topology, std::move(out_of_items));
  }
  seeded_executor_options seeded;
  seeded.seed = options.seed;
  seeded.workers.clear();
  for (const numa_node& node : topology->nodes()) seeded.workers.push_back(node.cores);
  seeded.delay_probability = options.delay_probability;
  seeded.longest_delay = options.longest_delay;
  return std::make_unique<seeded_executor>(seeded);
}

/// Waits so long, while the caller has nothing else to do.
void pause_for(executor& where, nanoseconds time) {
  (void)where.wait([](const std::shared_ptr<executor::gate>&) {}, where.now() + time);
}

}  // namespace

runtime_core::runtime_core(const runtime_options& options)
    : options_(with_environment(options)),
      executor_(make_executor(options_, [this] { look_at_counts(); })),
      timer_queue_(*executor_),
      host_trace_(options_.trace_capacity, *executor_),
      connection_(options_, *this, events_,
                  [this] {
                    // A static runtime is destroyed after the drivers, which it opens later.
                    before_drivers_end([self = weak_from_this()] {
                      const auto core = std::static_pointer_cast<runtime_core>(self.lock());
                      if (core != nullptr) core->leave_drivers();
                    });
                  }),
      pending_(options_, *this, *executor_, events_, waits_on_stacks_) {
  where_ = executor_.get();
  pool_ = executor_->pool();
  own_counts_.add_up(executor_->records());
  waits_ = &waits_on_stacks_;
  timers_ = &timer_queue_;
  if (options_.trace_capacity > 0) trace_ = &host_trace_;
  has_nodes_ = executor_->arenas() > 1;
  if (pending_.have_limit()) set_gate(pending_);
  only_counts_ = trace_ == nullptr && pending_.registry() == nullptr;
  pending_.watch([this] { return pending(); });
  if (options_.export_counters && !executor_->is_virtual()) {
    export_ = std::make_unique<counter_export>(number(), [this] {
      runtime_counters made = device_counters(connection_, events_);
      made.ended = own_counts_.ended();
      made.pending = own_counts_.unfinished();
      // The placement engine may have had much to do before it answered.
      made.now = executor_->now();
      return made;
    });
  }
}

runtime_core::~runtime_core() = default;

launch_lane& runtime_core::lane() {
  if (in_place_runtime* const here = in_place()) return *here;
  return placed_lane_;
}

task_state_ptr runtime_core::launch(task_description&& task) {
  in_place_runtime* const here = in_place();
  if (here == nullptr) return placed_lane_.launch(std::move(task));
  check_and_time(task, *this);
  return here->launch(std::move(task));
}

void runtime_core::shut_down() noexcept {
  // In a forked child no thread is left to wait for, and threads of the parent may hold locks.
  if (executor_->is_forked()) return leave_behind();
  waits_on_stacks_.close_forgotten_views();
  connection_.release_hangs();
  const auto idle = [this] { return is_idle(); };
  // A view that was detached meanwhile keeps its memory.
  const auto unused = [this] { return is_idle() && !has_detached_views(); };
  try {
    events_.stop_polling();
    if (events_.has_engine()) post(placement::end_asked{});
    wait_until(idle);
    events_.return_content();
    if (is_kept_by_views()) return;
    live_runtimes::remove(*this);
    events_.stop_polling();
    // Some thread may have begun to use the runtime since, by a future of a task that has ended.
    wait_until(idle);
  } catch (const usage_error& e) {
    // Only the virtual clock can tell: something waits for what will never come.
    std::fprintf(stderr, "hocket: a runtime ends with tasks that can never run: %s\n", e.what());
    return leave_behind();
  }
  pending_.stop_watching();
  if (export_ != nullptr) export_->stop();
  print_summary(connection_, events_);
  connection_.tell_unmet_faults();
  connection_.keep_costs();
  write_trace_file(*this);
  // The owner of the strand uses the placement engine and the devices until it has left them. This
  // thread stays the owner, so that events that come too late are dealt with by no thread.
  while (events_.has_engine() && !events_.try_end(unused)) {
    pause_for(*executor_, std::chrono::milliseconds(1));
  }
  open_ = false;
  unseen_.report();
  // Devices post to the executor, and its workers step the placement engine: they go in this order.
  connection_.end();
  executor_.reset();
}

void runtime_core::leave_drivers() noexcept {
  if (!open_) return;
  if (export_ != nullptr && !executor_->is_forked()) export_->stop();
  connection_.release_hangs();
  // A task that ends the program would wait for itself, and one that never ends may be waited for.
  constexpr nanoseconds moment = std::chrono::milliseconds(1), patience = std::chrono::seconds(5);
  std::uint64_t ended = 0;
  time_stamp last = executor_->now();
  while (!executor_->inside()) {
    events_.stop_polling();
    const std::uint64_t before = ended;
    const bool idle = events_.is_idle(ended);
    if (ended != before) last = executor_->now();
    if (idle || executor_->now() - last > patience) break;
    pause_for(*executor_, moment);
  }
  const std::scoped_lock lock(connection_.replacing());
  connection_.machine().leave_drivers();
}

void runtime_core::end(std::shared_ptr<runtime_core> core) noexcept {
  const bool in_own_task = core->executor_->inside() || runs_in_a_waiter(*core);
  if (!in_own_task && !core->events_.is_stepped_here()) return core->shut_down();
  // Those that the caller's stack holds would never be closed.
  core->waits_on_stacks_.close_forgotten_views();
  end_apart(std::move(core));
}

void runtime_core::end_later(std::shared_ptr<data_runtime>&& self) noexcept {
  auto core = std::static_pointer_cast<runtime_core>(std::move(self));
  // The memory of the view may be given back in a step of the engine, for whose end this would
  // wait.
  if (!core->events_.is_stepped_here()) return end(std::move(core));
  end_apart(std::move(core));
}

void runtime_core::end_apart(std::shared_ptr<runtime_core> core) noexcept {
  try {
    if (!core->executor_->is_virtual()) {
      return run_detached("hocket end", [core] { core->shut_down(); });
    }
    std::fprintf(
        stderr,
        "hocket: a runtime ends in one of its own tasks, or where content of its buffers is "
        "given back, and cannot wait for that on the virtual clock.\n");
  } catch (const std::exception& e) {
    std::fprintf(
        stderr,
        "hocket: a runtime ends in one of its own tasks, or after its last tensor, and there "
        "is no thread that could wait for that. %s\n",
        e.what());
  }
  // Its tasks use it: to keep it is the lesser evil.
  (void)new (std::nothrow) std::shared_ptr<runtime_core>(std::move(core));
}

void runtime_core::leave_behind() noexcept {
  live_runtimes::remove(*this);
  open_ = false;
  // Tasks that are stuck still refer to these parts; to keep the parts is the lesser evil. A forked
  // child has no thread that writes counters, and their file is the parent's.
  (void)export_.release();
  events_.leave_behind();
  connection_.leave_behind();
  (void)executor_.release();
}

const placement::machine& runtime_core::description() {
  return connection_.machine().description();
}

std::size_t runtime_core::arena_of(const device_handle& device, const std::string& name) {
  check_device(device, *this, name);
  return connection_.arena_of(device.id, name);
}

void runtime_core::ended(task_state& task) noexcept {
  if (task.outcome().is_first_to_fail()) keep(task);
  one_ended(task);
}

void runtime_core::wait_all(const std::function<void()>& look) {
  if (executor_->inside() || runs_in_a_waiter(*this)) {
    throw usage_error("A task waits for all tasks of its runtime, and so for itself.");
  }
  const auto ended = [this] { return own_counts_.unfinished() == 0; };
  events_.stop_polling();
  // A task may run until the caller closes its view, which it does when the check below has thrown,
  // or until look() throws: this thread takes over no task that would keep it from both.
  const bool helps = !waits_on_stacks_.holds_view() && (!look || executor_->is_virtual());
  if (!helps || !executor_->help_until(ended)) {
    parked_wait by(*this);
    waits_on_stacks_.note(by);
    if (by.is_to_be_checked_again()) {
      const auto check = [&] {
        waits_on_stacks_.check_again(by);
        if (look) look();
      };
      check();
      wait_until(ended, check);
    } else {
      wait_until(ended, look);
    }
  }
  if (const task_state_ptr first = unseen_.take_first()) first->error().raise();
}

void runtime_core::stop() {
  request_stop();
  if (events_.has_engine()) {
    post(placement::stop_asked{
        failure(failure_code::cancelled, "The task was cancelled, because its runtime stops.")});
  } else if (connection_.is_connected()) {
    // Tasks in place look at the request before they run, but some wait for what never comes then.
    in_place()->end_kept_back();
  }
  connection_.release_hangs();
}

pending_report runtime_core::pending() {
  pending_report made = waits_on_stacks_.list(pending_.registry());
  made.compiled = compilations_under_way();
  made.unfinished = own_counts_.unfinished();
  return made;
}

}  // namespace hocket::detail
