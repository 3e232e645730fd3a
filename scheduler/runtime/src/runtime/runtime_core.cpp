// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/runtime_core.hpp"

#include <algorithm>
#include <cstdio>

#include <hocket/core/environment.hpp>
#include <hocket/devices/before_drivers_end.hpp>
#include <hocket/execution/detached.hpp>
#include <hocket/execution/seeded_executor.hpp>
#include <hocket/execution/stack_number.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "data/in_place_runtime.hpp"
#include "data/in_place_view.hpp"
#include "graphs/check.hpp"
#include "placement/shown.hpp"
#include "runtime/device_set.hpp"
#include "tasks/deadline.hpp"
#include "tasks/live_runtimes.hpp"

namespace hocket::detail {

namespace {

// How often a stack that holds a view looks whether a task came to stand behind it.
constexpr nanoseconds time_between_checks = std::chrono::milliseconds(50);

// Driver work comes before the work that waits for it.
constexpr int high_priority = 1;

std::unique_ptr<executor> make_executor(const runtime_options& options) {
  const auto topology =
      options.topology ? options.topology : std::make_shared<const host_topology>();
  if (options.clock == clock_kind::real) return std::make_unique<tbb_executor>(topology);
  seeded_executor_options seeded;
  seeded.seed = options.seed;
  seeded.workers.clear();
  for (const numa_node& node : topology->nodes()) seeded.workers.push_back(node.cores);
  seeded.delay_probability = options.delay_probability;
  seeded.longest_delay = options.longest_delay;
  return std::make_unique<seeded_executor>(seeded);
}

/// True if nothing is to be placed: the host is the only device, with all its cores and its memory.
bool is_host_alone(const device_set& machine, const executor& where) {
  const placement::machine& all = machine.description();
  if (all.memories.size() != 1 || all.devices.size() != 1) return false;
  const device_info& only = machine.infos().front();
  return only.shares_host_memory && only.formats == std::vector{kernel_format::host} &&
         only.lanes == where.workers(only.arena);
}

in_place_runtime::host_part host_part_of(device_set& machine) {
  const device_info& host = machine.infos().front();
  return {.arena = host.arena,
          .memory = machine.host_memory(),
          .alignment = machine.host_alignment(),
          .device_name = host.name,
          .capacity = machine.description().memories.front().capacity};
}

}  // namespace

runtime_core::runtime_core(const runtime_options& options)
    : options_(options),
      executor_(make_executor(options)),
      timers_(*executor_),
      host_trace_(options.trace_capacity, *executor_) {
  where_ = executor_.get();
  traces_ = options.trace_capacity > 0;
  has_nodes_ = executor_->arenas() > 1;
  limits_ = options.max_pending > 0 || options.max_pending_bytes > 0;
  // Only the real clock passes while nothing happens.
  const nanoseconds patience = watchdog::patience_of(options.watchdog);
  const bool is_watched = patience != nanoseconds::zero() && !executor_->is_virtual();
  only_counts_ = !traces_ && !limits_ && !is_watched;
  if (limits_ || is_watched) registry_ = std::make_unique<task_registry>();
  if (is_watched) {
    watchdog_ = std::make_unique<watchdog>(patience, [this] { return pending(); });
  }
  if (limits_) {
    limit_ = std::make_unique<pending_limit>(options.max_pending, options.max_pending_bytes);
  }
  if (options_.devices.empty()) {
    options_.devices = environment_variable("HOCKET_VISIBLE_DEVICES").value_or("");
    devices_from_ = "HOCKET_VISIBLE_DEVICES";
  }
}

runtime_core::~runtime_core() = default;

void runtime_core::connect() {
  // Not std::call_once, which uses thread-local variables around the call.
  const std::scoped_lock lock(connecting_);
  // The lock orders this: relaxed.
  if (is_connected_.load(std::memory_order_relaxed)) return;
  machine_ = std::make_unique<device_set>(options_.devices, devices_from_, options_.backends,
                                          options_.private_memory, *executor_, *this);
  if (runs_in_place()) {
    in_place_ = std::make_unique<in_place_runtime>(*this, host_part_of(*machine_));
  } else {
    engine_ = std::make_unique<placement::engine>(machine_->description(), options_.trace_capacity);
    has_engine_ = true;
  }
  if (machine_->have_drivers()) {
    // A static runtime is destroyed after the drivers, which it opens later.
    before_drivers_end([self = weak_from_this()] {
      if (const auto core = self.lock()) core->leave_drivers();
    });
  }
  // Pairs with the acquire in in_place().
  is_connected_.store(true, std::memory_order_release);
}

launch_lane& runtime_core::lane() {
  if (in_place_runtime* const in_place_way = in_place()) return *in_place_way;
  return *this;
}

bool runtime_core::runs_in_place() const {
  const bool possible = is_host_alone(*machine_, *executor_);
  switch (options_.data_tasks) {
    case data_path::placed:
      return false;
    case data_path::in_place:
      if (possible) return true;
      throw usage_error(
          "runtime_options::data_tasks is data_path::in_place, for which there has to be one "
          "device "
          "only, with all cores of the host and its memory.");
    case data_path::automatic:
      break;
  }
  // The trace, and time that is modelled, are the engine's.
  return possible && !executor_->is_virtual() && options_.trace_capacity == 0;
}

void runtime_core::shut_down() noexcept {
  // In a forked child no thread is left to wait for, and threads of the parent may hold locks.
  if (executor_->is_forked()) return leave_behind();
  release_forgotten_views();
  const auto idle = [this] { return unfinished_ == 0 && submissions_ == 0 && uses_ == 0; };
  try {
    wait_until(idle);
    live_runtimes::remove(*this);
    // Some thread may have begun to use the runtime since, by a future of a task that has ended.
    wait_until(idle);
  } catch (const usage_error& e) {
    // Only the virtual clock can tell: something waits for what will never come.
    std::fprintf(stderr, "hocket: a runtime ends with tasks that can never run: %s\n", e.what());
    return leave_behind();
  }
  watchdog_.reset();
  // The owner of the strand uses the placement engine and the devices until it has left them. This
  // thread stays the owner, so that events that come too late are dealt with by no thread.
  const auto over = [&] {
    if (!quiet() || !events_.try_own()) return false;
    if (idle()) return true;
    events_.resume();
    return false;
  };
  while (engine_ && !over()) {
    executor_->wait([](const std::shared_ptr<executor::gate>&) {},
                    executor_->now() + std::chrono::milliseconds(1));
  }
  open_ = false;
  report_unseen();
  in_place_.reset();
  // Devices post to the executor, and its workers step the placement engine: they go in this order.
  machine_.reset();
  executor_.reset();
}

void runtime_core::leave_drivers() noexcept {
  if (!open_) return;
  // A task that ends the program would wait for itself, and one that never ends may be waited for.
  constexpr nanoseconds moment = std::chrono::milliseconds(1), patience = std::chrono::seconds(5);
  std::uint64_t ended = 0;
  time_stamp last = executor_->now();
  bool idle = executor_->inside();
  while (!idle) {
    machine_->stop_polling();
    inspect([&](const placement::engine& h) {
      idle = h.unfinished() == 0 && h.commands_in_flight() == 0;
      if (std::exchange(ended, h.ended()) != ended) last = executor_->now();
    });
    if (idle || executor_->now() - last > patience) break;
    executor_->wait([](const std::shared_ptr<executor::gate>&) {}, executor_->now() + moment);
  }
  machine_->leave_drivers();
}

void runtime_core::end(std::shared_ptr<runtime_core> core) noexcept {
  const bool in_own_task = core->executor_->inside() || host_task::runs_in_a_waiter(*core);
  if (!in_own_task) return core->shut_down();
  // Those that the caller's stack holds would never be closed.
  core->release_forgotten_views();
  try {
    if (!core->executor_->is_virtual()) {
      return run_detached("hocket end", [core] { core->shut_down(); });
    }
    std::fprintf(stderr,
                 "hocket: a runtime ends in one of its own tasks, for which it cannot wait on the "
                 "virtual clock.\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr,
                 "hocket: a runtime ends in one of its own tasks, and there is no thread "
                 "that could wait for that: %s.\n",
                 e.what());
  }
  // Its tasks use it: to keep it is the lesser evil.
  (void)new (std::nothrow) std::shared_ptr<runtime_core>(std::move(core));
}

void runtime_core::leave_behind() noexcept {
  live_runtimes::remove(*this);
  open_ = false;
  // What is stuck still refers to these; to keep them is the lesser evil.
  (void)engine_.release();
  (void)in_place_.release();
  (void)machine_.release();
  (void)executor_.release();
}

void runtime_core::release_forgotten_views() noexcept {
  for (const held_view& v : waits_->views()) {
    if (v.holder != stack_number()) continue;
    std::fprintf(stderr, "hocket: a view of buffer \"%s\" outlives its runtime.\n",
                 v.label.c_str());
    closed(v);
  }
}

bool runtime_core::quiet() {
  bool none = false;
  inspect([&](const placement::engine& h) {
    none = h.unfinished() == 0 && h.commands_in_flight() == 0;
  });
  return none;
}

void runtime_core::post(placement::event&& what) {
  if (!open_) return;
  events_.post(std::move(what));
}

void runtime_core::resume_later() {
  // The worker that takes over may be done before this has returned.
  use_begins();
  executor_->post(0, high_priority, [this] { events_.resume(); });
  use_ends();
}

/// Carries out the actions.
void runtime_core::end_run() {
  struct performer {
    runtime_core& home;
    device_set& machine;
    void operator()(const placement::allocate_block& a) const {
      if (failure why = machine.allocate(a)) {
        home.post(placement::allocation_failed{a.block, a.data, a.memory, std::move(why)});
      }
    }
    void operator()(const placement::free_block& a) const { machine.free(a); }
    void operator()(const placement::issue_copy& a) const { machine.issue(a); }
    void operator()(const placement::issue_launch& a) const {
      static_cast<launch_submission&>(*a.task).state->handed_to(a.number.stream);
      machine.issue(a);
    }
    void operator()(const placement::deliver& a) const {
      auto& task = static_cast<submission&>(*a.task);
      std::vector<void*> addresses;
      for (const block_id block : a.blocks) {
        if (const failure why = machine.problem(block)) {
          return task.completed(placement::engine::no_room_for(task, why));
        }
        addresses.push_back(machine.address(block));
      }
      task.delivered(addresses);
    }
    void operator()(const placement::complete& a) const {
      auto& task = static_cast<submission&>(*a.task);
      if (a.runs_on) task.runs_on();
      task.completed(a.why);
    }
    void operator()(const placement::retire& a) const {
      static_cast<submission&>(*a.task).retired();
    }
    void operator()(const placement::start_timer& a) const {
      const time_stamp at = first_deadline(a.after, time_stamp::max(), *home.executor_);
      static_cast<launch_submission&>(*a.task).set_deadline(at);
    }
    void operator()(const placement::await_memory& a) const {
      home.executor_->post_at(home.executor_->now() + a.after, [&core = home, id = a.task] {
        core.post(placement::memory_awaited{id});
      });
    }
    void operator()(const placement::warn& a) const {
      std::fprintf(stderr, "hocket: %s\n", a.text.c_str());
    }
  };
  const performer perform{*this, *machine_};
  // Ends that are heard of together make room for many launches at once.
  constexpr std::ptrdiff_t many = 8;
  const bool batches = std::ssize(actions_) >= many &&
                       std::ranges::count_if(actions_, [](const placement::action& a) {
                         return std::holds_alternative<placement::issue_launch>(a);
                       }) >= many;
  if (batches) machine_->begin_batch();
  placement::show(actions_);
  for (const placement::action& a : actions_) std::visit(perform, a);
  if (batches) machine_->end_batch();
  actions_.clear();
}

bool runtime_core::poll(const task_state& task, stream_id on) noexcept {
  // A worker has other work.
  if (executor_->inside()) return false;
  machine_->at(on).poll([&task] { return task.done(); });
  return task.done();
}

void runtime_core::inspect(const std::function<void(const placement::engine&)>& look) {
  executor_->wait([&](const std::shared_ptr<executor::gate>& answered) {
    post(placement::inspected{[&look, answered](const placement::engine& h) {
      look(h);
      answered->open();
    }});
  });
}

const placement::machine& runtime_core::description() { return machine().description(); }

const std::vector<device_info>& runtime_core::devices() { return machine().infos(); }

device_handle runtime_core::device(std::string_view name) {
  const auto& infos = devices();
  std::string known;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return {device_id{i}, number()};
    known += (known.empty() ? "" : ", ") + infos[i].name;
  }
  throw usage_error("There is no device \"" + std::string(name) + "\"; this runtime uses " + known +
                    ".");
}

