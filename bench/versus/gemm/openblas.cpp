// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <chrono>
#include <thread>
#include <vector>

#include <cblas.h>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// So long the library's own threads look for work after a call, and take a core from who is next.
constexpr std::chrono::milliseconds looks_for_work{200};

}  // namespace

contender openblas_gemm(const product& what, std::size_t threads) {
  return {"openblas", [what, threads] {
            const std::vector<float> a(what.size * what.size, 0.5F);
            const std::vector<float> b(what.size * what.size, 0.25F);
            return [a, b, c = std::vector<float>(what.size * what.size), what, threads]() mutable {
              // The setting belongs to the process, and hocket uses one thread for each call.
              openblas_set_num_threads(static_cast<int>(threads));
              const auto n = static_cast<blasint>(what.size);
              const auto work = [&] {
                for (std::size_t i = 0; i < what.calls; ++i) {
                  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n,
                              b.data(), n, 0, c.data(), n);
                }
              };
              const double took = nanoseconds_of(work) / 1e3 / static_cast<double>(what.calls);
              openblas_set_num_threads(1);
              std::this_thread::sleep_for(looks_for_work);
              return took;
            };
          }};
}

}  // namespace hocket::bench
