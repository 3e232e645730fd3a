// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hocket/devices/adopted.hpp>
#include <hocket/devices/device.hpp>
#include <hocket/devices/fault_plan.hpp>
#include <hocket/execution/topology.hpp>
#include <hocket/scheduler/pending.hpp>
#include <hocket/scheduler/placement_policy.hpp>
#include <hocket/scheduler/recorder.hpp>
#include <hocket/scheduler/report.hpp>
#include <hocket/scheduler/submitter.hpp>
#include <hocket/scheduler/user_memory.hpp>

namespace hocket {

/// Which time a runtime works by, and who runs its tasks.
enum class clock_kind : std::uint8_t {
  real,      ///< oneTBB workers and the time that passes
  simulated  ///< one thread, an order that comes from the seed, and time that devices model
};

/// Which way tasks with data go.
enum class data_path : std::uint8_t {
  automatic,  ///< in place where that is possible, time is real and nothing is traced; else placed
  placed,     ///< a device is chosen for each, and data are brought there
  in_place    ///< they are ordered when they are submitted, and run as functions do
};

/// What becomes of a submission when as many tasks are pending as may be.
enum class overload_kind : std::uint8_t {
  block,  ///< the thread waits for a place; no core is burnt
  refuse  ///< error is thrown, with the code overloaded
};

/// How a runtime answers the loss of a device.
enum class resilience_kind : std::uint8_t {
  none,    ///< tasks that it had fail, and content that it alone had is poisoned
  survive  ///< both are made again on other devices: see the guide
};

/// How a runtime notices that content is changed silently.
enum class integrity_kind : std::uint8_t {
  none,   ///< nothing
  copies  ///< each copy between memories is compared with its source after it has arrived
};

/// How much a report tells.
enum class report_detail : std::uint8_t {
  all,
  counts  ///< not area_bound, which takes milliseconds to compute
};

/// Names, written as one text with commas between them, or as a list: "NUMA0,Sim1" or
/// {"NUMA0", "Sim1"}.
class name_list {
 public:
  name_list() = default;
  name_list(std::string names) : text_(std::move(names)) {}
  name_list(const char* names) : text_(names) {}
  name_list(std::initializer_list<std::string_view> names) {
    for (const std::string_view each : names) add(each);
  }

  void add(std::string_view name) {
    if (!text_.empty()) text_ += ',';
    text_ += name;
  }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

  /// With commas.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

///
/// ```cpp
/// runtime host_alone({.devices = "NUMA0", .max_pending = 10'000});
/// runtime machine({.backends = {{"sim", "2,flops=10G"}}, .clock = clock_kind::simulated});
/// for (const device_info& each : machine.devices()) std::printf("%s\n", each.name.c_str());
/// ```
struct runtime_options {
  /// The devices to use; empty: HOCKET_VISIBLE_DEVICES, and all there are if that is not set.
  name_list devices = {};

  /// What backends are told, for example {{"sim", "2,memory=256M"}}. See each backend's README.
  std::map<std::string, std::string> backends = {};

  /// Contexts and devices of OpenCL, Vulkan and CUDA that the program has made, to be used in place
  /// of those that the runtime would make. When the first buffer or device is asked for,
  /// usage_error is thrown if one cannot be used.
  adopted_contexts adopted = {};

  clock_kind clock = clock_kind::real;

  /// With the virtual clock: decides the order of what happens at one time.
  std::uint64_t seed = 0;
  /// With the virtual clock: how probable it is that something comes later, from 0 to 1, and by how
  /// much at most.
  double delay_probability = 0;
  nanoseconds longest_delay{0};

  /// Devices that share the host's memory get replicas of their own, as if they did not. For tests.
  bool private_memory = false;

  /// With one device, of all of the host's cores and its memory, there is nothing to place: tasks
  /// with data go the in-place path then, at a quarter of the cost. On the virtual clock they take
  /// no time there.
  data_path data_tasks = data_path::automatic;

  /// How a device is chosen for a task that may run on several: one of placement_policies(), see
  /// the guide; empty: HOCKET_POLICY, and "replanning" if that is not set.
  std::string policy = {};

  /// A policy of one's own, in place of a name.
  std::shared_ptr<placement_policy> own_policy = nullptr;