std::size_t runtime_core::next_arena() noexcept {
  return arenas_used_.fetch_add(1) % executor_->arenas();
}

std::size_t runtime_core::arena_of(const device_handle& device, const std::string& name) {
  check_device(device, *this, name);
  const device_info& info = devices()[device.id.value];
  if (machine_->description().devices[device.id.value].runs_host_tasks) return info.arena;
  throw usage_error(name + " is a function without accesses and cannot run on " + info.name + ".");
}

std::uint32_t runtime_core::arena_of(stream_id stream) const noexcept {
  const auto device = machine_->description().streams[stream.value].device;
  if (!device || !machine_->description().devices[device->value].runs_host_tasks) return no_arena;
  return static_cast<std::uint32_t>(machine_->infos()[device->value].arena);
}

void runtime_core::ended(task_state& task) noexcept {
  if (task.is_first_to_fail()) keep(task);
  one_ended(task);
}

bool runtime_core::is_let_through() {
  // What runs may be what has to end before there is a place.
  if (executor_->inside() || host_task::runs_in_a_waiter(*this)) return true;
  if (options_.overload == overload_kind::refuse) return false;
  return waits_->holds_view();
}

void runtime_core::take_place() {
  check_not_forked("A task");
  while (!limit_->try_take()) {
    if (is_let_through()) return limit_->take(0);
    if (options_.overload == overload_kind::refuse) {
      throw error(
          {failure_code::overloaded, "A submission is refused: " + limit_->reached() + "."});
    }
    if (has_engine_) machine_->stop_polling();
    limit_->wait(*executor_);
  }
}

