// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>

#include <starpu.h>

#include <harness/process.hpp>

namespace hocket::bench {

/// StarPU with so many workers on the cores of this process, which may be fewer, and one for each
/// of the first so many OpenCL devices, processors included. A process has one at a time. Says
/// nothing and leaves no files.
class starpu_session {
 public:
  explicit starpu_session(std::size_t threads) : starpu_session(threads, 0, nullptr) {}
  /// By the policy with this name, which measures what tasks take.
  starpu_session(std::size_t threads, std::size_t opencl_devices, const char* policy);
  starpu_session(const starpu_session&) = delete;
  starpu_session& operator=(const starpu_session&) = delete;
  ~starpu_session();

 private:
  temporary_folder folder_;  // for the files that StarPU wants to keep
};

/// The workers of the session run tasks while one of these lives. They never sleep then, and would
/// take the cores from whoever is measured next.
class starpu_workers_awake {
 public:
  starpu_workers_awake() { starpu_resume(); }
  starpu_workers_awake(const starpu_workers_awake&) = delete;
  starpu_workers_awake& operator=(const starpu_workers_awake&) = delete;
  ~starpu_workers_awake() { starpu_pause(); }
};

/// A variable that StarPU looks after.
class starpu_variable {
 public:
  starpu_variable() {
    starpu_variable_data_register(&handle_, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&at_),
                                  sizeof(at_));
  }
  starpu_variable(const starpu_variable&) = delete;
  starpu_variable& operator=(const starpu_variable&) = delete;
  ~starpu_variable() {
    const starpu_workers_awake workers;
    starpu_data_unregister(handle_);
  }

  [[nodiscard]] starpu_data_handle_t handle() const noexcept { return handle_; }

 private:
  float at_ = 0;
  starpu_data_handle_t handle_ = nullptr;
};

/// What tasks of this function have in common. No model of its times is kept.
[[nodiscard]] starpu_codelet starpu_codelet_of(starpu_cpu_func_t function);

/// Throws std::runtime_error if StarPU does not take the task.
void starpu_submit(starpu_task* task);

}  // namespace hocket::bench
