// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

contender hocket_gemm(const product& what, const std::string& device) {
  return {"hocket", [what, device] {
            const auto rt = std::make_shared<runtime>(runtime_options{.devices = device});
            const buffer<float, 2> a(*rt, {what.size, what.size}, 0.5F);
            const buffer<float, 2> b(*rt, {what.size, what.size}, 0.25F);
            const buffer<float, 2> c(*rt, {what.size, what.size}, 0.0F);
            return [rt, a, b, c, calls = what.calls] {
              const auto work = [&] {
                for (std::size_t i = 0; i < calls; ++i) {
                  rt->submit(ops::gemm_nn, reads(a), reads(b), writes(c));
                }
                rt->wait();
              };
              return nanoseconds_of(work) / 1e3 / static_cast<double>(calls);
            };
          }};
}

}  // namespace hocket::bench