  /// Where it is kept from process to process what kernels and copies were measured to take: a
  /// folder, or "off"; empty: HOCKET_COSTS, and the user's cache if that is not set. Nothing is
  /// kept of simulated devices and on the virtual clock, and no file is read or written where no
  /// task is placed.
  std::string costs = {};

  /// How many tasks may be pending at a time: submitted, and not ended. 0: as many as there is
  /// memory for. The limit is for submissions from outside; what tasks submit, and continuations,
  /// count but are always let through, so that nothing that runs waits for itself. So are those of
  /// a thread that holds a host view, where it would have to wait. A run of a graph needs a place
  /// for one task.
  std::size_t max_pending = 0;

  /// How many bytes the pending tasks may hold; 0: any number. What counts is what the runtime
  /// keeps for a task until it has ended: the task, its function with what that holds by value,
  /// lists of what it follows and accesses; neither buffers nor what a function points to. A
  /// submission waits while they hold so many, or is refused: the last one that was let in may go
  /// beyond, so that no task is too large. Both limits may be given.
  std::size_t max_pending_bytes = 0;

  /// What becomes of a submission when a limit is reached.
  overload_kind overload = overload_kind::block;

  /// The host, where it was found before: finding it takes milliseconds.
  std::shared_ptr<const host_topology> topology = nullptr;

  /// If nothing has ended for that time, what is pending is printed on standard error, once, and
  /// again when it has changed. Zero: HOCKET_WATCHDOG, for example 10s, and no watchdog if that is
  /// not set. Not on the virtual clock. With a watchdog each task costs a look into a table more.
  nanoseconds watchdog{0};

  /// A device takes no more tasks if one of its commands, a kernel or a copy, takes longer than
  /// that and than ten times what was predicted, while it waits for no other. It is lost when its
  /// driver lets go of its commands; if that does not happen in the same time again, futures that
  /// wait for them fail without survive. Zero: HOCKET_HANG_TIMEOUT, for example 30s, and no limit
  /// if that is not set. Not for the cores of the host. At the end the runtime waits for commands
  /// that a driver still has.
  nanoseconds hang_timeout{0};

  /// A launch that takes so many times what was predicted, and a millisecond at least, is run a
  /// second time on an idle device with another memory, if it would be expected to end there in
  /// less time than it has taken; the run that ends first is the task's. 1 or more; 3 is a good
  /// value. Zero: HOCKET_SPECULATION, for example 3, and no second run if that is not set. Only
  /// kernels that any device may run: not what names a device, no function, no kernel with captures
  /// that has only a body in C++. They have to give the same result for the same arguments. At the
  /// end the runtime waits for both runs.
  double speculation = 0;

  /// How many spans the trace keeps, 4294967296 at most; 0 switches it off.
  std::size_t trace_capacity = 0;

  /// With survive, the loss of a device costs time and nothing else, where that is possible: see
  /// the guide. Kernels may then run more than once with the same arguments; functions, and kernels
  /// with captures, only if they did not come to their end. HOCKET_RESILIENCE=survive asks for it
  /// too. Where the host is the only device, nothing can be lost, and nothing is kept.
  resilience_kind resilience = resilience_kind::none;

  /// With survive, about how many tasks may have to run again when a device is lost. Whenever so
  /// many have run, all content is copied to the host, while others run. At least 1.
  std::size_t max_repeated = 10'000;

  /// With survive, how often in a row a task is run at most whose launch, or a copy for it, fails
  /// for a reason of the device: the driver refuses it, or cannot compile the kernel. The first
  /// attempt after that is made at once, the next one after a millisecond, each further one after
  /// eight times as long, half a second at most; on another device if one has failed twice. What a
  /// body throws ends the task. At least 1.
  std::size_t max_attempts = 3;

  /// With survive, a device on which commands of several kernels fail, eight in a row, is
  /// quarantined: it gets no task for this time, and then a single one. If that ends well, the
  /// device is used again. If it fails, the device rests twice as long before the next one, ten
  /// seconds at most, and after five failures it is declared lost. Zero: such a device is declared
  /// lost at once.
  nanoseconds quarantine = std::chrono::milliseconds(100);

