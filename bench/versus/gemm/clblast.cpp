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

struct job {
  explicit job(std::size_t size) : n(size) {
    for (raw::memory& each : data) each = api.zeros(size * size * sizeof(float));
  }

  void run(std::size_t calls) {
    cl_command_queue commands = api.commands.get();
    for (std::size_t i = 0; i < calls; ++i) {
      const clblast::StatusCode code = clblast::Gemm<float>(
          clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kNo, n, n, n,
          1.0F, data[0].get(), 0, n, data[1].get(), 0, n, 0.0F, data[2].get(), 0, n, &commands);
      if (code != clblast::StatusCode::kSuccess) {
        throw std::runtime_error("CLBlast fails with " + std::to_string(static_cast<int>(code)) +
                                 ".");
      }
    }
    raw::check(clFinish(commands), "clFinish");
  }

  raw::opencl api;
  std::size_t n;
  raw::memory data[3];
};

}  // namespace

contender clblast_gemm(const product& what) {
  return {"clblast", [what] {
            const auto made = std::make_shared<job>(what.size);
            return [made, what] {
              return nanoseconds_of([&] { made->run(what.calls); }) / 1e3 /
                     static_cast<double>(what.calls);
            };
          }};
}

}  // namespace hocket::bench
