// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>

#include <raw/cuda.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct job {
  void enqueue() {
    void* arguments[] = {&x};
    api.launch(empty, 1, 1, arguments);
  }

  raw::cuda_program api;
  cuda::function_handle empty =
      api.build("extern \"C\" __global__ void empty(float* x) {}", "empty");
  cuda::device_address x = api.zeros(64);
};

template <class Work>
contender measured(const char* subject, std::size_t count, Work work) {
  return {subject, [count, work] {
            const auto made = std::make_shared<job>();
            return [made, count, run = work(*made, count)] {
              return nanoseconds_of(run) / static_cast<double>(count);
            };
          }};
}

}  // namespace

contender by_hand::cuda_round_trip(const settings& wanted) {
  return measured("cuda", counts_for(wanted).trips_to_driver, [](job& with, std::size_t count) {
    return [&with, count] {
      for (std::size_t i = 0; i < count; ++i) {
        with.enqueue();
        with.api.wait();
      }
    };
  });
}

contender by_hand::cuda_stream(const settings& wanted) {
  return measured("cuda", counts_for(wanted).stream, [](job& with, std::size_t count) {
    return [&with, count] {
      for (std::size_t i = 0; i < count; ++i) with.enqueue();
      with.api.wait();
    };
  });
}

contender by_hand::cuda_graph(const settings& wanted) {
  return measured("cuda_graph", counts_for(wanted).stream, [](job& with, std::size_t count) {
    const raw::cuda_runnable graph = with.api.capture([&] {
      for (std::size_t i = 0; i < count; ++i) with.enqueue();
    });
    return [&with, graph] {
      raw::check_cuda(with.api.driver().cuGraphLaunch(graph, with.api.stream()), "cuGraphLaunch");
      with.api.wait();
    };
  });
}

}  // namespace hocket::bench
