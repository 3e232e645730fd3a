// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// Pipeline schedules as data. All of them are one graph: a schedule says only in which order a
/// stage prefers its tasks and how many micro-batches it may have in flight.
namespace train {

enum class schedule {
  none,         ///< a micro-batch passes all stages, there and back, before the next one starts
  gpipe,        ///< all forward tasks, then all backward tasks
  one_f_one_b,  ///< a backward task as early as possible, so that few activations are kept
};

enum class direction { forward, backward };

/// As on the command line: none, gpipe, 1f1b.
[[nodiscard]] std::string_view to_string(schedule kind) noexcept;

/// How urgent a task is among those of its stage: the higher one goes first. Micro-batches keep
/// their order in each direction, so that every schedule adds up gradients in the same order.
[[nodiscard]] std::int64_t priority(schedule kind, std::size_t stage, std::size_t stages,
                                    std::size_t micro_batch, direction way) noexcept;

/// Less urgent than every task of a schedule: for what only the next step needs.
inline constexpr std::int64_t after_the_pipeline = -(std::int64_t{1} << 42);

/// How many micro-batches a stage may have in flight: taken by the forward task, given back by the
/// backward task of the same micro-batch.
[[nodiscard]] std::size_t slots(schedule kind, std::size_t stage, std::size_t stages,
                                std::size_t micro_batches) noexcept;

/// One task of a stage.
struct pipeline_task {
  direction way = direction::forward;
  std::size_t micro_batch = 0;

  friend bool operator==(const pipeline_task&, const pipeline_task&) = default;
};

/// The order in which priorities and slots make a stage run its tasks.
[[nodiscard]] std::vector<pipeline_task> stage_order(schedule kind, std::size_t stage,
                                                     std::size_t stages, std::size_t micro_batches);

/// The time of one training step over stages that take forward[s] and backward[s] seconds for a
/// micro-batch, when each stage runs its tasks in stage_order and moving data takes no time.
[[nodiscard]] double makespan(schedule kind, std::span<const double> forward,
                              std::span<const double> backward, std::size_t micro_batches);

/// The share of the stages' time in which they are idle: 1 - busy / (stages x makespan). For equal
/// stages it is (p - 1) / (m + p - 1) with gpipe and 1f1b, and (p - 1) / p with none.
[[nodiscard]] double bubble(schedule kind, std::span<const double> forward,
                            std::span<const double> backward, std::size_t micro_batches);

}  // namespace train
