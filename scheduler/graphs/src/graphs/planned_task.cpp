// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/planned_task.hpp"

#include <boost/container/small_vector.hpp>

#include "data/bound_arguments.hpp"
#include "data/in_place_call.hpp"
#include "data/unfit_number.hpp"
#include "graphs/data_run.hpp"
#include "tasks/caught.hpp"

namespace hocket::detail {

void planned_task::call(const plan_call& in) {
  auto& run = static_cast<data_run&>(*in.run);
  if (what_.boundary != none) run.boundary(what_.boundary).begin();
  try {
    check_input();
    execute(run);
  } catch (...) {
    const failure why = explain_failure();
    end(run, why);
    throw failed_call{why};
  }
  end(run, {});
}

void planned_task::not_called(const plan_call& in, const failure& why) noexcept {
  end(static_cast<data_run&>(*in.run), why);
}

/// What earlier tasks left in the buffers, within the run and before it.
inline void planned_task::check_input() const {
  for (const in_place_use& use : what_.uses) {
    if (!use.data->order()->is_sound()) [[unlikely]]
      check_content(use);
  }
}

void planned_task::check_content(const in_place_use& use) const {
  if (!reads_content(use.mode) || use.empty()) return;
  failure why = use.data->order()->unusable_input(use, label_text());
  if (why) throw failed_call{std::move(why)};
}

inline void planned_task::execute(data_run& run) const {
  const bool has_more = !what_.varying.empty() || what_.kernel->result;
  if (has_more || !is_called_plainly(*what_.kernel)) return execute_with_more(run);
  const in_place_call call{run.data(), *what_.kernel, what_.kernel->host, what_.numbers};
  const in_place_use* const only = what_.uses.data();
  if (what_.uses.size() == 1 && only->part == nullptr) {
    return call_plainly(call, {&bound_arguments::argument_of(*only, *this), 1},
                        only->data->elements());
  }
  bound_arguments buffers;
  buffers.add(what_.uses, *this);
  call_plainly(call, buffers.all(), buffers.max_elements());
}

void planned_task::execute_with_more(data_run& run) const {
  boost::container::small_vector<scalar_argument, 8> numbers(what_.numbers.begin(),
                                                             what_.numbers.end());
  for (const planned_number& each : what_.varying) {
    const void* const value =
        each.value_of != none ? run.value(each.value_of) : run.set_value(each.set_by);
    if (value == nullptr) continue;
    numbers[each.index] = convert_number_for({*what_.kernel, each.index, label_text()},
                                             each.convert, value, each.type);
  }
  bound_arguments buffers;
  buffers.add(what_.uses, *this);
  const kernel_definition& kernel = *what_.kernel;
  if (kernel.result) {
    buffers.add(run.value(what_.value), *kernel.result, index_list(1, 1), index_list(1, 1));
  }
  const in_place_call call{run.data(), kernel, kernel.host, {numbers.data(), numbers.size()}};
  if (is_called_plainly(kernel)) return call_plainly(call, buffers.all(), buffers.max_elements());
  call_specially(call, what_.work ? *what_.work : work_of_call(kernel, what_.uses), buffers.all(),
                 [&]() -> task_state& { return *run.task_at(what_.node); });
}

failure planned_task::explain_failure() const noexcept {
  try {
    throw;
  } catch (const failed_call& known) {
    return known.why;
  } catch (...) {
    return explained(
        [this] { return failure_of_call(what_.kernel->name, task_name(label_text())); });
  }
}

void planned_task::poison_outputs(const failure& why) const noexcept {
  for (const in_place_use& use : what_.uses) {
    if (writes_content(use.mode) && !use.empty()) use.data->order()->poison(use.where(), why);
  }
}

inline void planned_task::end(data_run& run, const failure& why) const noexcept {
  if (why) [[unlikely]] {
    poison_outputs(why);
  } else {
    for (const in_place_use& use : what_.uses) use.data->order()->commit(use);
  }
  if (what_.boundary == none) return;
  ready_list next;
  run.boundary(what_.boundary).leave(why, next);
}

}  // namespace hocket::detail
