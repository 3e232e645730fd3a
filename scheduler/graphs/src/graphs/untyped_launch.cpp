// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/untyped_launch.hpp>

#include <string>
#include <type_traits>
#include <utility>

#include "data/unfit_number.hpp"
#include "tasks/caught.hpp"

namespace hocket::detail {

namespace {

/// Calls use(std::type_identity<T>) with the C++ type of numbers of that element type.
template <class F>
decltype(auto) with_number_type(element_type type, F&& use) {
  switch (type) {
    case element_type::f64:
      return use(std::type_identity<double>{});
    case element_type::i8:
      return use(std::type_identity<std::int8_t>{});
    case element_type::u8:
      return use(std::type_identity<std::uint8_t>{});
    case element_type::i16:
      return use(std::type_identity<std::int16_t>{});
    case element_type::u16:
      return use(std::type_identity<std::uint16_t>{});
    case element_type::i32:
      return use(std::type_identity<std::int32_t>{});
    case element_type::u32:
      return use(std::type_identity<std::uint32_t>{});
    case element_type::i64:
      return use(std::type_identity<std::int64_t>{});
    case element_type::u64:
      return use(std::type_identity<std::uint64_t>{});
    case element_type::f16:
      return use(std::type_identity<float16>{});
    case element_type::bf16:
      return use(std::type_identity<bfloat16>{});
    case element_type::f8e4m3:
      return use(std::type_identity<float8_e4m3>{});
    case element_type::f8e5m2:
      return use(std::type_identity<float8_e5m2>{});
    case element_type::boolean:
      return use(std::type_identity<bool>{});
    case element_type::f32:
      return use(std::type_identity<float>{});
    case element_type::c64:
    case element_type::c128:
    case element_type::structures:
      break;
  }
  throw usage_error("A number of the type " + to_string(type) +
                    " is to be passed by value; numbers are float, double, float16, bfloat16, "
                    "float8_e4m3, float8_e5m2, bool and integers of 8 to 64 bits.");
}

make_device_state maker_of(const kernel_definition& kernel) {
  if (!kernel.result) return &make_device_task<void>;
  return with_number_type(*kernel.result, []<class T>(std::type_identity<T>) -> make_device_state {
    return &make_device_task<T>;
  });
}

std::string place_of(const kernel_definition& kernel, std::size_t i) {
  return "Argument " + std::to_string(i + 1) + " of kernel \"" + kernel.name + "\"";
}

number_argument checked(const kernel_definition& kernel, std::size_t i,
                        const untyped_number& number) {
  const parameter& wanted = kernel.parameters[i];
  if (wanted.is != parameter::kind::scalar) {
    throw usage_error(place_of(kernel, i) + " is a number; it has to be a buffer of " +
                      to_string(wanted.type) + ".");
  }
  if (number.value.type != wanted.type) {
    throw usage_error(place_of(kernel, i) + " is a number of the type " +
                      to_string(number.value.type) + "; it has to be one of the type " +
                      to_string(wanted.type) + ".");
  }
  return {number.value};
}

number_argument checked(const kernel_definition& kernel, std::size_t i,
                        const untyped_future& number) {
  if (kernel.parameters[i].is != parameter::kind::scalar) {
    throw usage_error(place_of(kernel, i) + " is a future of a number; it has to be a buffer of " +
                      to_string(kernel.parameters[i].type) + ".");
  }
  if (number.from == nullptr) {
    throw usage_error(place_of(kernel, i) + " is a future without a task.");
  }
  return with_number_type(number.type, [&]<class T>(std::type_identity<T>) {
    return number_argument{{}, number.from, &convert_value<T>};
  });
}

number_argument checked(const kernel_definition& kernel, std::size_t i,
                        const untyped_parameter& number) {
  const element_type wanted = kernel.parameters[i].type;
  if (kernel.parameters[i].is != parameter::kind::scalar) {
    throw usage_error(place_of(kernel, i) + " is a run parameter; it has to be a buffer of " +
                      to_string(wanted) + ".");
  }
  if (number.which == nullptr) refuse_empty_parameter();
  const scalar_argument& initial = number.which->initial;
  try {
    return with_number_type(initial.type, [&]<class T>(std::type_identity<T>) {
      return number_argument{
          convert_value<T>(initial.bytes, wanted), {}, &convert_value<T>, number.which};
    });
  } catch (const unfit_number& given) {
    refuse_number(kernel, i, given.number());
  }
}

access_argument checked(const kernel_definition& kernel, std::size_t i, const untyped_access& use) {
  const parameter& wanted = kernel.parameters[i];
  if (use.what.data == nullptr) refuse_empty_buffer();
  const buffer_state& data = *use.what.data;
  const std::string buffer = place_of(kernel, i) + ", buffer \"" + data.label() + "\",";
  if (wanted.is != parameter::kind::buffer) {
    throw usage_error(buffer + " has to be a number of the type " + to_string(wanted.type) + ".");
  }
  if (data.type() != wanted.type) {
    throw usage_error(buffer + " has elements of the type " + to_string(data.type()) +
                      "; the kernel takes " + to_string(wanted.type) + ".");
  }
  if (use.mode != wanted.mode) {
    throw usage_error(buffer + " is passed as one that the task " +
                      std::string(to_string(use.mode)) + "; the kernel " +
                      std::string(to_string(wanted.mode)) + " it.");
  }
  const std::size_t rank = data.extents().size();
  if (wanted.rank != any_rank && rank != wanted.rank) {
    throw usage_error(buffer + " has " + std::to_string(rank) + " dimensions; the kernel takes " +
                      std::to_string(wanted.rank) + ".");
  }
  if (writes_content(use.mode) && data.is_constant()) refuse_constant_buffer(data);
  return {use.what.data, use.what.where(), use.mode};
}

}  // namespace

task_description untyped_submitter::describe(const task_options& options, const kernel_ref& kernel,
                                             const std::vector<untyped_argument>& arguments,
                                             bool host_only) {
  const std::size_t count = kernel->parameters.size();
  if (arguments.size() != count) {
    throw usage_error("Kernel \"" + kernel->name + "\" is given " +
                      std::to_string(arguments.size()) + " arguments; it takes " +
                      std::to_string(count) + ".");
  }
  task_description task = described(options, kernel, host_only);
  task.make_state = maker_of(*kernel);
  task.arguments.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::visit([&](const auto& each) { task.arguments.emplace_back(checked(*kernel, i, each)); },
               arguments[i]);
  }
  return task;
}

