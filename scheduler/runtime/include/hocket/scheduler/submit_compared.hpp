// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/scheduler/check_counts.hpp>
#include <hocket/scheduler/kept_result.hpp>
#include <hocket/scheduler/runtime.hpp>

namespace hocket {

/// How a task is run twice.
struct compare_options {
  task_options task = {};  ///< of each run; a device that it names gets the first one
  /// The largest relative difference of two elements that count as equal. 0: their bits have to be
  /// the same, a NaN equals itself, and all runs are made on devices of one kind. Structures are
  /// compared by their bytes in any case, those between members as well.
  double tolerance = 0;
  check_counts_ref counts = nullptr;  ///< counts what is found; null: nothing is counted
};

namespace detail {

/// A region that a task uses.
struct compared_region {
  const region_ref* what;
  access_mode mode;
};

/// The devices of the three runs, as many different ones as there are. Throws usage_error if the
/// task reads what it writes through another access, has a budget or no device, or for a tolerance
/// that makes no sense.
[[nodiscard]] std::array<device_handle, 3> devices_for_runs(
    submitter& to, const compare_options& options, const kernel_definition& kernel,
    const std::vector<compared_region>& regions);

/// The content that one run has written into one region.
using run_values = buffer_argument;

template <class T, std::size_t R>
[[nodiscard]] run_values values_of(const buffer_view<T, R>& of) {
  run_values made{const_cast<std::remove_const_t<T>*>(of.data()),
                  element_type_of<std::remove_const_t<T>>,
                  {},
                  {}};
  for (std::size_t d = 0; d < R; ++d) {
    made.extents.push_back(of.extent(d));
    made.strides.push_back(of.stride(d));
  }
  return made;
}

/// True if any two that follow one another differ, of pairs.
[[nodiscard]] bool any_pair_differs(std::span<const run_values> pairs,
                                    const compare_options& options);

/// Decides between three runs, of which the first two differ. values: of each region those of all
/// runs. If the third one agrees with the second, its values replace those of the first. Throws
/// error with the code data_corrupted if no two agree.
void decide(std::span<const run_values> values, const compare_options& options,
            const std::string& kernel, std::span<const std::string> buffers);

/// A region that the task writes, and the same region for two more runs.
template <element T, std::size_t R, access_mode Mode>
struct compared_output {
  access<T, R, Mode> first;
  buffer<T, R> second;
  buffer<T, R> third;

