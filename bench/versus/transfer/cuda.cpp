// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>
#include <vector>

#include <raw/cuda.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct job {
  job(std::size_t bytes, bool pinned) : device(api.zeros(bytes)) {
    if (pinned) {
      host = api.pinned(bytes / sizeof(float));
    } else {
      pages.assign(bytes / sizeof(float), 1);
      host = pages.data();
    }
  }

  void run(const transfer& what) {
    const raw::cuda_functions& driver = api.driver();
    for (std::size_t i = 0; i < what.calls; ++i) {
      if (what.way == direction::to_device) {
        raw::check_cuda(driver.cuMemcpyHtoDAsync_v2(device, host, what.bytes, api.stream()),
                        "cuMemcpyHtoDAsync");
      } else {
        raw::check_cuda(driver.cuMemcpyDtoHAsync_v2(host, device, what.bytes, api.stream()),
                        "cuMemcpyDtoHAsync");
      }
      api.wait();
    }
  }

  raw::cuda_program api;
  cuda::device_address device;
  std::vector<float> pages;
  float* host = nullptr;
};

}  // namespace

contender cuda_copy(const transfer& what, bool pinned) {
  return {pinned ? "pinned" : "cuda", [what, pinned] {
            const auto made = std::make_shared<job>(what.bytes, pinned);
            return [made, what] { return what.each(nanoseconds_of([&] { made->run(what); })); };
          }};
}

}  // namespace hocket::bench
