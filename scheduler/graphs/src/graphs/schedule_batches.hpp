// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graphs/batch.hpp"
#include "graphs/recorded_nodes.hpp"
#include "placement/kept_schedule.hpp"

namespace hocket::detail {

class placed_plan;

/// Groups the tasks that a schedule has one behind the other in one lane, where they can be a
/// batch: nothing in another lane that one of them comes after ended later than the first of them
/// began, and nothing there that comes after one of them began before the last of them ended. Where
/// content is copied from or to another device a batch begins or ends. So no task of the graph
/// would have waited for longer, and batches do not wait for one another in a circle. Returns an
/// empty list if no tasks go together. plan: of the same nodes.
[[nodiscard]] std::vector<task_group> batches_of(const recorded_nodes& content,
                                                 const placed_plan& plan,
                                                 const placement::graph_schedule& schedule,
                                                 const placement::machine& machine);

/// The schedule of batches. moved: of each task of the schedule, the batch that it is part of.
[[nodiscard]] std::shared_ptr<const placement::graph_schedule> schedule_of_batches(
    const placement::graph_schedule& schedule, std::span<const std::size_t> moved,
    std::size_t batches);

}  // namespace hocket::detail
