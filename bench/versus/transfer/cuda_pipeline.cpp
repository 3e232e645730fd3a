// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>
#include <vector>

#include <raw/cuda.hpp>

#include "kernels.hpp"
#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// Three streams, of which each waits for the one before, array by array.
struct job {
  struct array {
    float *host_from, *host_to;
    cuda::device_address from, to;
    cuda::event_handle there, done;
  };

  explicit job(const pipeline& given) : what(given) {
    for (std::size_t i = 0; i < what.count; ++i) {
      const std::size_t elements = what.bytes / sizeof(float);
      arrays.push_back({api.pinned(elements), api.pinned(elements), api.zeros(what.bytes),
                        api.zeros(what.bytes), api.event(), api.event()});
    }
  }

  void run() {
    for (array& each : arrays) run(each);
    api.wait(out);
  }

  void run(array& each) {
    constexpr std::size_t items = 256;
    const raw::cuda_functions& driver = api.driver();
    raw::check_cuda(driver.cuMemcpyHtoDAsync_v2(each.from, each.host_from, what.bytes, in),
                    "cuMemcpyHtoDAsync");
    raw::check_cuda(driver.cuEventRecord(each.there, in), "cuEventRecord");
    raw::check_cuda(driver.cuStreamWaitEvent(api.stream(), each.there, 0), "cuStreamWaitEvent");
    void* arguments[] = {&each.from, &each.to};
    api.launch(iterate_kernel, what.bytes / sizeof(float) / items, items, arguments);
    raw::check_cuda(driver.cuEventRecord(each.done, api.stream()), "cuEventRecord");
    raw::check_cuda(driver.cuStreamWaitEvent(out, each.done, 0), "cuStreamWaitEvent");
    raw::check_cuda(driver.cuMemcpyDtoHAsync_v2(each.host_to, each.to, what.bytes, out),
                    "cuMemcpyDtoHAsync");
  }

  pipeline what;
  raw::cuda_program api;
  cuda::stream_handle in = api.another_stream(), out = api.another_stream();
  cuda::function_handle iterate_kernel = api.build(iterate_cuda, "iterate");
  std::vector<array> arrays;
};

}  // namespace

contender cuda_pipeline(const pipeline& what) {
  return {"cuda", [what] {
            const auto made = std::make_shared<job>(what);
            return [made] { return nanoseconds_of([&] { made->run(); }) / 1e3; };
          }};
}

}  // namespace hocket::bench