task_state_ptr untyped_submitter::submit(const task_options& options, const kernel_ref& kernel,
                                         const std::vector<untyped_argument>& arguments,
                                         bool host_only) {
  const pending_place place(to_.for_functions().context);
  return to_.enqueue(describe(options, kernel, arguments, host_only));
}

task_state_ptr untyped_submitter::launch(const task_options& options, const kernel_ref& kernel,
                                         const std::vector<untyped_argument>& arguments) {
  return submit(options, kernel, arguments, false);
}

task_state_ptr untyped_submitter::call(const task_options& options, const kernel_ref& function,
                                       const std::vector<untyped_argument>& arguments) {
  return submit(options, function, arguments, true);
}

question untyped_submitter::ask(const run_options& options, const kernel_ref& function,
                                const std::vector<untyped_argument>& arguments) {
  if (function->result != element_type::i64) {
    throw usage_error("Kernel \"" + function->name + "\" is a condition and returns " +
                      (function->result ? to_string(*function->result) : "nothing") +
                      "; it has to return an integer of 64 bits.");
  }
  task_options how;
  how.label = options.label.empty() ? task_label(function->name) : options.label;
  how.priority = options.priority;
  question made;
  made.task = std::make_shared<const task_description>(describe(how, function, arguments, true));
  made.number = &whole_number<std::int64_t>;
  return made;
}

task_state_ptr untyped_submitter::choose(const run_options& options, choice_rule rule,
                                         question asked, std::span<const graph> bodies,
                                         std::uint64_t at_most) {
  graph_use use = use_of(options, bodies);
  use.rule = rule;
  use.ask = std::move(asked);
  use.at_most = at_most;
  use.asks_first = rule != choice_rule::if_false;
  return to_.submit_use(std::move(use)).state();
}

const host_context& untyped_submitter::home() {
  host_context* const context = to_.for_functions().context;
  if (context == nullptr) throw usage_error("A recorder runs no tasks, and has no executor.");
  return context->home();
}

}  // namespace hocket::detail
