// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <cstdint>
#include <vector>

#include "placement/recovery_plan.hpp"
#include "placement/task_log.hpp"

namespace hocket::placement {

/// The positions of the tasks that fail for good because content is missing, for a plan that is
/// hopeless: of those that would need it, directly or through others, the torn ones and those whose
/// own content is poisoned. In order. Empty if none of them is of that kind.
[[nodiscard]] std::vector<std::uint64_t> tasks_to_fail(const recovery_plan& plan,
                                                       const task_log& log,
                                                       function_ref<const box&(data_id)> all_of,
                                                       poisoned_parts poisoned);

}  // namespace hocket::placement
