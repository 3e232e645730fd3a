// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <hocket/kernels/definition.hpp>

namespace hocket {

/// A number, or a region of a buffer, that the parts of a fused kernel work with.
struct fused_value {
  parameter as;

  /// A buffer that nobody sees but the parts: not a parameter of the fused kernel. The first part
  /// that has it writes it.
  bool local = false;
};

/// One kernel of those that become one.
struct fused_part {
  kernel_ref kernel;
  std::vector<std::size_t> values;  ///< for each parameter, the number of its value
};

/// True for a kernel that can be a part: made by elementwise(), for other formats than the host's
/// too, and without bodies added by hand.
[[nodiscard]] bool can_be_fused(const kernel_definition& kernel) noexcept;

/// One kernel that does for each element what the parts do one after the other, with the same bits.
/// Its parameters are the values that are not local, in their order. All buffers of a launch have
/// equal extents, and no region overlaps another one that is written. The kernel has the formats
/// that all parts have, of those that are given; to make the text of one takes longer than the
/// rest.
[[nodiscard]] kernel_ref fused(const std::vector<fused_part>& parts,
                               const std::vector<fused_value>& values,
                               std::span<const kernel_format> formats);

}  // namespace hocket
