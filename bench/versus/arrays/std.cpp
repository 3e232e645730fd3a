// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "subjects.hpp"

namespace hocket::bench {

contenders std_arrays(const array_job& job) {
  const auto made = [&](auto function) { return contenders{on_host("std", job, function)}; };
  switch (job.what) {
    case operation::sum:
      return made([](host_arrays& a) { a.result = std::reduce(a.x.begin(), a.x.end()); });
    case operation::norm:
      return made([](host_arrays& a) {
        a.result = std::sqrt(std::transform_reduce(a.x.begin(), a.x.end(), a.x.begin(), 0.0F));
      });
    case operation::argmax:
      return made([](host_arrays& a) {
        a.result = static_cast<float>(std::ranges::max_element(a.x) - a.x.begin());
      });
    case operation::inclusive_scan:
      return made([](host_arrays& a) { std::inclusive_scan(a.x.begin(), a.x.end(), a.y.begin()); });
    case operation::transpose:
      return made([edge = job.edge](host_arrays& a) {
        for (std::size_t i = 0; i < edge; ++i) {
          for (std::size_t j = 0; j < edge; ++j) a.y[(j * edge) + i] = a.x[(i * edge) + j];
        }
      });
    case operation::random_uniform:
      return made([](host_arrays& a) {
        std::mt19937 random(1);
        for (float& each : a.y) each = static_cast<float>(random() >> 8U) / (1U << 24U);
      });
  }
  return {};
}

}  // namespace hocket::bench
