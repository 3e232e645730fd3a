// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <vector>

#include <boost/intrusive_ptr.hpp>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/host_task.hpp>
#include <hocket/scheduler/detail/launch_lane.hpp>

#include "placement/placed_task.hpp"
#include "tasks/timer_queue.hpp"

namespace hocket::detail {

class placed_runtime;

/// How many arguments a submission has room for behind it.
struct argument_room {
  std::size_t accesses = 0;
  std::size_t numbers = 0;
  launch_function* function = nullptr;  ///< is moved there, if there is one

  /// One access may come after a task that wrote and after one that reads.
  [[nodiscard]] std::size_t edges() const noexcept { return accesses == 1 ? 2 : accesses; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return accesses *
               (sizeof(placement::task_access) + sizeof(buffer_ref) + sizeof(placed_buffer)) +
           edges() * sizeof(placement::task_edge) + numbers * sizeof(scalar_argument) +
           (function != nullptr ? sizeof(launch_function) : 0);
  }
};

/// A task that was submitted to the placement engine: the request, which the engine reads, and what
/// the runtime needs to carry out the actions of the engine. It is made by make_submission().
class submission : public placement::placed_task {
 public:
  explicit submission(placed_runtime& home);
  submission(const submission&) = delete;
  submission& operator=(const submission&) = delete;
  ~submission() override;
  void unused() noexcept override;
  static void* operator new(std::size_t) = delete;
  static void operator delete(submission* gone, std::destroying_delete_t) noexcept;

  /// The launch or the view has ended. Called by the owner of the engine's strand, as the next ones
  /// are.
  virtual void completed(const failure& why) = 0;

  /// Called before completed() if the body goes on running until retired().
  virtual void runs_on() {}
  virtual void retired() {}

  /// The content of a view or fetch is at these addresses.
  virtual void delivered(const std::vector<void*>& addresses) { (void)addresses; }

  lent_list<buffer_ref> keeps;  ///< pending work keeps its data alive

 protected:
  /// Lends the lists that any submission has their room, which begins there. Returns the address
  /// behind it.
  std::byte* lend_room(std::byte* first, const argument_room& room) noexcept;
  [[nodiscard]] static array_part_ref part_of(const buffer_state& data, const box* part) {
    return part == nullptr ? data.all() : part_of_array(data.type(), data.extents(), *part);
  }
  /// The part is kept elsewhere.
  void add_access(buffer_ref data, const array_part& part, bool is_all, access_mode mode) {
    placement::task_access& made = accesses.emplace_back();
    made.data = data->id();
    made.part = &part;
    made.mode = mode;
    made.is_all = is_all;
    keeps.push_back(std::move(data));
  }

  placed_runtime& home_;

 private:
  template <class Submission, class... Args>
  friend boost::intrusive_ptr<Submission> make_submission(const argument_room& room,
                                                          Args&&... args);

  std::uint8_t block_ = 0;  ///< the kind of its block in task_memory
};

template <class Submission, class... Args>
[[nodiscard]] boost::intrusive_ptr<Submission> make_submission(const argument_room& room,
                                                               Args&&... args) {
  const std::uint8_t block = task_memory::kind_of<Submission>(room.bytes());
  void* const place = task_memory::take_block<Submission>(room.bytes());
  Submission* made = nullptr;
  try {
    made = ::new (place) Submission(std::forward<Args>(args)...);
  } catch (...) {
    task_memory::give_back(place, block);
    throw;
  }
  made->block_ = block;
  made->lend_room(reinterpret_cast<std::byte*>(made + 1), room);
  return made;
}

/// A view, a fetch or a nested domain.
class region_submission : public submission {
 public:
  using submission::submission;

  /// Adds an access to a buffer, which is kept alive until the task is gone. part: null for all.
  void add_access(buffer_ref data, const box* part, access_mode mode) {
    parts_.push_back(part_of(*data, part));
    submission::add_access(std::move(data), *parts_.back(), part == nullptr, mode);
  }

