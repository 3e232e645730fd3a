// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Products of rocBLAS, which are those of cuBLAS with other numbers for the same things.

#include "forward.hpp"

extern "C" {
int cublasCreate_v2(void** made);
int cublasDestroy_v2(void* handle);
int cublasSetStream_v2(void* handle, void* stream);
int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                   int, const float*, float*, int);
int cublasDgemm_v2(void*, int, int, int, int, int, const double*, const double*, int, const double*,
                   int, const double*, double*, int);
int cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int, int, int);
}

using namespace standin;

namespace {

constexpr int not_implemented = 2, sums_of_floats = 68;

/// Transposed or not, in the numbers of cuBLAS.
int operation(int given) { return given - 111; }

/// How numbers are stored, in the numbers of cuBLAS; -1 for what the stand-in does not multiply.
int number(int given) { return given == 150 ? 2 : given == 151 ? 0 : given == 168 ? 14 : -1; }

}  // namespace

HOCKET_STANDIN_HIP int rocblas_create_handle(void** made) {
  return with_device(cublasCreate_v2, made);
}
HOCKET_STANDIN_HIP int rocblas_destroy_handle(void* handle) { return cublasDestroy_v2(handle); }
HOCKET_STANDIN_HIP int rocblas_set_stream(void* handle, void* stream) {
  return cublasSetStream_v2(handle, stream);
}
HOCKET_STANDIN_HIP const char* rocblas_status_to_string(int status) {
  return status == 0 ? "rocblas_status_success" : "rocblas_status_internal_error";
}

HOCKET_STANDIN_HIP int rocblas_sgemm(void* handle, int a_as, int b_as, int m, int n, int k,
                                     const float* alpha, const float* a, int leading_a,
                                     const float* b, int leading_b, const float* beta, float* c,
                                     int leading_c) {
  return with_device(cublasSgemm_v2, handle, operation(a_as), operation(b_as), m, n, k, alpha, a,
                     leading_a, b, leading_b, beta, c, leading_c);
}

HOCKET_STANDIN_HIP int rocblas_dgemm(void* handle, int a_as, int b_as, int m, int n, int k,
                                     const double* alpha, const double* a, int leading_a,
                                     const double* b, int leading_b, const double* beta, double* c,
                                     int leading_c) {
  return with_device(cublasDgemm_v2, handle, operation(a_as), operation(b_as), m, n, k, alpha, a,
                     leading_a, b, leading_b, beta, c, leading_c);
}

HOCKET_STANDIN_HIP int rocblas_gemm_ex(void* handle, int a_as, int b_as, int m, int n, int k,
                                       const void* alpha, const void* a, int type_a, int leading_a,
                                       const void* b, int type_b, int leading_b, const void* beta,
                                       const void* c, int type_c, int leading_c, void* d,
                                       int type_d, int leading_d, int sums, int /*algorithm*/,
                                       int /*solution*/, unsigned /*flags*/) {
  constexpr int floats = 151;
  if (c != d || type_c != type_d || leading_c != leading_d || sums != floats) {
    return not_implemented;
  }
  return with_device(cublasGemmEx, handle, operation(a_as), operation(b_as), m, n, k, alpha, a,
                     number(type_a), leading_a, b, number(type_b), leading_b, beta, d,
                     number(type_d), leading_d, sums_of_floats, -1);
}
