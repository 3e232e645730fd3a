// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/kernels/argument.hpp>

namespace hocket::detail {

/// Copies the elements of one region to one of the same extents, whatever their strides are.
void copy_values(const buffer_argument& from, const buffer_argument& to);

}  // namespace hocket::detail
