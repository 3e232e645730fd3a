// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <harness/command.hpp>

namespace hocket::bench {

enum class operation : std::uint8_t {
  sum,
  norm,
  argmax,
  inclusive_scan,
  transpose,
  random_uniform
};

/// One operation on so many floats, which are a square where it needs a matrix.
struct array_job {
  operation what;
  std::size_t edge;

  [[nodiscard]] std::size_t size() const { return edge * edge; }
  /// A sample makes so many calls, one after the other.
  [[nodiscard]] std::size_t calls() const {
    return size() < 100'000 ? 200 : 2'000'000 / size() + 1;
  }
};

/// Through a runtime, pinned to the device, whose memory has the elements.
[[nodiscard]] contender hocket_arrays(const array_job& job, const std::string& device);

/// Each has no contender for some operations, which means that it has no function for them.
using contenders = std::vector<contender>;

/// The algorithms of the standard library, in one thread.
[[nodiscard]] contenders std_arrays(const array_job& job);
/// The algorithms of oneTBB, over those of the standard library.
[[nodiscard]] contenders tbb_arrays(const array_job& job, std::size_t threads);
/// Level one of BLAS, which knows sums and greatest elements of magnitudes, and its copy of
/// matrices.
[[nodiscard]] contenders openblas_arrays(const array_job& job);
#ifdef HOCKET_BENCH_CLBLAST
/// CLBlast, on the first device of OpenCL.
[[nodiscard]] contenders clblast_arrays(const array_job& job);
#endif

/// The arrays of peers on the host.
struct host_arrays {
  explicit host_arrays(std::size_t size) : x(size), y(size) {
    std::mt19937 random(1);
    for (float& each : x) each = static_cast<float>(random() >> 8U) / (1U << 24U);
  }

  std::vector<float> x, y;
  volatile float result = 0;  ///< no call is left out
};

/// The microseconds that a call takes.
template <class Call>
[[nodiscard]] double time_of_calls(const array_job& job, const Call& call) {
  const double all = nanoseconds_of([&] {
    for (std::size_t i = 0; i < job.calls(); ++i) call();
  });
  return all / 1e3 / static_cast<double>(job.calls());
}

/// Calls of function(host_arrays&).
template <class Function>
[[nodiscard]] contender on_host(const std::string& subject, const array_job& job,
                                Function function) {
  return {subject, [=] {
            const auto data = std::make_shared<host_arrays>(job.size());
            return [=] { return time_of_calls(job, [&] { function(*data); }); };
          }};
}

}  // namespace hocket::bench
