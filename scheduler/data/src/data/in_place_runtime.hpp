// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>

#include <hocket/execution/tick_count.hpp>
#include <hocket/scheduler/detail/launch_lane.hpp>
#include <hocket/scheduler/host_view.hpp>
#include <hocket/scheduler/task_options.hpp>

#include "data/admission.hpp"
#include "data/device_statistics.hpp"
#include "data/host_storage.hpp"
#include "data/in_place_history.hpp"

namespace hocket::detail {

class data_runtime;

/// The data of a runtime whose only device is made of the host's cores and whose only memory is
/// theirs. It takes the place of the placement engine: tasks are ordered when they are submitted,
/// and run as host tasks do.
class in_place_runtime final : public launch_lane {
 public:
  /// The device, which is the host's, and its memory.
  struct host_part {
    std::size_t arena;
    memory_resource& memory;
    std::size_t alignment;
    std::string device_name;
    std::uint64_t capacity;  ///< bytes
  };

  in_place_runtime(data_runtime& home, const host_part& host);
  ~in_place_runtime();

  using launch_lane::launch;
  /// The description was checked.
  [[nodiscard]] task_state_ptr launch(task_description&& task);

  [[nodiscard]] std::unique_ptr<in_place_history> make_order(const box& whole, std::uint64_t bytes,
                                                             buffer_argument&& argument,
                                                             lent_memory_ptr lent);
  [[nodiscard]] std::unique_ptr<open_host_view> open(const region_ref& what, access_mode mode);

  [[nodiscard]] host_context& context() noexcept { return context_; }
  [[nodiscard]] std::size_t arena() const noexcept { return arena_; }
  [[nodiscard]] bool has_one_arena() const noexcept { return one_arena_; }
  /// The runtime does not end in between.
  void keep_open() noexcept;
  void let_close() noexcept;
  [[nodiscard]] admission& gate() noexcept { return gate_; }
  /// The runtime was stopped: what the gate keeps back ends.
  void end_kept_back();
  [[nodiscard]] const std::string& device_name() const noexcept { return device_name_; }
  [[nodiscard]] device_statistics statistics() const;

  /// Counts a launch that runs while this lives: of so many elements, with an operation for each.
  class counted {
   public:
    counted(in_place_runtime& home, std::size_t elements) noexcept
        : home_(home), elements_(elements), begin_(home.ticks()) {}
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() {
      const std::uint64_t took = home_.ticks() - begin_;
      tally& own = home_.own_tally();
      // Relaxed: see statistics().
      own.kernels.fetch_add(1, std::memory_order_relaxed);
      own.busy.fetch_add(took, std::memory_order_relaxed);
      if (elements_ > 0) own.elements.fetch_add(elements_, std::memory_order_relaxed);
    }

   private:
    in_place_runtime& home_;
    std::size_t elements_;
    std::uint64_t begin_;
  };

  /// A launch that is being counted is so many kernels, with so many operations.
  void count_more(std::size_t kernels, double flops) noexcept;

 private:
  /// What some threads have counted; several, so that they seldom meet.
  struct alignas(64) tally {
    std::atomic<std::uint64_t> kernels{0};
    std::atomic<std::uint64_t> busy{0};      ///< ticks
    std::atomic<std::uint64_t> elements{0};  ///< an operation for each
    std::atomic<double> flops{0};            ///< beside those
  };

  [[nodiscard]] task_state* submit(const borrowed_launch& what) override;
  [[nodiscard]] task_state* submit(const kernel_ref& kernel, make_device_state make_state) override;
  [[nodiscard]] bool may_launch(const kernel_definition& kernel, bool has_function) const;
  [[nodiscard]] task_state_ptr launch_specially(const borrowed_launch& what);
  [[nodiscard]] task_state_ptr launch_with(const task_options& options,
                                           const borrowed_launch& what);
  [[nodiscard]] tally& own_tally() noexcept {
    // Threads have their control blocks far from one another.
    const auto address = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
    return tallies_[(address >> 12U) * 0x9e3779b97f4a7c15ULL >> 60U];
  }
  /// Of a modelled clock, or of one that is read faster than the executor's.
  [[nodiscard]] std::uint64_t ticks() const noexcept {
    return models_time_ ? modelled_ticks() : tick_count();
  }
  [[nodiscard]] std::uint64_t modelled_ticks() const noexcept;
  [[nodiscard]] host_options options_of(task_label label, std::int64_t priority,
                                        std::stop_token stop) const;

  data_runtime& home_;
  host_context& context_;  ///< the same
  std::size_t arena_;
  bool one_arena_;
  bool is_simple_;  ///< and tasks are only counted
  bool models_time_;
  time_stamp start_;
  std::uint64_t first_tick_;
  std::string device_name_;
  std::shared_ptr<host_storage> storage_;
  admission gate_;
  std::array<tally, 16> tallies_;
};

}  // namespace hocket::detail