  [[nodiscard]] access<T, R, Mode> of_run(std::size_t run) const {
    if (run == 0) return first;
    return {run == 1 ? second.ref() : third.ref()};
  }
  [[nodiscard]] region<T, R> original() const { return {first.what}; }
};

/// An argument of which all runs get the same.
template <class A>
struct compared_input {
  const A& value;
  [[nodiscard]] const A& of_run(std::size_t) const { return value; }
};

template <class A>
[[nodiscard]] compared_input<A> for_all_runs(submitter&, const A& argument) {
  return {argument};
}
template <element T, std::size_t R, class Op>
auto for_all_runs(submitter&, const reduction_access<T, R, Op>&) = delete;
template <element T, std::size_t R, access_mode Mode>
requires(Mode != access_mode::read)  //
    [[nodiscard]] auto for_all_runs(submitter& to, const access<T, R, Mode>& argument) {
  const shape<R> extents = region<T, R>(argument.what).extents();
  const std::string label = argument.what.data->label() + " of another run";
  compared_output<T, R, Mode> made{
      argument, {to.home(), extents, label}, {to.home(), extents, label}};
  if constexpr (Mode == access_mode::update) {
    to.submit(ops::copy, reads(made.original()), writes(made.second));
    to.submit(ops::copy, reads(made.original()), writes(made.third));
  }
  return made;
}

template <class A>
[[nodiscard]] std::tuple<> output_of(const compared_input<A>&) {
  return {};
}
template <element T, std::size_t R, access_mode Mode>
[[nodiscard]] auto output_of(const compared_output<T, R, Mode>& output) {
  return std::tuple<const compared_output<T, R, Mode>&>(output);
}

template <class A>
void add_compared(std::vector<compared_region>&, const A&) {}
template <element T, std::size_t R, access_mode Mode>
void add_compared(std::vector<compared_region>& to, const access<T, R, Mode>& argument) {
  to.push_back({&argument.what, Mode});
}

/// Submits the comparison of the first two runs, and what is done if they differ. third submits the
/// third run; outputs are all regions that the task writes.
template <class Third, class... Outputs>
[[nodiscard]] future<void> compare_runs(submitter& to, const compare_options& options,
                                        const std::string& kernel, const Third& third,
                                        const std::tuple<Outputs...>& outputs) {
  std::apply(
      [&](const auto&... each) { (keep_result(to, each.original(), options.task.priority), ...); },
      outputs);
  // A function that takes anything would be one that also takes the lanes.
  const auto differ = [options]<class... T, std::size_t... R>(const buffer_view<T, R>&... views) {
    return any_pair_differs(std::array{values_of(views)...}, options);
  };
  const auto condition = std::apply(
      [&](const auto&... pairs) { return when(differ, pairs...); },
      std::apply(
          [](const auto&... each) {
            return std::tuple_cat(std::make_tuple(reads(each.original()), reads(each.second))...);
          },
          outputs));
  const auto repair = [&](submitter& again) {
    third(again);
    std::apply(
        [&](const auto&... each) {
          const std::array labels{std::string(each.first.what.data->label())...};
          const auto judge = [options, kernel, labels]<class... T, std::size_t... R>(
                                 const buffer_view<T, R>&... views) {
            decide(std::array{values_of(views)...}, options, kernel, labels);
          };
          std::apply(
              [&](const auto&... triples) {
                again.submit({.label = "comparison of three runs"}, judge, triples...);
              },
              std::tuple_cat(std::make_tuple(updates(each.original()), reads(each.second),
                                             reads(each.third))...));
        },
        outputs);
  };
  const run_options how{.label = options.task.label, .priority = options.task.priority};
  return to.run_if(how, condition, repair);
}

}  // namespace detail

/// Submits a launch of a kernel twice, into memories of their own, and compares what the runs have
/// written. If they differ, a third run decides: what two of three runs agree on is the result. If
/// all of them differ, the future fails with data_corrupted, says where, and the outputs are
/// poisoned. The arguments are those of submit, but for reduces(); the kernel returns no value.
///
/// The runs are made on different devices of one kind, if there are any, and else on one device,
/// which finds what does not happen twice alike. With a tolerance devices of any kind compare.
///
/// Costs a second run, two more memories for each region that is written, copies of those that are
/// updated, and a comparison on the host, to which both results are brought. With
/// resilience_kind::survive the host keeps the result, and a device that needs it gets it from
/// there: what a lost device takes with it is not made again unchecked. Order: as for the
/// launch alone; what uses its outputs later waits for the comparison.
///
/// ```cpp
/// runtime rt;
/// const buffer<float> x{rt, 100, 1.0f}, y{rt, 100, 2.0f};
/// const auto counts = std::make_shared<check_counts>();
/// submit_compared(rt, {.counts = counts}, ops::axpy, 3.0f, reads(x), updates(y)).get();
/// std::printf("%llu\n", static_cast<unsigned long long>(counts->differed));
/// ```
template <kernel_or_family K, class... Args>
future<void> submit_compared(submitter& to, const compare_options& options, const K& kernel,
                             const Args&... args) {
  detail::refuse_arguments<Args...>();
  const auto& chosen = resolve<typename detail::descriptor<Args>::type...>(kernel);
  using value = typename std::remove_cvref_t<decltype(chosen)>::value_type;
  static_assert(std::is_void_v<value>, "The kernel returns a value: give it a buffer for that.");
  std::vector<detail::compared_region> regions;
  (detail::add_compared(regions, args), ...);
  const std::array<device_handle, 3> on =
      detail::devices_for_runs(to, options, *chosen.definition(), regions);
  const auto prepared = std::make_tuple(detail::for_all_runs(to, args)...);
  const auto submit_run = [&](submitter& into, std::size_t run) {
    task_options how = options.task;
    how.on = on[run];
    std::apply([&](const auto&... each) { into.submit(how, chosen, each.of_run(run)...); },
               prepared);
  };
  submit_run(to, 0);
  submit_run(to, 1);
  const auto outputs = std::apply(
      [](const auto&... each) { return std::tuple_cat(detail::output_of(each)...); }, prepared);
  static_assert(std::tuple_size_v<decltype(outputs)> > 0, "The kernel writes nothing to compare.");
  return detail::compare_runs(
      to, options, chosen.definition()->name, [&](submitter& again) { submit_run(again, 2); },
      outputs);
}

}  // namespace hocket
