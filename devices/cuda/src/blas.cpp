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
  const T alpha = has_numbers ? launch.scalars[0].as<T>() : T{1};
  const T beta = has_numbers ? launch.scalars[1].as<T>() : static_cast<T>(what.beta);
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
                                         const std::string& device) {
  blas_handle made = nullptr;
  const blas_code answer = functions->cublasCreate_v2(&made);
  std::unique_ptr<blas> owner(new blas(std::move(functions), made, device));
  if (answer != 0) return owner->failure_of(answer, "to start");
  return owner;
}

failure blas::multiply(const matrix_product& what, const launch_command& launch,
                       stream_handle stream) const {
  const std::string doing = "to multiply matrices for kernel \"" + launch.kernel->name + "\"";
  blas_code answer = functions_->cublasSetStream_v2(handle_, stream);
  if (answer == 0) {
    const bool single = launch.buffers[0].part->type() == element_type::f32;
    answer = single ? product<float>(*functions_, handle_, what, launch)
                    : product<double>(*functions_, handle_, what, launch);
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
