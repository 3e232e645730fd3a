// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/scheduler/placement_policy.hpp>

namespace hocket::placement {

/// Where the task ends first when it could start; of equals the first device. An idle device takes
/// tasks that would end there earlier.
[[nodiscard]] std::unique_ptr<placement_policy> make_earliest_end();

/// The same by upward rank, and without taking tasks from others: StarPU's dmdas.
[[nodiscard]] std::unique_ptr<placement_policy> make_ranked_earliest_end();

/// Where most of the data are; an idle device takes the task that others have queued last.
[[nodiscard]] std::unique_ptr<placement_policy> make_work_stealing();

/// Where copies take the least time; of equals where it ends first.
[[nodiscard]] std::unique_ptr<placement_policy> make_locality_first();

/// Each part of a buffer belongs to a device: tiles go round a grid of devices in both of their
/// last dimensions, whole buffers round all devices in the order in which they were made. A task
/// runs at the owner of what it writes first, or of what it reads first.
[[nodiscard]] std::unique_ptr<placement_policy> make_owner_computes();

/// One device after the other.
[[nodiscard]] std::unique_ptr<placement_policy> make_round_robin();

/// A device by chance, more often one that is fast at the task. The same tasks go to the same
/// devices in every run.
[[nodiscard]] std::unique_ptr<placement_policy> make_random();

/// Where the task takes the least energy; of equals where it ends first.
[[nodiscard]] std::unique_ptr<placement_policy> make_least_energy();

}  // namespace hocket::placement
