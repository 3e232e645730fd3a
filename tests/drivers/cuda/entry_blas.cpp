// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Products of cuBLAS, computed by the thread of a stream. Matrices lie column by column.

#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>

#include <hocket/core/float16.hpp>

#include "calls.hpp"
#include "driver.hpp"

using namespace standin;

namespace {

constexpr int not_initialized_blas = 1, invalid_value_blas = 7, not_supported_blas = 15;

template <class T>
struct operand {
  std::uint64_t address;
  std::uint64_t leading;
  bool transposed;

  [[nodiscard]] std::uint64_t at(std::uint64_t row, std::uint64_t column) const {
    return address + (transposed ? column + row * leading : row + column * leading) * sizeof(T);
  }
};

/// The type that products of a type are added up in.
template <class T>
using sum_type = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T, class C>
struct request {
  operand<T> a, b;
  operand<C> c;
  std::uint64_t m, n, k;
  sum_type<T> alpha, beta;
  bool rounds_factors;  ///< to 11 significant bits
};

/// As a tensor core sees a float: the nearest number with 11 significant bits.
float rounded(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x0fffU + (bits >> 13U & 1U)) & ~0x1fffU);
}
double rounded(double value) { return value; }

template <class T>
T& element(memory_view& memory, std::uint64_t address, std::size_t slot) {
  char* const found = memory.find(address, sizeof(T), slot);
  if (found == nullptr) throw failure(illegal_address, "a product is outside of its matrices");
  return *reinterpret_cast<T*>(found);
}

template <class T, class C>
void multiply(const request<T, C>& what, const std::vector<const device_memory*>& memories) {
  memory_view memory(memories);
  for (std::uint64_t i = 0; i < what.m; ++i) {
    for (std::uint64_t j = 0; j < what.n; ++j) {
      using number = sum_type<T>;
      const auto factor = [&](std::uint64_t address, std::size_t slot) {
        const number value = element<T>(memory, address, slot);
        return what.rounds_factors ? rounded(value) : value;
      };
      number sum = 0;
      for (std::uint64_t l = 0; l < what.k && what.alpha != 0; ++l) {
        sum = std::fma(factor(what.a.at(i, l), 0), factor(what.b.at(l, j), 1), sum);
      }
      C& c = element<C>(memory, what.c.at(i, j), 2);
      c = what.alpha * sum + (what.beta == 0 ? number{0} : what.beta * c);
    }
  }
}

/// Columns in memory are as long as leading says, and hold rows elements.
bool is_matrix(int rows, int leading) { return leading >= std::max(1, rows); }

template <class T, class C>
int gemm(const char* name, void* handle, int transpose_a, int transpose_b, int m, int n, int k,
         const sum_type<T>* alpha, const T* a, int leading_a, const T* b, int leading_b,
         const sum_type<T>* beta, C* c, int leading_c) {
  return entry(name, [&]() -> int {
    if (handle == nullptr) return not_initialized_blas;
    if (m < 0 || n < 0 || k < 0 || alpha == nullptr || beta == nullptr ||
        !is_matrix(transpose_a != 0 ? k : m, leading_a) ||
        !is_matrix(transpose_b != 0 ? n : k, leading_b) || !is_matrix(m, leading_c)) {
      return invalid_value_blas;
    }
    const auto with = driver::get().blas_handles.get(handle, "handle of cuBLAS");
    const auto operand_of = []<class E>(const E* address, int leading, int transposed) {
      return operand<std::remove_const_t<E>>{reinterpret_cast<std::uint64_t>(address),
                                             static_cast<std::uint64_t>(leading), transposed != 0};
    };
    const request<T, C> what{operand_of(a, leading_a, transpose_a),
                             operand_of(b, leading_b, transpose_b),
                             operand_of(c, leading_c, 0),
                             static_cast<std::uint64_t>(m),
                             static_cast<std::uint64_t>(n),
                             static_cast<std::uint64_t>(k),
                             *alpha,
                             *beta,
                             std::is_same_v<T, float> && with->may_round};
    push(stream_of(with->stream), [what, c = with->owner.get()] { multiply(what, c->memories()); });
    return success;
  });
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int cublasCreate_v2(void** made) {
  return entry("cublasCreate_v2", [&] {
    require(made != nullptr, "there is no place for the handle");
    *made = driver::get().blas_handles.add(
        std::make_shared<blas_object>(blas_object{current_context(), nullptr, false}));
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

__attribute__((visibility("default"))) int cublasSetMathMode(void* handle, int mode) {
  return entry("cublasSetMathMode", [&]() -> int {
    constexpr int plain = 0, tf32 = 3, keeps_precision = 16;
    const int numbers = mode & ~keeps_precision;
    if (numbers != plain && numbers != tf32) return invalid_value_blas;
    driver::get().blas_handles.get(handle, "handle of cuBLAS")->may_round = numbers == tf32;
    return success;
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

__attribute__((visibility("default"))) int cublasGemmEx(
    void* handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
    const void* a, int type_a, int leading_a, const void* b, int type_b, int leading_b,
    const void* beta, void* c, int type_c, int leading_c, int sums, int /*algorithm*/) {
  constexpr int of_float = 0, of_float16 = 2, of_bfloat16 = 14, sums_of_floats = 68;
  if (type_a != type_b || sums != sums_of_floats) return not_supported_blas;
  if (type_c != type_a && type_c != of_float) return not_supported_blas;
  const auto call = [&]<class T, class C>(T, C) {
    return gemm("cublasGemmEx", handle, transpose_a, transpose_b, m, n, k,
                static_cast<const float*>(alpha), static_cast<const T*>(a), leading_a,
                static_cast<const T*>(b), leading_b, static_cast<const float*>(beta),
                static_cast<C*>(c), leading_c);
  };
  const auto call_with = [&]<class T>(T as) {
    return type_c == of_float ? call(as, float{}) : call(as, as);
  };
  if (type_a == of_float16) return call_with(hocket::float16{});
  return type_a == of_bfloat16 ? call_with(hocket::bfloat16{}) : not_supported_blas;
}
}
