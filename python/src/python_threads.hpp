// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace hocket::python {

namespace nb = nanobind;

/// The thread releases the GIL for as long as this lives. Where Python has begun to end the
/// interpreter meanwhile, the thread stays in the destructor for ever: Python would end it there by
/// unwinding its stack, which C++ does not survive.
class without_gil {
 public:
  without_gil() noexcept : state_(PyEval_SaveThread()) {}
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
/// GIL; returns when those that wait for it have it.
void keep_gil_for_the_end();

/// The threads of Python that call functions for tasks. A worker of the runtime runs its tasks on
/// small stacks of its own, and a task that waits may continue on another thread: an interpreter
/// can stand neither. So a task hands its function over to one of these threads, and waits.
///
/// The threads are made by Python code, which calls run_next() in a loop.
class python_threads {
 public:
  /// So many jobs run at a time, without those that wait for tasks.
  explicit python_threads(std::size_t limit) : limit_(limit) {}

  /// Has the job called with the GIL, by one of the threads. Any thread, with the GIL or without;
  /// does not block. Returns false after stop(), and the job is not called then.
  [[nodiscard]] bool post(std::function<void()> job);

  /// Called with the GIL. Waits for a job without it, and calls that. Calls start_another() before
  /// if no further thread waits for jobs. Returns false after stop().
  [[nodiscard]] bool run_next(const nb::callable& start_another);

  /// Refuses jobs from now on. Those that were posted before are called.
  void stop();

  /// The calling thread, if it is one of these, waits for tasks while this lives: another one may
  /// run a job in its place.
  class blocked {
   public:
    explicit blocked(python_threads& all) : all_(all), counts_(all.begin_wait()) {}
    blocked(const blocked&) = delete;
    blocked& operator=(const blocked&) = delete;
    ~blocked() {
      if (counts_) all_.end_wait();
    }
    /// True if the calling thread is one of these.
    [[nodiscard]] bool is_of_pool() const noexcept { return counts_; }

   private:
    python_threads& all_;
    bool counts_;
  };

 private:
  [[nodiscard]] bool begin_wait();
  void end_wait();

  const std::size_t limit_;
  std::mutex guard_;  // for what follows; never held while the GIL is awaited
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::set<std::thread::id> running_threads_;
  std::size_t running_ = 0;
  std::size_t idle_ = 0;
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
