// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Products of cuBLAS, computed by the thread of a stream. Matrices lie column by column.

#include <cmath>
#include <memory>
#include <string>

#include "calls.hpp"
#include "driver.hpp"

using namespace standin;

namespace {

constexpr int not_initialized_blas = 1, invalid_value_blas = 7;

template <class T>
struct operand {
  std::uint64_t address;
  std::uint64_t leading;
  bool transposed;

  [[nodiscard]] std::uint64_t at(std::uint64_t row, std::uint64_t column) const {
    return address + (transposed ? column + row * leading : row + column * leading) * sizeof(T);
  }
};

template <class T>
struct request {
  operand<T> a, b, c;
  std::uint64_t m, n, k;
  T alpha, beta;
};

template <class T>
T& element(memory_view& memory, std::uint64_t address, std::size_t slot) {
  char* const found = memory.find(address, sizeof(T), slot);
  if (found == nullptr) throw failure(illegal_address, "a product is outside of its matrices");
  return *reinterpret_cast<T*>(found);
}

template <class T>
void multiply(const request<T>& what, const std::vector<const device_memory*>& memories) {
  memory_view memory(memories);
  for (std::uint64_t i = 0; i < what.m; ++i) {
    for (std::uint64_t j = 0; j < what.n; ++j) {
      T sum = 0;
      for (std::uint64_t l = 0; l < what.k && what.alpha != 0; ++l) {
        sum = std::fma(element<T>(memory, what.a.at(i, l), 0),
                       element<T>(memory, what.b.at(l, j), 1), sum);
      }
      T& c = element<T>(memory, what.c.at(i, j), 2);
      c = what.alpha * sum + (what.beta == 0 ? T{0} : what.beta * c);
    }
  }
}

/// Columns in memory are as long as leading says, and hold rows elements.
bool is_matrix(int rows, int leading) { return leading >= std::max(1, rows); }

template <class T>
int gemm(const char* name, void* handle, int transpose_a, int transpose_b, int m, int n, int k,
         const T* alpha, const T* a, int leading_a, const T* b, int leading_b, const T* beta, T* c,
         int leading_c) {
  return entry(name, [&]() -> int {
    if (handle == nullptr) return not_initialized_blas;
    if (m < 0 || n < 0 || k < 0 || alpha == nullptr || beta == nullptr ||
        !is_matrix(transpose_a != 0 ? k : m, leading_a) ||
        !is_matrix(transpose_b != 0 ? n : k, leading_b) || !is_matrix(m, leading_c)) {
      return invalid_value_blas;
    }
    const auto with = driver::get().blas_handles.get(handle, "handle of cuBLAS");
    const auto operand_of = [](const T* address, int leading, int transposed) {
      return operand<T>{reinterpret_cast<std::uint64_t>(address),
                        static_cast<std::uint64_t>(leading), transposed != 0};
    };
    const request<T> what{operand_of(a, leading_a, transpose_a),
                          operand_of(b, leading_b, transpose_b),
                          operand_of(c, leading_c, 0),
                          static_cast<std::uint64_t>(m),
                          static_cast<std::uint64_t>(n),
                          static_cast<std::uint64_t>(k),
                          *alpha,
                          *beta};
    push(stream_of(with->stream), [what, c = with->of.get()] { multiply(what, c->memories()); });
    return success;
  });
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int cublasCreate_v2(void** made) {
  return entry("cublasCreate_v2", [&] {
    require(made != nullptr, "there is no place for the handle");
    *made = driver::get().blas_handles.add(
        std::make_shared<blas_object>(blas_object{current_context(), nullptr}));
  });
}

__attribute__((visibility("default"))) int cublasDestroy_v2(void* handle) {
  return entry("cublasDestroy_v2",
               [&] { driver::get().blas_handles.remove(handle, "handle of cuBLAS"); });
}

__attribute__((visibility("default"))) int cublasSetStream_v2(void* handle, void* stream) {
  return entry("cublasSetStream_v2", [&] {
    driver::get().blas_handles.get(handle, "handle of cuBLAS")->stream = stream;
  });
}

__attribute__((visibility("default"))) const char* cublasGetStatusString(int code) {
  return code == success ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_EXECUTION_FAILED";
}

__attribute__((visibility("default"))) int cublasSgemm_v2(void* handle, int transpose_a,
                                                          int transpose_b, int m, int n, int k,
                                                          const float* alpha, const float* a,
                                                          int leading_a, const float* b,
                                                          int leading_b, const float* beta,
                                                          float* c, int leading_c) {
  return gemm("cublasSgemm_v2", handle, transpose_a, transpose_b, m, n, k, alpha, a, leading_a, b,
              leading_b, beta, c, leading_c);
}

__attribute__((visibility("default"))) int cublasDgemm_v2(void* handle, int transpose_a,
                                                          int transpose_b, int m, int n, int k,
                                                          const double* alpha, const double* a,
                                                          int leading_a, const double* b,
                                                          int leading_b, const double* beta,
                                                          double* c, int leading_c) {
  return gemm("cublasDgemm_v2", handle, transpose_a, transpose_b, m, n, k, alpha, a, leading_a, b,
              leading_b, beta, c, leading_c);
}
}
