// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "blas.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <hocket/devices/device.hpp>

#include "memory.hpp"

namespace hocket::cuda {

namespace {

/// A matrix as the library sees it: column by column, so that rows of ours are columns there.
template <class T>
struct matrix {
  explicit matrix(const placed_buffer& of)
      : elements(reinterpret_cast<T*>(address_of(of.where, of.part->first_byte()))),
        rows(of.part->sizes()[0]),
        columns(of.part->sizes()[1]),
        leading(std::max({of.part->strides()[0], columns, std::size_t{1}})) {}

  T* elements;
  std::size_t rows, columns;
  std::size_t leading;  ///< elements from one row to the next
};

blas_code call(const blas_api& functions, blas_handle handle, blas_operation b, blas_operation a,
               const int (&sizes)[3], float alpha, float beta, const matrix<float> (&of)[3],
               const int (&leading)[3]) {
  return functions.cublasSgemm_v2(handle, b, a, sizes[0], sizes[1], sizes[2], &alpha,
                                  of[1].elements, leading[1], of[0].elements, leading[0], &beta,
                                  of[2].elements, leading[2]);
}

blas_code call(const blas_api& functions, blas_handle handle, blas_operation b, blas_operation a,
               const int (&sizes)[3], double alpha, double beta, const matrix<double> (&of)[3],
               const int (&leading)[3]) {
  return functions.cublasDgemm_v2(handle, b, a, sizes[0], sizes[1], sizes[2], &alpha,
                                  of[1].elements, leading[1], of[0].elements, leading[0], &beta,
                                  of[2].elements, leading[2]);
}

template <class T>
blas_code call(const blas_api& functions, blas_handle handle, blas_operation b, blas_operation a,
               const int (&sizes)[3], float alpha, float beta, const matrix<T> (&of)[3],
               const int (&leading)[3]) {
  constexpr blas_number as =
      std::is_same_v<T, float16> ? blas_number::float16 : blas_number::bfloat16;
  return functions.cublasGemmEx(handle, b, a, sizes[0], sizes[1], sizes[2], &alpha, of[1].elements,
                                as, leading[1], of[0].elements, as, leading[0], &beta,
                                of[2].elements, as, leading[2], sums_are_floats, any_algorithm);
}

constexpr blas_code not_supported = 15;

/// C = alpha A B + beta C. The library computes the transpose of C, which is that of B times that
/// of A.
template <class T>
blas_code product(const blas_api& functions, blas_handle handle, const matrix_product& what,
                  const launch_command& launch) {
  const matrix<T> of[3] = {matrix<T>(launch.buffers[0]), matrix<T>(launch.buffers[1]),
                           matrix<T>(launch.buffers[2])};
  const auto& [a, b, c] = of;
  if (c.rows == 0 || c.columns == 0) return 0;
  const bool has_numbers = launch.scalars.size() == 2;
  using number = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const number alpha = has_numbers ? launch.scalars[0].as<number>() : number{1};
  const number beta = has_numbers ? launch.scalars[1].as<number>() : static_cast<number>(what.beta);
  // Products that count for nothing are left out, as on the host.
  const std::size_t inner = alpha == 0 ? 0 : what.transpose_a ? a.rows : a.columns;
  const std::size_t wanted[] = {c.columns, c.rows, inner, a.leading, b.leading, c.leading};
  int fits[6] = {};
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    if (wanted[i] > std::numeric_limits<int>::max()) return not_supported;
    fits[i] = static_cast<int>(wanted[i]);
  }
  const auto operation = [](bool transposed) {
    return transposed ? blas_operation::transpose : blas_operation::none;
  };
  return call(functions, handle, operation(what.transpose_b), operation(what.transpose_a),
              {fits[0], fits[1], fits[2]}, alpha, beta, of, {fits[3], fits[4], fits[5]});
}

blas_code product_of(element_type type, const blas_api& functions, blas_handle handle,
                     const matrix_product& what, const launch_command& launch) {
  switch (type) {
    case element_type::f32:
      return product<float>(functions, handle, what, launch);
    case element_type::f64:
      return product<double>(functions, handle, what, launch);
    case element_type::f16:
      return product<float16>(functions, handle, what, launch);
    case element_type::bf16:
      return product<bfloat16>(functions, handle, what, launch);
    default:
      return not_supported;
  }
}

}  // namespace

result<std::shared_ptr<const blas_api>> blas_library::functions() {
  const std::lock_guard lock(guard_);
  if (!opened_) {
    opened_ = file_ == "no" ? result(std::shared_ptr<const blas_api>())
                            : load_blas(file_, driver_version_);
    if (!*opened_ && !file_) opened_ = result(std::shared_ptr<const blas_api>());
  }
  return *opened_;
}

result<std::unique_ptr<blas>> blas::make(std::shared_ptr<const blas_api> functions,
                                         const std::string& device, bool allows_tf32) {
  blas_handle made = nullptr;
  const blas_code answer = functions->cublasCreate_v2(&made);
  std::unique_ptr<blas> owner(new blas(std::move(functions), made, device));
  if (answer != 0) return owner->failure_of(answer, "to start");
  const int mode = sums_keep_precision | (allows_tf32 ? products_may_be_tf32 : 0);
  const blas_code set = owner->functions_->cublasSetMathMode(made, mode);
  if (set != 0) return owner->failure_of(set, "to choose its precision");
  return owner;
}

bool blas::multiplies(element_type type, int architecture) noexcept {
  constexpr int first_with_bfloat16 = 80;
  return type != element_type::bf16 || architecture >= first_with_bfloat16;
}

failure blas::multiply(const matrix_product& what, const launch_command& launch,
                       stream_handle stream) const {
  const std::string doing = "to multiply matrices for kernel \"" + launch.kernel->name + "\"";
  blas_code answer = functions_->cublasSetStream_v2(handle_, stream);
  if (answer == 0) {
    answer = product_of(launch.buffers[0].part->type(), *functions_, handle_, what, launch);
  }
  return answer == 0 ? failure() : failure_of(answer, doing);
}

failure blas::failure_of(blas_code of, const std::string& doing) const {
  const char* const text = functions_->cublasGetStatusString(of);
  return {failure_code::task_failed, device_title(device_) + " fails " + doing + ": cuBLAS says " +
                                         (text == nullptr ? "" : text) + " (" + std::to_string(of) +
                                         ")."};
}

}  // namespace hocket::cuda
