// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <hocket/hocket.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "python_threads.hpp"

namespace hocket::python {

using runtime_ref = std::shared_ptr<runtime>;

/// Deletes what waits for tasks when it ends, some of which may want the GIL.
template <class T>
void delete_without_gil(T* gone, python_threads& threads) {
  const bool has_gil = Py_IsInitialized() != 0 && PyGILState_Check() != 0;
  if (!has_gil) {
    delete gone;
    return;
  }
  const python_threads::blocked waits(threads, std::nothrow);
  const without_gil released;
  delete gone;
}

/// The runtime of one object Runtime, as long as it is open. Buffers and futures keep it, and views
/// keep the runtime itself: what an array lies over stays until the array has gone, also if the
/// runtime was closed before.
class open_runtime {
 public:
  open_runtime(const runtime_options& options, threads_ref threads);

  /// Throws usage_error if it was closed.
  [[nodiscard]] runtime_ref get() const;
  [[nodiscard]] bool is_closed() const;

  /// Lets go of the runtime, without the GIL. It ends here if nothing else keeps it.
  void close();

  /// Keeps what must not outlive the runtime until that is closed.
  void keep_until_close(std::shared_ptr<void> what);
  /// Keeps it no longer; null: nothing happens.
  void let_go_of(const std::shared_ptr<void>& what);

  /// At the end of the process: keeps the runtime from ending, which would wait for its tasks.
  void abandon();

  [[nodiscard]] const threads_ref& threads() const noexcept { return threads_; }
  [[nodiscard]] bool is_virtual() const noexcept { return is_virtual_; }

  /// What each open view keeps, so that has_views() knows of them.
  [[nodiscard]] std::shared_ptr<const void> view_count() const noexcept { return views_; }
  [[nodiscard]] bool has_views() const noexcept { return views_.use_count() > 1; }

 private:
  threads_ref threads_;
  bool is_virtual_;
  std::shared_ptr<const void> views_ = std::make_shared<char>();
  mutable std::mutex guard_;  // for what follows
  runtime_ref runtime_;
  std::vector<std::shared_ptr<void>> kept_;
};
using open_runtime_ref = std::shared_ptr<open_runtime>;

/// Waits for the task, without the GIL, so that Ctrl-C ends the wait. Returns false if so many
/// seconds have passed; none: there is no limit.
[[nodiscard]] bool wait_for_task(const open_runtime& home, const detail::task_state_ptr& task,
                                 const nb::object& seconds = nb::none());

/// Reads the options of a task by their names in Python. Throws TypeError for others.
[[nodiscard]] task_options task_options_of(const nb::dict& options, runtime& in);

/// Reads the options of a run of a graph, of a recording, and of a scope. Throws likewise.
[[nodiscard]] run_options run_options_of(const nb::dict& options);
[[nodiscard]] record_options record_options_of(const nb::dict& options);
[[nodiscard]] scope_options scope_options_of(const nb::dict& options);

/// The options of a runtime, by name.
[[nodiscard]] runtime_options runtime_options_of(const nb::dict& options);

/// A time in seconds. `what` begins the messages of TypeError and ValueError.
[[nodiscard]] nanoseconds duration_of(const nb::handle& seconds, const std::string& what);

/// A text, as the value of the option that is named.
[[nodiscard]] std::string text_option(const nb::handle& value, const std::string& name);

void bind_runtimes(nb::module_& to);
void bind_reports(nb::module_& to);
void bind_buffers(nb::module_& to);
void bind_futures(nb::module_& to);
void bind_views(nb::module_& to);
void bind_operations(nb::module_& to);
void bind_functions(nb::module_& to);
void bind_graphs(nb::module_& to);
void bind_scopes(nb::module_& to);
void bind_checkpoints(nb::module_& to);
void bind_expressions(nb::module_& to);
void bind_reductions(nb::module_& to);

}  // namespace hocket::python
