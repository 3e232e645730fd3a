// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/launch_facts.hpp"

#include <hocket/core/saturating.hpp>

#include "tasks/each_once.hpp"

namespace hocket::detail {

std::uint64_t bytes_of(std::span<const buffer_ref> used) {
  std::uint64_t sum = 0;
  for_each_once(
      used, [](const buffer_ref& data) { return data.get(); },
      [&](const buffer_ref& data) { sum = saturating_add(sum, data->bytes()); });
  return sum;
}

void estimate(launch_command& launch, std::span<const placement::task_access> accesses) {
  const kernel_definition& kernel = *launch.kernel;
  if (kernel.estimate || kernel.width) {
    launch_shape shape;
    for (const placement::task_access& a : accesses) shape.push_back(a.part->sizes());
    launch.cost = kernel.work_of(shape);
    launch.width = kernel.width_of(shape);
    return;
  }
  for (const placement::task_access& a : accesses) {
    launch.cost.add_buffer(a.part->elements(), a.part->type(), a.mode);
  }
}

}  // namespace hocket::detail