void runtime_core::keep(task_state& failed) noexcept {
  std::vector<task_state_ptr> seen;
  const std::scoped_lock lock(guard_);
  if (failed_.size() == max_failed_) {
    const auto end =
        std::stable_partition(failed_.begin(), failed_.end(),
                              [](const task_state_ptr& each) { return !each->is_seen(); });
    seen.assign(std::make_move_iterator(end), std::make_move_iterator(failed_.end()));
    failed_.erase(end, failed_.end());
    max_failed_ = std::max(max_failed_, 2 * failed_.size());
  }
  failed_.emplace_back(&failed);
}

void runtime_core::wait_until(const std::function<bool()>& reached,
                              const std::function<void()>& check) {
  if (has_engine_) machine_->stop_polling();
  // On the virtual clock time would pass.
  const bool checks = check != nullptr && !executor_->is_virtual();
  while (!ends_.holds(reached)) {
    std::shared_ptr<executor::gate> own;
    const auto arm = [&](const std::shared_ptr<executor::gate>& gate) {
      own = gate;
      ends_.await(gate, reached);
    };
    const time_stamp until = checks ? executor_->now() + time_between_checks : time_stamp::max();
    if (executor_->wait(arm, until)) continue;
    ends_.leave(own);
    check();
  }
}

void runtime_core::wait_all() {
  if (executor_->inside() || host_task::runs_in_a_waiter(*this)) {
    throw usage_error("A task waits for all tasks of its runtime, and so for itself.");
  }
  wait_for_all();
  std::vector<task_state_ptr> failed;
  {
    const std::scoped_lock lock(guard_);
    failed.swap(failed_);
  }
  std::erase_if(failed, [](const task_state_ptr& task) { return task->is_seen(); });
  if (failed.empty()) return;
  const task_state_ptr first = failed.front();
  first->look();
  {
    const std::scoped_lock lock(guard_);
    failed_.insert(failed_.end(), failed.begin() + 1, failed.end());
  }
  first->error().raise();
}

