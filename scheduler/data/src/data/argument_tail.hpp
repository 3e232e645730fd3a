// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <hocket/kernels/argument.hpp>
#include <hocket/scheduler/detail/dependencies.hpp>
#include <hocket/scheduler/detail/launch_lane.hpp>

#include "data/in_place_use.hpp"

namespace hocket::detail {

/// A number that is a future's.
struct awaited_number {
  task_state_ptr source;
  scalar_argument (*convert)(const void* value, element_type to) = nullptr;
  std::uint32_t index = 0;
};

/// The arguments that few launches have: a result, numbers of futures, parts of buffers, a function
/// and where that leaves a value that is no number.
struct rare_arguments {
  alignas(8) std::byte value[8] = {};
  std::uint32_t awaited = 0;
  std::uint32_t regions = 0;
  std::uint32_t function_bytes = 0;
  bool has_function = false;
  value_box* box = nullptr;  ///< counted; where the function leaves its value

  [[nodiscard]] static rare_arguments of(const borrowed_launch& what) noexcept {
    return {.awaited = what.awaited,
            .regions = what.parts,
            .function_bytes = what.function.bytes,
            .has_function = what.function.body != nullptr,
            .box = what.function.box};
  }

  // The arrays in the memory behind this object, in this order.
  [[nodiscard]] std::span<awaited_number> all_awaited() noexcept {
    return {reinterpret_cast<awaited_number*>(this + 1), awaited};
  }
  [[nodiscard]] hocket::box* first_region() noexcept {
    return reinterpret_cast<hocket::box*>(reinterpret_cast<awaited_number*>(this + 1) + awaited);
  }
  [[nodiscard]] launch_function* function() noexcept {
    return reinterpret_cast<launch_function*>(first_region() + regions);
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return sizeof(rare_arguments) + awaited * sizeof(awaited_number) +
           regions * sizeof(hocket::box) + (has_function ? sizeof(launch_function) : 0);
  }
};

/// How many arguments of each sort lie behind a task.
struct argument_counts {
  std::uint32_t uses = 0;
  std::uint32_t numbers = 0;
  bool has_rare = false;
};

/// How much memory a launch needs behind its task, with room for the task's edges.
class tail_layout {
 public:
  tail_layout(const borrowed_launch& what, std::size_t after) noexcept : tail_layout(what) {
    edges_ += what.awaited + after;
    counts_.has_rare = what.awaited + what.parts + what.function.bytes > 0 ||
                       what.function.body != nullptr || what.function.box != nullptr ||
                       what.kernel->result;
    if (counts_.has_rare) before_edges_ += rare_arguments::of(what).bytes();
  }

  /// Of a launch that has nothing rare.
  explicit tail_layout(const borrowed_launch& what) noexcept
      : counts_{static_cast<std::uint32_t>(what.accesses.size()),
                static_cast<std::uint32_t>(what.numbers.size()), false},
        before_edges_(what.accesses.size() * sizeof(in_place_use) +
                      what.numbers.size() * sizeof(scalar_argument)),
        // Most accesses come after one other task.
        edges_(what.accesses.size()) {}

  [[nodiscard]] const argument_counts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return before_edges_ + edges_ * sizeof(host_edge);
  }
  /// The room for edges, in a tail that begins there.
  [[nodiscard]] std::span<host_edge> edges_in(void* tail) const noexcept {
    return {reinterpret_cast<host_edge*>(static_cast<std::byte*>(tail) + before_edges_), edges_};
  }

 private:
  argument_counts counts_;
  std::size_t before_edges_;
  std::size_t edges_;
};

/// The arguments of a launch in the memory behind its task: accesses, numbers, rare arguments. This
/// object is only an address with counts: the task makes and destroys the arguments.
class argument_tail {
 public:
  argument_tail(void* where, const argument_counts& counts) noexcept
      : where_(where), counts_(counts) {}

  [[nodiscard]] std::span<in_place_use> uses() const noexcept {
    return {static_cast<in_place_use*>(where_), counts_.uses};
  }
  [[nodiscard]] std::span<scalar_argument> numbers() const noexcept {
    return {reinterpret_cast<scalar_argument*>(uses().data() + counts_.uses), counts_.numbers};
  }
  [[nodiscard]] bool has_rare() const noexcept { return counts_.has_rare; }
  [[nodiscard]] rare_arguments& rare() const noexcept {
    return *reinterpret_cast<rare_arguments*>(numbers().data() + counts_.numbers);
  }

  /// Copies the arguments there.
  void make(const borrowed_launch& what) const {
    in_place_use* use = uses().data();
    for (const borrowed_access& each : what.accesses)
      ::new (use++) in_place_use(*each.data, each.mode);
    if (!what.numbers.empty()) make_numbers(what);
    if (has_rare()) make_rare(what);
  }

  /// The numbers of futures, whose tasks have all ended well. Throws refused_number, which names
  /// the kernel and the task of that label.
  void convert_numbers(const kernel_definition& kernel, std::string_view label) const;
  /// Lets go of what others gave: results of other tasks, and what the function holds.
  void release_rare() const noexcept;
  void destroy_rare() const noexcept;

 private:
  void make_numbers(const borrowed_launch& what) const {
    scalar_argument* number = numbers().data();
    for (const borrowed_number& each : what.numbers) ::new (number++) scalar_argument(each.value);
  }
  void make_rare(const borrowed_launch& what) const;

  void* where_;
  argument_counts counts_;
};

}  // namespace hocket::detail
