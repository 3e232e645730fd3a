// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <hocket/core/result.hpp>
#include <hocket/kernels/source.hpp>
#include <hocket/streams/command.hpp>

#include "gpu/types.hpp"

namespace hocket::gpu {

/// Products in one stream, by a vendor's library. Not for two threads at a time; its context is
/// current in each call, and where it is destroyed.
class product_stream {
 public:
  product_stream() = default;
  virtual ~product_stream() = default;
  product_stream(const product_stream&) = delete;
  product_stream& operator=(const product_stream&) = delete;

  /// Hands a product over. It runs in stream order.
  [[nodiscard]] virtual failure multiply(const matrix_product& what, const launch_command& launch,
                                         stream_handle stream) const = 0;
  /// The driver is gone: there is nothing to give back.
  virtual void abandon() noexcept = 0;
};

/// A vendor's library of products, which is opened when a kernel first wants it. Any thread.
class product_library {
 public:
  product_library() = default;
  virtual ~product_library() = default;
  product_library(const product_library&) = delete;
  product_library& operator=(const product_library&) = delete;

  /// True if the library has products of that type, one of those of the kernels of products, for
  /// devices of that architecture.
  [[nodiscard]] virtual bool multiplies(element_type type,
                                        const std::string& architecture) const = 0;
  /// False where it is not installed, or is not used. Fails where a file was named and cannot be
  /// opened.
  [[nodiscard]] virtual result<bool> open() = 0;
  /// Of a library that is open. Takes a tenth of a second or so, and memory of the device.
  [[nodiscard]] virtual result<std::unique_ptr<product_stream>> start(
      const std::string& device) = 0;
};

/// A product C = alpha A B + beta C of matrices that lie row by row, as libraries want it whose
/// matrices lie column by column: the transpose of C, which is that of B times that of A.
struct column_product {
  bool transpose_b = false, transpose_a = false;
  int columns = 0, rows = 0, inner = 0;
  void* b = nullptr;
  void* a = nullptr;
  void* c = nullptr;
  int leading_b = 0, leading_a = 0, leading_c = 0;
  double alpha = 1, beta = 0;  ///< of floats, if the matrices are not of doubles

  [[nodiscard]] bool empty() const noexcept { return columns == 0 || rows == 0; }
};

/// How many products a launch stands for.
[[nodiscard]] std::size_t count_of_products(const launch_command& launch);

/// The product with that number. Nothing where a size is too large for the libraries.
[[nodiscard]] std::optional<column_product> column_product_of(const matrix_product& what,
                                                              const launch_command& launch,
                                                              std::size_t number);

/// Calls a library's product of matrices of T, which all libraries have in one form. The operations
/// are those for transpose_b and transpose_a.
template <class Function, class Handle, class Operation, class T>
auto call_gemm(Function function, Handle handle, Operation b, Operation a, const column_product& p,
               T alpha, T beta) {
  return function(handle, b, a, p.columns, p.rows, p.inner, &alpha, static_cast<const T*>(p.b),
                  p.leading_b, static_cast<const T*>(p.a), p.leading_a, &beta, static_cast<T*>(p.c),
                  p.leading_c);
}

/// text: the library's own for the code; may be null.
[[nodiscard]] failure product_failure(const std::string& device, const std::string& doing,
                                      const std::string& library, const char* text, int answer);

}  // namespace hocket::gpu
