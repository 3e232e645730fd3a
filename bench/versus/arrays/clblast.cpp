// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>
#include <stdexcept>
#include <string>

// First, since it chooses the version of the API.
#include <raw/opencl.hpp>

#include <clblast.h>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

void check(clblast::StatusCode code) {
  if (code == clblast::StatusCode::kSuccess) return;
  throw std::runtime_error("CLBlast fails with " + std::to_string(static_cast<int>(code)) + ".");
}

struct opencl_arrays {
  explicit opencl_arrays(const array_job& job) : n(job.size()), edge(job.edge) {
    for (raw::memory* each : {&x, &y}) *each = api.zeros(n * sizeof(float));
    result = api.zeros(sizeof(float));
    const host_arrays given(n);
    raw::check(clEnqueueWriteBuffer(api.commands.get(), x.get(), CL_TRUE, 0, n * sizeof(float),
                                    given.x.data(), 0, nullptr, nullptr),
               "clEnqueueWriteBuffer");
  }

  /// Returns the number that the operation leaves on the device, as ours do.
  void call(operation what) {
    cl_command_queue commands = api.commands.get();
    switch (what) {
      case operation::sum:
        check(clblast::Sum<float>(n, result.get(), 0, x.get(), 0, 1, &commands));
        break;
      case operation::norm:
        check(clblast::Nrm2<float>(n, result.get(), 0, x.get(), 0, 1, &commands));
        break;
      case operation::argmax:
        check(clblast::Max<float>(n, result.get(), 0, x.get(), 0, 1, &commands));
        break;
      default:
        check(clblast::Omatcopy<float>(clblast::Layout::kRowMajor, clblast::Transpose::kYes, edge,
                                       edge, 1.0F, x.get(), 0, edge, y.get(), 0, edge, &commands));
        return raw::check(clFinish(commands), "clFinish");
    }
    float answer = 0;
    raw::check(clEnqueueReadBuffer(commands, result.get(), CL_TRUE, 0, sizeof(answer), &answer, 0,
                                   nullptr, nullptr),
               "clEnqueueReadBuffer");
  }

  raw::opencl api;
  std::size_t n, edge;
  raw::memory x, y, result;
};

}  // namespace

contenders clblast_arrays(const array_job& job) {
  if (job.what == operation::inclusive_scan || job.what == operation::random_uniform) return {};
  return {{"clblast", [=] {
             const auto data = std::make_shared<opencl_arrays>(job);
             return [=] { return time_of_calls(job, [&] { data->call(job.what); }); };
           }}};
}

}  // namespace hocket::bench
