// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "blas.hpp"

#include <utility>

#include <hocket/devices/device.hpp>

namespace hocket::hip {

namespace {

constexpr blas_code not_implemented = 2;

class blas final : public gpu::product_stream {
 public:
  blas(std::shared_ptr<const blas_api> functions, blas_handle made, std::string device)
      : functions_(std::move(functions)), handle_(made), device_(std::move(device)) {}
  ~blas() override {
    if (handle_ != nullptr) (void)functions_->rocblas_destroy_handle(handle_);
  }
  blas(const blas&) = delete;
  blas& operator=(const blas&) = delete;

  [[nodiscard]] failure multiply(const matrix_product& what, const launch_command& launch,
                                 stream_handle stream) const override;
  void abandon() noexcept override { handle_ = nullptr; }
  [[nodiscard]] failure failure_of(blas_code of, const std::string& doing) const;

 private:
  [[nodiscard]] blas_code call(element_type type, element_type result,
                               const gpu::column_product& p) const;
  [[nodiscard]] blas_code call_narrow(blas_number as, blas_number result,
                                      const gpu::column_product& p) const;

  std::shared_ptr<const blas_api> functions_;
  blas_handle handle_;
  std::string device_;
};

blas_operation operation(bool transposed) {
  return transposed ? blas_operation::transpose : blas_operation::none;
}

/// Sums are floats. The result is written over the matrix that beta multiplies.
blas_code blas::call_narrow(blas_number as, blas_number result,
                            const gpu::column_product& p) const {
  const auto alpha = static_cast<float>(p.alpha), beta = static_cast<float>(p.beta);
  return functions_->rocblas_gemm_ex(handle_, operation(p.transpose_b), operation(p.transpose_a),
                                     p.columns, p.rows, p.inner, &alpha, p.b, as, p.leading_b, p.a,
                                     as, p.leading_a, &beta, p.c, result, p.leading_c, p.c, result,
                                     p.leading_c, blas_number::float32, any_algorithm, 0, 0);
}

blas_code blas::call(element_type type, element_type result, const gpu::column_product& p) const {
  const blas_operation b = operation(p.transpose_b), a = operation(p.transpose_a);
  switch (type) {
    case element_type::f32:
      return gpu::call_gemm(functions_->rocblas_sgemm, handle_, b, a, p,
                            static_cast<float>(p.alpha), static_cast<float>(p.beta));
    case element_type::f64:
      return gpu::call_gemm(functions_->rocblas_dgemm, handle_, b, a, p, p.alpha, p.beta);
    case element_type::f16:
    case element_type::bf16: {
      const blas_number as =
          type == element_type::f16 ? blas_number::float16 : blas_number::bfloat16;
      return call_narrow(as, result == type ? as : blas_number::float32, p);
    }
    default:
      return not_implemented;
  }
}

failure blas::multiply(const matrix_product& what, const launch_command& launch,
                       stream_handle stream) const {
  const std::string doing = "to multiply matrices for kernel \"" + launch.kernel->name + "\"";
  const element_type type = launch.buffers[0].part->type();
  const element_type result = launch.buffers[2].part->type();
  blas_code answer = functions_->rocblas_set_stream(handle_, stream);
  for (std::size_t i = 0; i < gpu::count_of_products(launch) && answer == 0; ++i) {
    const auto product = gpu::column_product_of(what, launch, i);
    if (!product) return failure_of(not_implemented, doing);
    if (!product->empty()) answer = call(type, result, *product);
  }
  return answer == 0 ? failure() : failure_of(answer, doing);
}

failure blas::failure_of(blas_code of, const std::string& doing) const {
  return gpu::product_failure(device_, doing, "rocBLAS", functions_->rocblas_status_to_string(of),
                              of);
}

}  // namespace

result<std::unique_ptr<gpu::product_stream>> blas_library::start(const std::string& device) {
  const auto opened = library_.get();
  if (!opened) return opened.error();
  blas_handle made = nullptr;
  const blas_code answer = opened.value()->rocblas_create_handle(&made);
  auto owner = std::make_unique<blas>(opened.value(), made, device);
  if (answer != 0) return owner->failure_of(answer, "to start");
  return std::unique_ptr<gpu::product_stream>(std::move(owner));
}

}  // namespace hocket::hip
