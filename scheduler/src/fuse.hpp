// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <vector>

#include "graph_content.hpp"

namespace hocket::detail {

/// Recorded tasks that become one, in order; a single one stays as it is.
using fuse_group = std::vector<std::size_t>;

/// Which tasks of a recording are to become one. The groups are in an order in which they can be
/// submitted: tasks that conflict, or of which one names the other, keep theirs.
[[nodiscard]] std::vector<fuse_group> fusable_groups(const graph_content& content);

/// The one task that does what those of a group do.
[[nodiscard]] task_description fused_task(const graph_content& content, const fuse_group& group);

}  // namespace hocket::detail
