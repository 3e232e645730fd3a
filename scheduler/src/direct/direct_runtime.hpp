// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>

#include <hocket/execution/tick_count.hpp>
#include <hocket/scheduler/detail/direct_lane.hpp>
#include <hocket/scheduler/host_view.hpp>
#include <hocket/scheduler/task_options.hpp>

#include "direct/admission.hpp"
#include "direct/data_order.hpp"
#include "direct/host_storage.hpp"
#include "heart/heart.hpp"

namespace hocket::detail {

class machine_parts;
class runtime_core;

/// The data of a runtime whose only device is made of the host's cores and whose only memory is
/// theirs. It takes the place of the heart: tasks are ordered when they are submitted, and run as
/// host tasks do.
class direct_runtime final : public direct_lane {
 public:
  /// True if the machine needs no more than this.
  [[nodiscard]] static bool suits(const machine_parts& machine, const executor& where);

  direct_runtime(runtime_core& home, machine_parts& machine);
  ~direct_runtime();

  [[nodiscard]] completion_ptr launch(const direct_launch& what) override;
  /// The description was checked.
  [[nodiscard]] completion_ptr launch(task_description&& task);

  [[nodiscard]] std::unique_ptr<data_order> make_order(const box& whole, std::uint64_t bytes);
  [[nodiscard]] std::unique_ptr<open_host_view> open(const region_ref& what, access_mode mode);

  [[nodiscard]] host_context& context() noexcept { return context_; }
  [[nodiscard]] std::size_t arena() const noexcept { return arena_; }
  /// The runtime does not end in between.
  void function_begins() noexcept;
  void function_over() noexcept;
  [[nodiscard]] admission& gate() noexcept { return gate_; }
  [[nodiscard]] heart::device_statistics statistics() const;

  /// Counts a launch that runs while this lives.
  class counted {
   public:
    counted(direct_runtime& home, std::size_t kernels, double flops) noexcept
        : home_(home), kernels_(kernels), flops_(flops), begin_(home.ticks()) {}
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted();

   private:
    direct_runtime& home_;
    std::size_t kernels_;
    double flops_;
    std::uint64_t begin_;
  };

 private:
  /// What some threads have counted; several, so that they seldom meet.
  struct alignas(64) tally {
    std::atomic<std::uint64_t> kernels{0};
    std::atomic<std::uint64_t> busy{0};  ///< ticks
    std::atomic<double> flops{0};
  };

  [[nodiscard]] bool is_plain(const direct_launch& what) const;
  [[nodiscard]] completion_ptr launch_with(const task_options& options, const direct_launch& what);
  [[nodiscard]] tally& own_tally() noexcept;
  /// Of a modelled clock, or of one that is read faster than the executor's.
  [[nodiscard]] std::uint64_t ticks() const noexcept {
    return models_time_ ? modelled_ticks() : tick_count();
  }
  [[nodiscard]] std::uint64_t modelled_ticks() const noexcept;
  [[nodiscard]] host_options options_of(task_label label, std::int64_t priority,
                                        std::stop_token stop) const;

  runtime_core& home_;
  host_context& context_;  ///< the same
  std::size_t arena_;
  bool one_arena_;
  bool models_time_;
  time_stamp start_;
  std::uint64_t first_tick_;
  std::shared_ptr<host_storage> storage_;
  admission gate_;
  std::array<tally, 16> tallies_;
};

}  // namespace hocket::detail
