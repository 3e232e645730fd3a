// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/kernels/view.hpp>

#include <hocket/core/error.hpp>

namespace hocket::detail {

void refuse_gaps() {
  throw usage_error(
      "A view with gaps between its rows, as that of a tile, has no begin() and no end(): use "
      "for_each(f), or view(i, j).");
}

}  // namespace hocket::detail
