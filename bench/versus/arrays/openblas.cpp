// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cblas.h>

#include "subjects.hpp"

namespace hocket::bench {

contenders openblas_arrays(const array_job& job) {
  const auto made = [&](auto function) { return contenders{on_host("openblas", job, function)}; };
  const auto n = static_cast<blasint>(job.size()), edge = static_cast<blasint>(job.edge);
  switch (job.what) {
    case operation::sum:
      return made([n](host_arrays& a) { a.result = cblas_sasum(n, a.x.data(), 1); });
    case operation::norm:
      return made([n](host_arrays& a) { a.result = cblas_snrm2(n, a.x.data(), 1); });
    case operation::argmax:
      return made(
          [n](host_arrays& a) { a.result = static_cast<float>(cblas_isamax(n, a.x.data(), 1)); });
    case operation::transpose:
      return made([edge](host_arrays& a) {
        cblas_somatcopy(CblasRowMajor, CblasTrans, edge, edge, 1.0F, a.x.data(), edge, a.y.data(),
                        edge);
      });
    case operation::inclusive_scan:
    case operation::random_uniform:
      return {};
  }
  return {};
}

}  // namespace hocket::bench