 private:
  boost::container::small_vector<array_part_ref, 1> parts_;
};

/// A launch that is a task of a runtime.
struct task_launch : counted_launch {
  using counted_launch::counted_launch;
  /// What the thread that runs the body works on. For that thread.
  [[nodiscard]] virtual task_state* task() const = 0;
};

/// The task that the launch is of; null if it is none of a runtime.
[[nodiscard]] task_state* task_of_launch(const counted_launch& launch);

/// One launch of a kernel, with the command that is given to its device. Commands may refer to that
/// part of it for longer than the runtime lives.
class launch_submission final : public submission {
 public:
  explicit launch_submission(placed_runtime& home) noexcept;
  ~launch_submission() override;
  void unused() noexcept override;
  void lend_room(std::byte* first, const argument_room& room) noexcept;
  [[nodiscard]] task_state* stands_for() const noexcept override { return state.get(); }
  void tell_awaited(wait_visitor& to) const override;
  void handed_to(stream_id stream, std::uint32_t arena) noexcept override {
    state->handed_to(stream, arena);
  }
  void completed(const failure& why) override;
  void runs_on() override;
  void retired() override;

  /// As of any submission, and it is an argument of the launch.
  void add_access(buffer_ref data, const box* part, access_mode mode) {
    placed_buffer& placed = launch->buffers.emplace_back();
    placed.part = part_of(*data, part);
    submission::add_access(std::move(data), *placed.part, part == nullptr, mode);
  }

  /// Only if there are any: reports the end of every future that is waited for to the placement
  /// engine; numbers are filled in before.
  void watch();
  void watch_stop(const std::stop_token& stop);
  /// The task belongs to the scope.
  void watch_scope(host_context& scope);
  /// Lets the task fail at that time, unless it has ended before.
  void set_deadline(time_stamp time);

  bool has_result = false;    ///< then the fetch completes the future
  bool has_box = false;       ///< then the function leaves a value in a box
  bool has_function = false;  ///< of its own, which is called in place of the kernel's body
  boost::intrusive_ptr<device_task> state;

  /// Makes them, if there are none.
  [[nodiscard]] placement::task_limits& own_limits();
  /// The bytes of the record of limits, awaited futures and stop callbacks, which few launches
  /// have.
  [[nodiscard]] std::size_t rare_bytes() const noexcept;

  struct awaited {
    task_state_ptr source;
    std::optional<std::size_t> scalar;  ///< the number that the future is
    number_argument number;
  };
  /// The task waits for the future too. Before watch().
  void wait_for(awaited&& what);
  /// How many futures the task waits for.
  [[nodiscard]] std::size_t awaits() const noexcept;

 private:
  class stop_relay;
  class own_timer;
  class future_watch;

  /// The command; it has a reference to itself until the submission is of no more use.
  class own_launch final : public task_launch {
   public:
    explicit own_launch(launch_submission& of) noexcept : of_(of) {}
    void unused() const noexcept override { delete &of_; }
    [[nodiscard]] const launch_function& body() const noexcept override {
      return of_.has_function ? *of_.function() : kernel->host;
    }
    /// Lives longer than the body runs.
    [[nodiscard]] task_state* task() const noexcept override { return of_.state.get(); }

   private:
    launch_submission& of_;
  };

  own_launch own_launch_;
  /// If it has one, it lies behind this.
  [[nodiscard]] launch_function* function() noexcept {
    return std::launder(reinterpret_cast<launch_function*>(this + 1));
  }
  /// What few launches have.
  struct rare_parts;
  /// Makes them, if there are none.
  [[nodiscard]] rare_parts& make_rare();
  /// Null if there are none.
  [[nodiscard]] rare_parts* rare() const noexcept;
};

/// Brings the value of a kernel to its future.
class fetch_submission final : public region_submission {
 public:
  using region_submission::region_submission;
  [[nodiscard]] task_state* stands_for() const noexcept override { return state.get(); }
  void completed(const failure& why) override;
  void delivered(const std::vector<void*>& addresses) override;

  boost::intrusive_ptr<device_task> state;
};

}  // namespace hocket::detail
