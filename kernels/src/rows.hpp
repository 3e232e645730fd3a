// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string>

#include <hocket/core/error.hpp>
#include <hocket/kernels/definition.hpp>
#include <hocket/kernels/view.hpp>

namespace hocket::detail {

/// How many rows one piece of a wide body has, so that it has about that many elements.
[[nodiscard]] inline std::size_t rows_of(std::size_t elements, std::size_t columns) noexcept {
  return std::max<std::size_t>(1, elements / std::max<std::size_t>(1, columns));
}

/// The first element of a row whose elements are adjacent.
template <class T>
[[nodiscard]] T* row(const buffer_view<T, 2>& matrix, std::size_t i) noexcept {
  assert(matrix.extent(1) <= 1 || matrix.stride(1) == 1);
  return matrix.data() + i * matrix.stride(0);
}

/// Throws usage_error unless one argument has the extents that another one asks for.
inline void require_extents(const std::string& kernel, const char* what, const index_list& given,
                            const char* because, const index_list& wanted) {
  if (given == wanted) return;
  throw usage_error("Kernel \"" + kernel + "\" is given " + what + " of " + to_string(given) +
                    ", but " + because + " of " + to_string(wanted) + ".");
}

}  // namespace hocket::detail
