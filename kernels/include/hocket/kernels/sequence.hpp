// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <vector>

#include <hocket/kernels/definition.hpp>

namespace hocket {

/// A kernel that calls others one after the other, with the given parameters. It has the host body
/// that they make together, if all of them have one. cost: of one launch, whatever its extents. It
/// is as wide as the widest part.
[[nodiscard]] kernel_ref sequence_of(std::string name, std::vector<parameter> parameters,
                                     std::vector<kernel_part> parts, launch_work cost);

}  // namespace hocket
