// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "starpu.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include <harness/machine.hpp>

namespace hocket::bench {

starpu_session::starpu_session(std::size_t threads, std::size_t opencl_devices,
                               const char* policy) {
  // There are no fields for these. Workers stay on the cores of the process, as those of others do;
  // StarPU would bind them to the first cores of the machine.
  ::setenv("STARPU_SILENT", "1", 1);
  ::setenv("STARPU_WORKERS_NOBIND", "1", 1);
  ::setenv("STARPU_HOME", folder_.name().c_str(), 1);
  starpu_conf wanted;
  starpu_conf_init(&wanted);
  wanted.precedence_over_environment_variables = 1;
  wanted.ncpus = static_cast<int>(threads);
  wanted.ncuda = 0;
  wanted.nopencl = static_cast<int>(opencl_devices);
  ::setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
  if (policy != nullptr) {
    wanted.sched_policy_name = policy;
    wanted.calibrate = 1;
  }
  // StarPU has no more workers than there are cores in the machine that hwloc tells it of.
  const std::size_t workers = threads + opencl_devices;
  const bool has_cores = workers <= allowed_cores();
  if (!has_cores) {
    ::setenv("HWLOC_SYNTHETIC", ("core:" + std::to_string(workers) + " pu:1").c_str(), 1);
  }
  const int problem = starpu_init(&wanted);
  if (!has_cores) ::unsetenv("HWLOC_SYNTHETIC");
  if (problem != 0) {
    throw std::runtime_error("StarPU does not start: error " + std::to_string(-problem) + ".");
  }
  if (starpu_cpu_worker_get_count() != threads) {
    throw std::runtime_error("StarPU starts " + std::to_string(starpu_cpu_worker_get_count()) +
                             " workers of " + std::to_string(threads) + ".");
  }
  if (starpu_opencl_worker_get_count() != opencl_devices) {
    throw std::runtime_error("StarPU finds " + std::to_string(starpu_opencl_worker_get_count()) +
                             " OpenCL devices of " + std::to_string(opencl_devices) + ".");
  }
  starpu_pause();
}

starpu_session::~starpu_session() {
  starpu_resume();
  starpu_shutdown();
}

starpu_codelet starpu_codelet_of(starpu_cpu_func_t function) {
  starpu_codelet made;
  starpu_codelet_init(&made);
  made.where = STARPU_CPU;
  made.cpu_funcs[0] = function;
  return made;
}

void starpu_submit(starpu_task* task) {
  const int problem = starpu_task_submit(task);
  if (problem != 0) {
    throw std::runtime_error("StarPU does not take a task: error " + std::to_string(-problem) +
                             ".");
  }
}

}  // namespace hocket::bench
