// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "python_threads.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

namespace hocket::python {

namespace {

/// The end of the interpreter, which is there once for the process.
struct interpreter_end {
  std::atomic<bool> has_begun = false;
  std::thread::id ends_it;               // set before has_begun
  std::atomic<std::size_t> waiting = 0;  // threads that are about to take the GIL
  std::atomic<std::size_t> outside = 0;  // threads that have released it, and are not kept
};

/// How long the end waits for threads that have released the GIL.
constexpr std::chrono::seconds limit_of_the_end{5};

interpreter_end& the_end() {
  static interpreter_end one;
  return one;
}

/// True for threads that are to be kept.
bool has_ended_for_this_thread() noexcept {
  const interpreter_end& end = the_end();
  return end.has_begun && end.ends_it != std::this_thread::get_id();
}

[[noreturn]] void stay_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Counts a thread that takes the GIL, or keeps the thread.
class gil_request {
 public:
  explicit gil_request(bool is_outside) noexcept {
    interpreter_end& end = the_end();
    ++end.waiting;
    if (!has_ended_for_this_thread()) return;
    --end.waiting;
    if (is_outside) --end.outside;
    stay_for_ever();
  }
  gil_request(const gil_request&) = delete;
  gil_request& operator=(const gil_request&) = delete;
  ~gil_request() { --the_end().waiting; }
};

}  // namespace

without_gil::without_gil() noexcept {
  // Counted before the GIL is released: the thread that ends the interpreter looks with the GIL.
  ++the_end().outside;
  state_ = PyEval_SaveThread();
  if (!has_ended_for_this_thread()) return;
  --the_end().outside;
  stay_for_ever();
}

without_gil::~without_gil() {
  const gil_request request(true);
  PyEval_RestoreThread(state_);
  --the_end().outside;
}

with_gil::with_gil() {
  const gil_request request(false);
  state_ = PyGILState_Ensure();
}

void keep_gil_for_the_end() {
  interpreter_end& end = the_end();
  end.ends_it = std::this_thread::get_id();
  end.has_begun = true;
  const auto limit = std::chrono::steady_clock::now() + limit_of_the_end;
  // A daemon thread in C++ would go on while the process takes down what it uses.
  while (end.waiting != 0 || (end.outside != 0 && std::chrono::steady_clock::now() < limit)) {
    const without_gil released;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

bool python_threads::post(std::function<void()> job, lane& to) {
  {
    const std::lock_guard lock(guard_);
    if (stopped_) return false;
    to.jobs.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void python_threads::expect(bool comes) {
  const std::lock_guard lock(guard_);
  comes ? ++coming_ : --coming_;
}

python_threads::lane* python_threads::next_lane() noexcept {
  for (lane* const each : {&briefs_, &functions_}) {
    if (each->has_next(stopped_)) return each;
  }
  return nullptr;
}

bool python_threads::has_spare_besides(const started& one) const noexcept {
  return idle_ + coming_ > (one.counted_in == &coming_ ? 1 : 0);
}

bool python_threads::run_next(const nb::callable& start_another, bool is_new) {
  const std::thread::id self = std::this_thread::get_id();
  std::function<void()> job;
  lane* from = nullptr;
  for (bool may_make_spare = true; !job; may_make_spare = false) {
    {
      const without_gil released;
      std::unique_lock lock(guard_);
      if (is_new) --coming_;
      is_new = false;
      ++idle_;
      changed_.wait(lock, [this] { return next_lane() != nullptr || stopped_; });
      --idle_;
      from = next_lane();
      if (from == nullptr) return false;
      if (has_spare_besides({}) || stopped_ || !may_make_spare) {
        job = std::move(from->jobs.front());
        from->jobs.pop_front();
        ++from->running;
        at_work_[self] = {&from->running, &start_another};
      }
    }
    if (!job) make_spare_thread(start_another);
  }
  job();
  job = nullptr;
  {
    const std::lock_guard lock(guard_);
    at_work_.erase(self);
    --from->running;
  }
  changed_.notify_one();
  return true;
}

void python_threads::make_spare_thread(const nb::callable& start_another) {
  // The thread has no job yet: Python may collect garbage here, and an object that goes may wait
  // for a task that needs the job. The thread comes back, so that the new one makes no further one.
  const std::thread::id self = std::this_thread::get_id();
  {
    const std::lock_guard lock(guard_);
    ++coming_;
    at_work_[self] = {&coming_, &start_another};
  }
  try {
    start_another();
  } catch (const nb::python_error&) {
    // This thread goes on alone. Should it have to wait, begin_wait() says that there is no other.
  }
  const std::lock_guard lock(guard_);
  at_work_.erase(self);
  --coming_;
}

void python_threads::stop() {
  {
    const std::lock_guard lock(guard_);
    stopped_ = true;
  }
  changed_.notify_all();
}

python_threads::started python_threads::begin_wait(bool may_throw) {
  const std::thread::id self = std::this_thread::get_id();
  started one;
  bool has_spare = false;
  {
    const std::lock_guard lock(guard_);
    const auto found = at_work_.find(self);
    if (found == at_work_.end()) return {};
    one = found->second;
    has_spare = has_spare_besides(one) || stopped_;
  }
  std::exception_ptr failed;
  if (!has_spare) {
    try {
      (*one.start_another)();
    } catch (const nb::python_error&) {
      failed = std::current_exception();
    }
  }
  {
    const std::lock_guard lock(guard_);
    const bool is_last = at_work_.size() == 1 && !has_spare_besides(one);
    if (may_throw && failed != nullptr && is_last) std::rethrow_exception(failed);
    --*one.counted_in;
    at_work_.erase(self);
  }
  changed_.notify_one();
  return one;
}

void python_threads::end_wait(const started& one) {
  const std::lock_guard lock(guard_);
  at_work_[std::this_thread::get_id()] = one;
  ++*one.counted_in;
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
