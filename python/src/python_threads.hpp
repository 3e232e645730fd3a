// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

namespace hocket::python {

namespace nb = nanobind;

/// The thread releases the GIL for as long as this lives. From keep_gil_for_the_end() on, other
/// threads than its caller stay in the constructor for ever. Where Python has begun to end the
/// interpreter meanwhile, the thread stays in the destructor for ever: Python would end it there by
/// unwinding its stack, which C++ does not survive.
class without_gil {
 public:
  without_gil() noexcept;
  without_gil(const without_gil&) = delete;
  without_gil& operator=(const without_gil&) = delete;
  ~without_gil();

 private:
  PyThreadState* state_;
};

/// The thread has the GIL for as long as this lives, under the same condition.
class with_gil {
 public:
  with_gil();
  with_gil(const with_gil&) = delete;
  with_gil& operator=(const with_gil&) = delete;
  ~with_gil() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

/// From here on no other thread than the caller is given the GIL by the classes above. With the
/// GIL; returns when those that wait for it have it, and those that had released it have come back
/// or five seconds are over.
void keep_gil_for_the_end();

/// The threads of Python that call functions for tasks. A worker of the runtime runs its tasks on
/// small stacks of its own, and a task that waits may continue on another thread: an interpreter
/// can stand neither. So a task hands its function over to one of these threads, and waits.
///
/// The threads are made by Python code, which calls run_next() in a loop. One of them is always
/// there for the next job: each that takes a job sees to it before that another one waits.
class python_threads {
  /// A thread that is at work, and does not wait.
  struct started {
    std::size_t* counted_in = nullptr;
    const nb::callable* start_another = nullptr;
  };

 public:
  /// So many functions run at a time, without those that wait for tasks.
  explicit python_threads(std::size_t limit) { functions_.limit = limit; }

  /// Has the job called with the GIL, by one of the threads. Any thread, with the GIL or without;
  /// does not block. Returns false after stop(), and the job is not called then.
  [[nodiscard]] bool post(std::function<void()> job) { return post(std::move(job), functions_); }

  /// post() for a job that ends soon and waits for nothing: such a job does not stand behind
  /// functions, however long these run.
  [[nodiscard]] bool post_brief(std::function<void()> job) { return post(std::move(job), briefs_); }

  /// Called with the GIL before a thread is made, and with false after it could not be made.
  void expect(bool comes);

  /// Called with the GIL. Waits for a job without it, and calls that. If no other thread is there
  /// for the next job, start_another() makes one before. is_new: it is the first call of a thread
  /// that was expected. Returns false after stop().
  [[nodiscard]] bool run_next(const nb::callable& start_another, bool is_new);

  /// Refuses jobs from now on. Those that were posted before are called.
  void stop();

  /// The calling thread, if it is one of these, waits for tasks while this lives: another one may
  /// run a job in its place. Made with the GIL.
  class blocked {
   public:
    /// Throws what Python does if the thread is the last that could run a job, and no other one can
    /// be made: what it waits for may need it.
    explicit blocked(python_threads& all) : all_(all), one_(all.begin_wait(true)) {}
    /// Waits in any case.
    blocked(python_threads& all, std::nothrow_t) noexcept
        : all_(all), one_(all.begin_wait(false)) {}
    blocked(const blocked&) = delete;
    blocked& operator=(const blocked&) = delete;
    ~blocked() {
      if (is_of_pool()) all_.end_wait(one_);
    }
    /// True if the calling thread is one of these.
    [[nodiscard]] bool is_of_pool() const noexcept { return one_.counted_in != nullptr; }

   private:
    python_threads& all_;
    started one_;
  };

 private:
  /// Jobs of which so many run at a time.
  struct lane {
    std::size_t limit = 1;
    std::deque<std::function<void()>> jobs;
    std::size_t running = 0;

    [[nodiscard]] bool has_next(bool is_last_call) const noexcept {
      return !jobs.empty() && (running < limit || is_last_call);
    }
  };

  [[nodiscard]] bool post(std::function<void()> job, lane& to);
  [[nodiscard]] lane* next_lane() noexcept;
  [[nodiscard]] bool has_spare_besides(const started& one) const noexcept;

  /// The calling thread is in run_next(), and counted nowhere.
  void make_spare_thread(const nb::callable& start_another);

  [[nodiscard]] started begin_wait(bool may_throw);
  void end_wait(const started& one);

  std::mutex guard_;  // for what follows; never held while the GIL is awaited
  std::condition_variable changed_;
  lane functions_;
  lane briefs_;
  std::map<std::thread::id, started> at_work_;
  std::size_t idle_ = 0;    // threads that wait for jobs
  std::size_t coming_ = 0;  // threads that are going to
  bool stopped_ = false;
};
using threads_ref = std::shared_ptr<python_threads>;

/// Keeps a Python object. May be destroyed by any thread: one that does not have the GIL leaves it
/// to the threads above to let go of the object.
class kept_object {
 public:
  kept_object() = default;
  /// With the GIL.
  kept_object(nb::object object, threads_ref threads);

  [[nodiscard]] bool has_value() const noexcept { return kept_ != nullptr; }
  /// With the GIL.
  [[nodiscard]] nb::object get() const;

 private:
  std::shared_ptr<PyObject> kept_;
};

}  // namespace hocket::python
