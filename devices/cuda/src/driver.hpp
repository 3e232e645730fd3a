// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <type_traits>

#include <hocket/kernels/source.hpp>

#include "abi.hpp"

namespace hocket::cuda {

/// The driver of NVIDIA. Loaders fill it in.
class driver_api final : public gpu::api {
 public:
  /// The functions that CUDA alone has in this form.
  struct own_functions {
#define HOCKET_CUDA_DECLARE(name, ...) std::type_identity_t<__VA_ARGS__> name = nullptr
    HOCKET_CUDA_FUNCTIONS(HOCKET_CUDA_DECLARE);
#undef HOCKET_CUDA_DECLARE
  } own;

  [[nodiscard]] const char* title() const noexcept override { return "CUDA"; }
  [[nodiscard]] const char* backend() const noexcept override { return "cuda"; }
  [[nodiscard]] kernel_format commands() const noexcept override {
    return kernel_format::cuda_commands;
  }
  void with_place(context_handle in, device_number device, stream_handle stream,
                  const std::function<void(const void* place)>& call) const override;
  [[nodiscard]] std::string version_text(int version) const override;
  [[nodiscard]] std::string name_of(code of) const override;
  [[nodiscard]] failure_code meaning_of(code of) const noexcept override;
  [[nodiscard]] code retain(context_handle& made, device_number device) const override;
  void release(device_number device) const noexcept override;
  /// Of a context of the program.
  [[nodiscard]] code device_of(context_handle context, device_number& device) const;
  [[nodiscard]] code enter(context_handle context, context_handle& before) const override;
  void leave(context_handle before) const noexcept override;
  void use_memory_of(context_handle other) const noexcept override;
  [[nodiscard]] std::string machine_code(const std::string& program) const override;
  [[nodiscard]] code load(module_handle& made, const std::string& binary,
                          std::string& log) const override;
  [[nodiscard]] code copy_between(device_address to, context_handle to_context, device_address from,
                                  context_handle from_context, std::size_t bytes,
                                  stream_handle stream) const override;
  [[nodiscard]] code copy_box(const gpu::box_copy& what, stream_handle stream) const override;
  [[nodiscard]] bool is_pinned(const void* host) const override;
};

}  // namespace hocket::cuda