  /// With copies, each copy between two memories is compared with its source, byte by byte, before
  /// anything uses it. A copy that differs is made again at once, twice at most; then it fails with
  /// data_corrupted, which with survive gives up its device. A memory that the host cannot address
  /// is read a second time for that. Copies between devices go over the host then, and each waits
  /// for the one before it on its link. HOCKET_INTEGRITY=copies asks for it too. Where devices use
  /// the memory of the host, nothing is copied and nothing compared.
  integrity_kind integrity = integrity_kind::none;

  /// Faults to be injected into the devices, for tests of a program: a text as in "lose Sim0 launch
  /// 17", or a plan; see the guide. Empty: HOCKET_FAULTS, and nothing goes wrong if that is not
  /// set. With a plan tasks with data are placed, and no costs are kept.
  fault_plan faults = {};

  /// The trace also says of each placed task why it ran where and when it did, as `hocket explain`
  /// prints it: of the last trace_capacity tasks, in about a kilobyte each.
  bool trace_decisions = false;

  /// A thread of the runtime writes its counters to a file four times a second, for `hocket top`;
  /// HOCKET_TOP=1 asks for that too. Not on the virtual clock. No task pays for the export.
  bool export_counters = false;
};

/// The devices of this machine, and what is to be run on them. Work is submitted from any thread
/// and runs at once, in an order that its data allow. Several runtimes do not disturb one another.
///
/// With the virtual clock everything happens in the thread that made the runtime, while it waits,
/// and no other may use it.
///
/// ```cpp
/// runtime rt;
/// buffer<float> x{rt, 1000, 1.0f, "x"}, y{rt, 1000, 2.0f, "y"};
/// rt.submit(ops::axpy, 3.0f, reads(x), updates(y));  // on the device where it ends first
/// rt.submit([](buffer_view<float> v) { v(0) = 0.0f; }, updates(y));
/// const std::vector<float> content = y.to_vector();  // waits for both
/// rt.wait();                                         // throws a failure that was not looked at
/// ```
class runtime : public submitter {
 public:
  /// Starts the workers. Drivers connect when the first buffer or device is asked for.
  explicit runtime(const runtime_options& options = {});

  /// Waits for what was submitted. A failure that no thread has looked at is printed on standard
  /// error. While host views are detached the rest of the end comes after them: see
  /// host_view::detach.
  ~runtime() override;

  /// Waits until all that was submitted so far has ended, and runs some of that here meanwhile.
  /// Rethrows the first failure that no thread has looked at. Not from a task.
  void wait();

  /// Waits as wait() does, but runs no task in the calling thread, and calls look() there again and
  /// again, at least every 100 ms: to look for signals, for example. What look() throws ends the
  /// wait, and is thrown here. On the virtual clock look() is not called.
  void wait(const std::function<void()>& look);

  /// Cancels what has not started; what runs, ends. Later submissions are cancelled as well.
  void stop();

  /// Records the tasks that record(submitter&) submits, without running them.
  template <class F>
  [[nodiscard]] graph record(const record_options& options, F&& record_tasks) {
    recorder kept(*this, options);
    record_tasks(static_cast<submitter&>(kept));
    return std::move(kept).finish();
  }
  template <class F>
  [[nodiscard]] graph record(F&& record_tasks) {
    return record(record_options{}, std::forward<F>(record_tasks));
  }

  /// The devices in use, in the order of their handles.
  [[nodiscard]] std::vector<device_info> devices();

  /// Throws usage_error for an unknown name; the message lists the known ones.
  [[nodiscard]] device_handle device(std::string_view name);

  /// Takes the device out of use: no more tasks are placed there. Tasks that it has begun end
  /// there, the others are placed anew, and content that only its memory holds moves to the host.
  /// The future ends when nothing is left on the device. It fails with device_lost if the device is
  /// lost meanwhile, and with cancelled if the device is resumed before that. Tasks that no other
  /// device can run, and those that name this one (task_options::on), wait until it is resumed or
  /// lost, which is said on standard error. Does not block; any thread. Throws usage_error for the
  /// host.
  ///
  /// ```cpp
  /// runtime rt({.backends = {{"sim", "2"}}});
  /// rt.drain(rt.device("Sim1")).get();
  /// rt.resume(rt.device("Sim1"));
  /// ```
  [[nodiscard]] future<void> drain(const device_handle& device);

