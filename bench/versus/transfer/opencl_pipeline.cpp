// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>
#include <vector>

#include <raw/opencl.hpp>

#include "kernels.hpp"
#include "subjects.hpp"

namespace hocket::bench {

namespace {

using event = raw::owned<cl_event, clReleaseEvent>;

raw::queue another_queue(const raw::opencl& api) {
  cl_int code = CL_SUCCESS;
  raw::queue made(clCreateCommandQueue(api.in.get(), api.device, 0, &code));
  raw::check(code, "clCreateCommandQueue");
  return made;
}

/// Three queues, of which each waits for the one before, array by array.
struct job {
  explicit job(const pipeline& given) : what(given), host_from(given.count), host_to(given.count) {
    for (std::size_t i = 0; i < what.count; ++i) {
      host_from[i].assign(what.bytes / sizeof(float), 1);
      host_to[i].assign(what.bytes / sizeof(float), 1);
      from.push_back(api.zeros(what.bytes));
      to.push_back(api.zeros(what.bytes));
    }
  }

  void run() {
    std::vector<event> kept;
    for (std::size_t i = 0; i < what.count; ++i) {
      cl_event there = nullptr, done = nullptr;
      raw::check(clEnqueueWriteBuffer(in.get(), from[i].get(), CL_FALSE, 0, what.bytes,
                                      host_from[i].data(), 0, nullptr, &there),
                 "clEnqueueWriteBuffer");
      kept.emplace_back(there);
      compute(i, there, &done);
      kept.emplace_back(done);
      raw::check(clEnqueueReadBuffer(out.get(), to[i].get(), CL_FALSE, 0, what.bytes,
                                     host_to[i].data(), 1, &done, nullptr),
                 "clEnqueueReadBuffer");
      for (cl_command_queue queue : {in.get(), api.commands.get(), out.get()}) {
        raw::check(clFlush(queue), "clFlush");
      }
    }
    raw::check(clFinish(out.get()), "clFinish");
  }

  void compute(std::size_t i, cl_event there, cl_event* done) {
    cl_mem arguments[] = {from[i].get(), to[i].get()};
    for (cl_uint k = 0; k < 2; ++k) {
      raw::check(clSetKernelArg(iterate.get(), k, sizeof arguments[k], &arguments[k]),
                 "clSetKernelArg");
    }
    const std::size_t items = what.bytes / sizeof(float), local = 256;
    raw::check(clEnqueueNDRangeKernel(api.commands.get(), iterate.get(), 1, nullptr, &items, &local,
                                      1, &there, done),
               "clEnqueueNDRangeKernel");
  }

  pipeline what;
  std::vector<std::vector<float>> host_from, host_to;
  raw::opencl api;
  raw::queue in = another_queue(api), out = another_queue(api);
  raw::kernel_object iterate = api.build(iterate_opencl, "iterate");
  std::vector<raw::memory> from, to;
};

}  // namespace

contender opencl_pipeline(const pipeline& what) {
  return {"opencl", [what] {
            const auto made = std::make_shared<job>(what);
            return [made] { return nanoseconds_of([&] { made->run(); }) / 1e3; };
          }};
}

}  // namespace hocket::bench
