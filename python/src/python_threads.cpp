// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "python_threads.hpp"

#include <atomic>
#include <chrono>
#include <utility>

namespace hocket::python {

namespace {

/// The end of the interpreter, which is there once for the process.
struct interpreter_end {
  std::atomic<bool> has_begun = false;
  std::thread::id ends_it;               // set before has_begun
  std::atomic<std::size_t> waiting = 0;  // threads that are about to take the GIL
};

interpreter_end& the_end() {
  static interpreter_end one;
  return one;
}

/// Counts a thread that takes the GIL, or keeps the thread.
class gil_request {
 public:
  gil_request() noexcept {
    interpreter_end& end = the_end();
    ++end.waiting;
    if (!end.has_begun || end.ends_it == std::this_thread::get_id()) return;
    --end.waiting;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  gil_request(const gil_request&) = delete;
  gil_request& operator=(const gil_request&) = delete;
  ~gil_request() { --the_end().waiting; }
};

}  // namespace

without_gil::~without_gil() {
  const gil_request request;
  PyEval_RestoreThread(state_);
}

with_gil::with_gil() {
  const gil_request request;
  state_ = PyGILState_Ensure();
}

void keep_gil_for_the_end() {
  interpreter_end& end = the_end();
  end.ends_it = std::this_thread::get_id();
  end.has_begun = true;
  const without_gil released;
  while (end.waiting != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool python_threads::post(std::function<void()> job) {
  {
    const std::lock_guard lock(guard_);
    if (stopped_) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

bool python_threads::run_next(const nb::callable& start_another) {
  std::function<void()> job;
  bool is_last = false;
  {
    const without_gil released;
    std::unique_lock lock(guard_);
    ++idle_;
    changed_.wait(lock, [this] { return (!jobs_.empty() && running_ < limit_) || stopped_; });
    --idle_;
    if (jobs_.empty()) return false;
    job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    running_threads_.insert(std::this_thread::get_id());
    is_last = idle_ == 0 && !stopped_;
  }
  if (is_last) {
    try {
      start_another();
    } catch (nb::python_error& e) {
      // While Python ends there are no more threads: this one goes on with the jobs.
      e.discard_as_unraisable("the start of a thread of hocket");
    }
  }
  job();
  job = nullptr;
  {
    const std::lock_guard lock(guard_);
    running_threads_.erase(std::this_thread::get_id());
    --running_;
  }
  changed_.notify_one();
  return true;
}

void python_threads::stop() {
  {
    const std::lock_guard lock(guard_);
    stopped_ = true;
  }
  changed_.notify_all();
}

bool python_threads::begin_wait() {
  {
    const std::lock_guard lock(guard_);
    if (running_threads_.erase(std::this_thread::get_id()) == 0) return false;
    --running_;
  }
  changed_.notify_one();
  return true;
}

void python_threads::end_wait() {
  const std::lock_guard lock(guard_);
  running_threads_.insert(std::this_thread::get_id());
  ++running_;
}

kept_object::kept_object(nb::object object, threads_ref threads)
    : kept_(object.release().ptr(), [threads = std::move(threads)](PyObject* gone) {
        // After the interpreter has ended there is nothing to give back to.
        if (!Py_IsInitialized()) return;
        if (PyGILState_Check() != 0) {
          Py_DECREF(gone);
        } else {
          (void)threads->post([gone] { Py_DECREF(gone); });
        }
      }) {}

nb::object kept_object::get() const { return nb::borrow(kept_.get()); }

}  // namespace hocket::python
