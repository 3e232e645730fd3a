// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>

#include <raw/opencl.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct job {
  job() : empty(api.build("__kernel void empty(__global float* x) {}", "empty")) {
    cl_mem where = x.get();
    raw::check(clSetKernelArg(empty.get(), 0, sizeof where, &where), "clSetKernelArg");
  }

  void enqueue() {
    const std::size_t one = 1;
    raw::check(clEnqueueNDRangeKernel(api.commands.get(), empty.get(), 1, nullptr, &one, &one, 0,
                                      nullptr, nullptr),
               "clEnqueueNDRangeKernel");
  }
  void finish() { raw::check(clFinish(api.commands.get()), "clFinish"); }

  raw::opencl api;
  raw::kernel_object empty;
  raw::memory x = api.zeros(64);
};

}  // namespace

contender by_hand::opencl_round_trip(const settings& wanted) {
  return {"opencl", [count = counts_for(wanted).trips_to_driver] {
            const auto made = std::make_shared<job>();
            return [made, count] {
              const auto work = [&] {
                for (std::size_t i = 0; i < count; ++i) {
                  made->enqueue();
                  made->finish();
                }
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

contender by_hand::opencl_stream(const settings& wanted) {
  return {"opencl", [count = counts_for(wanted).stream] {
            const auto made = std::make_shared<job>();
            return [made, count] {
              const auto work = [&] {
                for (std::size_t i = 0; i < count; ++i) made->enqueue();
                made->finish();
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

}  // namespace hocket::bench
