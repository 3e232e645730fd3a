// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "python_threads.hpp"

#include <utility>

namespace hocket::python {

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
    const nb::gil_scoped_release released;
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
