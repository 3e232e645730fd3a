// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>
#include <vector>

#include <raw/opencl.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct job {
  explicit job(std::size_t bytes) : device(api.zeros(bytes)), host(bytes, 1) {}

  void run(const transfer& what) {
    for (std::size_t i = 0; i < what.calls; ++i) {
      if (what.way == direction::to_device) {
        raw::check(clEnqueueWriteBuffer(api.commands.get(), device.get(), CL_TRUE, 0, what.bytes,
                                        host.data(), 0, nullptr, nullptr),
                   "clEnqueueWriteBuffer");
      } else {
        raw::check(clEnqueueReadBuffer(api.commands.get(), device.get(), CL_TRUE, 0, what.bytes,
                                       host.data(), 0, nullptr, nullptr),
                   "clEnqueueReadBuffer");
      }
    }
  }

  raw::opencl api;
  raw::memory device;
  std::vector<char> host;
};

}  // namespace

contender opencl_copy(const transfer& what) {
  return {"opencl", [what] {
            const auto made = std::make_shared<job>(what.bytes);
            return [made, what] { return what.each(nanoseconds_of([&] { made->run(what); })); };
          }};
}

}  // namespace hocket::bench