  /// Takes the device back into use, whether it is drained, is being drained or is quarantined.
  /// Does nothing if it is in use. Throws error with device_lost if it is lost. Any thread.
  void resume(const device_handle& device);

  /// Lets go of the driver of a device that is drained or lost: its memory, its queues and its
  /// context. Tasks that have waited for the device are placed as if it was lost. Waits for
  /// commands that the driver still has. Throws usage_error in other states, and where faults are
  /// injected or copies compared (integrity_kind::copies). Any thread, and not from a task.
  void remove(const device_handle& device);

  /// Connects a device that was lost or removed once more, with an empty memory, and takes it into
  /// use. Handles stay as they are. Waits for commands that the driver has of the time before.
  /// Throws usage_error if the device is neither lost nor removed, or faults are injected, or
  /// copies compared, and what connecting throws if the device is not there: then it may be tried
  /// again later. Any thread, and not from a task.
  void reopen(const device_handle& device);

  /// What every device has done so far.
  [[nodiscard]] runtime_report report(report_detail how_much = report_detail::all);

  /// What has not ended, and what it waits for. The list is complete with a watchdog or a limit of
  /// pending tasks. Otherwise it has the tasks that were placed, those that wait in the middle of
  /// their functions, open views, and all that these wait for or that waits for an open view;
  /// others are only counted. Any thread may ask, also one that was made for it.
  [[nodiscard]] pending_report pending();

  /// The spans that the trace holds, oldest first.
  [[nodiscard]] trace_snapshot trace();

  /// Time since the runtime started, on its clock.
  [[nodiscard]] time_stamp now() const;

  [[nodiscard]] runtime& home() noexcept override { return *this; }
  [[nodiscard]] const std::shared_ptr<detail::runtime_core>& core() const noexcept { return core_; }
  /// The same, for buffers.
  [[nodiscard]] std::shared_ptr<detail::data_runtime> owner_of_data() const noexcept;

 private:
  [[nodiscard]] host_target for_functions() noexcept override;
  [[nodiscard]] detail::task_state_ptr enqueue(detail::task_description&& task) override;
  [[nodiscard]] detail::launch_lane* find_in_place_lane() override;
  [[nodiscard]] detail::task_state_ptr enqueue(detail::graph_use&& use) override;

  std::shared_ptr<detail::runtime_core> core_;
};

template <element T, std::size_t R>
buffer<T, R>::buffer(runtime& home, const shape<R>& extents, std::string label)
    : region<T, R>([&] {
        const index_list sizes(extents.begin(), extents.end());
        return detail::region_ref(detail::buffer_ref(new detail::buffer_state(
            home.owner_of_data(), element_type_of<T>, sizes, std::move(label))));
      }()) {}

template <element T, std::size_t R>
buffer<T, R>::buffer(runtime& home, user_memory<T, R> over, std::string label)
    : region<T, R>([&] {
        const box content = box::whole(over.offer().extents);
        const detail::buffer_ref data(new detail::buffer_state(
            home.owner_of_data(), std::move(over.offer()), std::move(label)));
        return detail::region_ref(data, content);
      }()) {
  // A writer has been there, from which on the content counts.
  (void)detail::open_view(this->ref(), access_mode::write);
}

template <element T, std::size_t R>
buffer<T, R>::buffer(runtime& home, const shape<R>& extents, T value, std::string label)
    : buffer(home, extents, std::move(label)) {
  if constexpr (ops::detail::fill_op::supports<T>) {
    home.submit(ops::fill, value, writes(*this));
  } else {
    home.submit(
        {.label = "fill"},
        [value](const buffer_view<T, R>& all) {
          all.for_each([&](T& element) { element = value; });
        },
        writes(*this));
  }
}

template <element T, std::size_t R>
buffer<T, R>::buffer(runtime& home, const shape<R>& extents, std::span<const T> values,
                     std::string label)
    : buffer(home, extents, std::move(label)) {
  if (values.size() != this->size()) {
    throw usage_error("Buffer \"" + this->label() + "\" has " + std::to_string(this->size()) +
                      " elements and is given " + std::to_string(values.size()) + " values.");
  }
  const auto content = this->write();
  std::copy(values.begin(), values.end(), content.begin());
}

}  // namespace hocket
