// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>
#include <vector>

#include <raw/cuda.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

using library = struct cublas_object*;
constexpr int as_it_is = 0;  // neither matrix is transposed

/// The functions of cuBLAS that are used here, opened at run time.
struct functions {
  template <class Function>
  static void find(const char* name, Function& found) {
    found = reinterpret_cast<Function>(
        raw::function_of_library("HOCKET_BENCH_CUBLAS",
                                 {"libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.13",
                                  "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so.12"},
                                 name));
  }

  functions() {
    find("cublasCreate_v2", create);
    find("cublasDestroy_v2", destroy);
    find("cublasSetStream_v2", set_stream);
    find("cublasSgemm_v2", multiply);
  }

  int (*create)(library*);
  int (*destroy)(library);
  int (*set_stream)(library, cuda::stream_handle);
  int (*multiply)(library, int, int, int, int, int, const float*, const float*, int, const float*,
                  int, const float*, float*, int);
};

struct job {
  explicit job(std::size_t size) : n(static_cast<int>(size)) {
    for (float*& each : data) {
      each = reinterpret_cast<float*>(api.zeros(size * size * sizeof(float)));
    }
    raw::check_cuda(call.create(&blas), "cublasCreate");
    raw::check_cuda(call.set_stream(blas, api.stream()), "cublasSetStream");
  }
  ~job() { (void)call.destroy(blas); }
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  void run(std::size_t calls) {
    constexpr float one = 1, zero = 0;
    for (std::size_t i = 0; i < calls; ++i) {
      // Columns first there: the product of the transposed matrices in the other order.
      raw::check_cuda(call.multiply(blas, as_it_is, as_it_is, n, n, n, &one, data[1], n, data[0], n,
                                    &zero, data[2], n),
                      "cublasSgemm");
    }
    api.wait();
  }

  functions call;
  raw::cuda_program api;
  library blas = nullptr;
  int n;
  float* data[3];
};

}  // namespace

contender cublas_gemm(const product& what) {
  return {"cublas", [what] {
            const auto made = std::make_shared<job>(what.size);
            return [made, what] {
              return nanoseconds_of([&] { made->run(what.calls); }) / 1e3 /
                     static_cast<double>(what.calls);
            };
          }};
}

}  // namespace hocket::bench