void runtime_core::report_unseen() noexcept {
  for (const task_state_ptr& task : failed_) {
    if (task->looked() || task->error().seen()) continue;
    std::fprintf(stderr, "hocket: nobody looked at this failure: %s\n",
                 task->error().message().c_str());
  }
  failed_.clear();
}

void runtime_core::stop() {
  stop_source_.request_stop();
  if (has_engine_) {
    post(placement::stop_asked{
        failure(failure_code::cancelled, "The task was cancelled, because its runtime stops.")});
  }
}

std::vector<placement::device_statistics> runtime_core::statistics() {
  connect();
  if (in_place_ != nullptr) return {in_place_->statistics()};
  std::vector<placement::device_statistics> all;
  inspect([&](const placement::engine& h) {
    for (std::size_t i = 0; i < h.description().devices.size(); ++i) {
      all.push_back(h.statistics(device_id{i}));
    }
  });
  return all;
}

void runtime_core::add_budget(budget_id budget, std::uint64_t bytes) {
  connect();
  if (in_place_ != nullptr) return in_place_->gate().add_budget(budget, bytes);
  post(placement::budget_added{budget, bytes});
}

void runtime_core::completed(stream_id stream, std::uint64_t value, const command_result& how) {
  post(placement::command_ended{stream, value, how});
}

void runtime_core::completed_in_a_row(stream_id stream, std::uint64_t first,
                                      std::span<const command_result> how) {
  post(placement::commands_ended{stream, first, {how.begin(), how.end()}});
}

void runtime_core::left(stream_id stream, std::uint64_t value, time_stamp when) {
  post(placement::command_left{stream, value, when});
}

void runtime_core::ended_apart(stream_id stream, std::uint64_t value, const command_result& how) {
  post(placement::command_ended_apart{stream, value, how});
}

void runtime_core::device_lost(device_id device, const failure& why) {
  post(placement::device_gone{device, why});
}

}  // namespace hocket::detail
