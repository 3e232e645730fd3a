// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/scheduler/runtime.hpp>

namespace hocket {

/// Rows first to last - 1.
struct row_range {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Cuts rows into pieces for all devices of the runtime: large ones first, which cost little, then
/// smaller and smaller ones, which even out what devices make of the large ones. Each round of
/// pieces, one for each lane of each device, has half of the rows that are left.
///
/// No piece has fewer rows than least_rows, unless there are fewer. 0 stands for as many as keep
/// the fastest device busy for four times what starting a task takes, by the rates that the
/// device tells of itself; cost is of all rows together.
///
/// The pieces depend on the runtime's devices and the arguments alone, not on what was
/// measured: rows that were cut before are cut the same again, and their data stay where they are.
/// Connects the devices.
[[nodiscard]] std::vector<row_range> cut_rows(submitter& to, std::size_t rows,
                                              const launch_work& cost, std::size_t least_rows = 0);

/// An access that every piece of a split task has uncut; made by whole().
template <element T, std::size_t R>
struct whole_access {
  access<T, R, access_mode::read> what;
};
template <element T, std::size_t R>
[[nodiscard]] whole_access<T, R> whole(const access<T, R, access_mode::read>& what) {
  return {what};
}

/// How a task is split, and how each piece is run.
struct split_options {
  std::size_t least_rows = 0;  ///< of a piece; see cut_rows
  task_options task = {};      ///< of each piece; a budget, which counts tasks, is not allowed
};

namespace detail {

/// A region that a task uses.
struct split_region {
  index_list extents;
  element_type type;
  access_mode mode;
  const region_ref* cut = nullptr;  ///< of which each piece has some rows
};

/// Cuts these regions as cut_rows does; without a kernel for a function. Throws usage_error if they
/// differ in their number of rows, and for options that several tasks cannot have.
[[nodiscard]] std::vector<row_range> cut_alike(submitter& to, const split_options& options,
                                               const kernel_definition* kernel,
                                               const std::vector<split_region>& regions);

/// A number, which each piece is given.
template <class A>
struct split_argument {
  static constexpr bool is_cut = false;
  static const A& piece(const A& argument, row_range) { return argument; }
};
template <element T, std::size_t R, access_mode Mode>
struct split_argument<access<T, R, Mode>> {
  static constexpr bool is_cut = true;
  static access<T, R, Mode> piece(const access<T, R, Mode>& argument, row_range rows) {
    return {region<T, R>(argument.what).rows(rows.first, rows.last).ref()};
  }
  static split_region region_of(const access<T, R, Mode>& argument) {
    return {argument.what.where().extents(), element_type_of<T>, Mode, &argument.what};
  }
};
template <element T, std::size_t R>
struct split_argument<whole_access<T, R>> {
  static constexpr bool is_cut = false;
  static const auto& piece(const whole_access<T, R>& argument, row_range) { return argument.what; }
  static split_region region_of(const whole_access<T, R>& argument) {
    return {argument.what.what.where().extents(), element_type_of<T>, access_mode::read};
  }
};
template <element T, std::size_t R, class Op>
struct split_argument<reduction_access<T, R, Op>> {
  static constexpr bool is_cut = false;
  static const auto& piece(const reduction_access<T, R, Op>& argument, row_range) {
    return argument;
  }
  static split_region region_of(const reduction_access<T, R, Op>& argument) {
    return {argument.what.ref().where().extents(), element_type_of<T>, access_mode::update};
  }
};
template <element T, std::size_t R>
struct split_argument<scratch_access<T, R>> {
  static constexpr bool is_cut = false;
  static const auto& piece(const scratch_access<T, R>& argument, row_range) { return argument; }
  static split_region region_of(const scratch_access<T, R>& argument) {
    return {index_list(argument.extents.begin(), argument.extents.end()), element_type_of<T>,
            access_mode::write};
  }
};

template <class A>
void add_region(std::vector<split_region>& to, const A& argument) {
  if constexpr (requires { split_argument<A>::region_of(argument); }) {
    to.push_back(split_argument<A>::region_of(argument));
  }
}

/// An argument as a piece is given it.
template <class A>
using piece_t =
    std::remove_cvref_t<decltype(split_argument<A>::piece(std::declval<const A&>(), row_range{}))>;
template <class A>
using piece_descriptor_t = typename descriptor<piece_t<A>>::type;

/// Null for a function.
template <class F, class... Args>
[[nodiscard]] const kernel_definition* definition_of(const F& what) {
  if constexpr (kernel_or_family<F>) {
    return resolve<piece_descriptor_t<Args>...>(what).definition().get();
  } else {
    return nullptr;
  }
}

}  // namespace detail

/// Submits a launch of a kernel, or a function with accesses, as several tasks, one for each piece
/// of their rows (see cut_rows). They go where they end first, which is to several devices at once.
/// The arguments are those of submit. Accesses are cut by their first dimension, in which all are
/// alike; what is in whole(), reduces() and scratch() each piece has for itself.
///
/// The kernel must make each row from the same row of what is cut, and from what is not; its
/// indices count from the first row of the piece. Order and failure: as for tasks that are
/// submitted one after the other, in the order of their rows; when_all makes one future of theirs.
/// If one is refused, this throws and those before it run. Throws usage_error if accesses differ in
/// their rows, for options with a budget, and for kernels that are known to depend on where
/// elements are: scans, sorting, random numbers, lambdas with an element_index, and
/// kernel::positional().
///
/// ```cpp
/// runtime rt;
/// const buffer<float> x{rt, 1 << 20, 1.0f}, y{rt, 1 << 20, 2.0f};
/// split_rows(rt, ops::axpy, 0.5f, reads(x), updates(y));
/// const buffer<float, 2> a{rt, {512, 64}, 1.0f}, b{rt, {64, 32}, 1.0f}, c{rt, {512, 32}};
/// when_all(split_rows(rt, {.least_rows = 64}, ops::gemm_nn, reads(a), whole(reads(b)), writes(c)))
///     .get();
/// ```
template <class F, class... Args>
std::vector<future<void>> split_rows(submitter& to, const split_options& options, const F& what,
                                     const Args&... arguments) {
  std::vector<future<void>> pieces;
  if constexpr ((detail::task_argument<detail::piece_t<Args>> && ...)) {
    static_assert((detail::split_argument<Args>::is_cut || ...),
                  "No access is to be cut: all of them are whole, reduced or scratch.");
    std::vector<detail::split_region> regions;
    (detail::add_region(regions, arguments), ...);
    const kernel_definition* const kernel = detail::definition_of<F, Args...>(what);
    for (const row_range rows : detail::cut_alike(to, options, kernel, regions)) {
      auto made =
          to.submit(options.task, what, detail::split_argument<Args>::piece(arguments, rows)...);
      static_assert(std::same_as<decltype(made), future<void>>,
                    "Each piece would have a value of its own: give the kernel an access with "
                    "reduces() for what the pieces make together.");
      pieces.push_back(std::move(made));
    }
  } else {
    detail::refuse_arguments<detail::piece_t<Args>...>();
  }
  return pieces;
}
template <class F, class... Args>
requires(!std::same_as<F, split_options>)  //
    std::vector<future<void>> split_rows(submitter& to, const F& what, const Args&... arguments) {
  return split_rows(to, split_options{}, what, arguments...);
}

}  // namespace hocket
