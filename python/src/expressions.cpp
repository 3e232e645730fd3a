// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "accesses.hpp"
#include "element_types.hpp"
#include "expressions.hpp"
#include "value_program.hpp"

namespace hocket::python {

element_type numbers_named(const std::string& dtype) {
  if (const auto found = element_type_named(dtype)) return *found;
  raise_type_error("An elementwise expression computes with numbers and bool, not with " + dtype +
                   ".");
}

namespace {

using detail::operation;

operation operation_named(const std::string& name) {
  static const std::map<std::string, operation> known{
      {"negate", operation::negate},     {"add", operation::add},
      {"subtract", operation::subtract}, {"multiply", operation::multiply},
      {"divide", operation::divide},     {"remainder", operation::remainder},
      {"equal", operation::equal},       {"not_equal", operation::not_equal},
      {"less", operation::less},         {"less_equal", operation::less_equal},
      {"both", operation::both},         {"either", operation::either},
      {"invert", operation::invert},     {"select", operation::select},
      {"exp", operation::exp},           {"exp2", operation::exp2},
      {"log", operation::log},           {"log2", operation::log2},
      {"sqrt", operation::sqrt},         {"absolute", operation::absolute},
      {"sin", operation::sin},           {"cos", operation::cos},
      {"tan", operation::tan},           {"sinh", operation::sinh},
      {"cosh", operation::cosh},         {"tanh", operation::tanh},
      {"asin", operation::asin},         {"acos", operation::acos},
      {"atan", operation::atan},         {"floor", operation::floor},
      {"ceil", operation::ceil},         {"trunc", operation::trunc},
      {"rint", operation::rint},         {"pow", operation::pow},
      {"fma", operation::fma},
  };
  const auto found = known.find(name);
  if (found == known.end()) raise_value_error("There is no operation \"" + name + "\".");
  return found->second;
}

/// Kernels are made and let go of by recursion, on stacks of one size.
constexpr std::size_t max_depth = 5000;

std::size_t one_deeper(std::size_t depth) {
  if (depth < max_depth) return depth + 1;
  throw usage_error("A text has more than " + std::to_string(max_depth) +
                    " operations, each of which needs the result of the one before; split it into "
                    "several kernels.");
}

text_value applied(const std::string& name, const std::optional<std::string>& dtype,
                   const std::vector<text_value>& operands) {
  detail::expression_type type;
  if (dtype) type = numbers_named(*dtype);
  std::vector<detail::expression> nodes;
  std::size_t depth = 0;
  for (const text_value& each : operands) {
    nodes.push_back(each.node);
    depth = std::max(depth, each.depth);
  }
  return {detail::apply(operation_named(name), type, std::move(nodes)), one_deeper(depth)};
}

/// A parameter of the kernel: the dtype, and "number", "read", "write" or "update".
using described_parameter = std::tuple<std::string, std::string>;

parameter parameter_of(const described_parameter& from) {
  const auto& [dtype, use] = from;
  parameter made{parameter::kind::buffer, numbers_named(dtype)};
  if (use == "number") {
    made.is = parameter::kind::scalar;
  } else if (use == "write") {
    made.mode = access_mode::write;
  } else if (use == "update") {
    made.mode = access_mode::update;
  }
  return made;
}

text_kernel kernel_of(const std::string& name, const std::vector<described_parameter>& described,
                      const std::vector<std::pair<std::size_t, text_value>>& results) {
  std::vector<parameter> parameters;
  for (const described_parameter& each : described) parameters.push_back(parameter_of(each));
  std::vector<detail::traced_result> traced;
  for (const auto& [number, value] : results) {
    traced.push_back({number, detail::converted(parameters.at(number).type, value.node)});
  }
  const auto program = std::make_shared<const value_program>(parameters, traced);
  detail::elementwise_lambda lambda{
      [program](const detail::elementwise_run& run) { program->run(run); }, std::move(traced)};
  return {detail::elementwise_definition(name, std::move(parameters), std::move(lambda))};
}

}  // namespace

void bind_expressions(nb::module_& to) {
  nb::class_<text_value>(to, "Value", "A value in an elementwise kernel.")
      .def_static(
          "parameter",
          [](const std::string& dtype, std::size_t number) {
            return text_value{detail::make_parameter(numbers_named(dtype), number)};
          },
          nb::arg("dtype"), nb::arg("number"), "What an argument has at the element.")
      .def_static(
          "index", [] { return text_value{detail::make_index()}; },
          "The number of the element, a uint32.")
      .def_static(
          "literal",
          [](const nb::object& number, const std::string& dtype) {
            return text_value{
                detail::make_literal(number_of(number, numbers_named(dtype), "A number"))};
          },
          nb::arg("number"), nb::arg("dtype"), "A number of the text.")
      .def_static(
          "truth", [](bool value) { return text_value{detail::make_truth(value)}; },
          nb::arg("value"), "True or False.")
      .def_static("apply", &applied, nb::arg("operation"), nb::arg("dtype").none(),
                  nb::arg("operands"), "An operation; the dtype None is that of a truth value.")
      .def(
          "converted",
          [](const text_value& from, const std::string& dtype) {
            detail::expression made = detail::converted(numbers_named(dtype), from.node);
            const bool is_same = made == from.node;
            return text_value{std::move(made), is_same ? from.depth : one_deeper(from.depth)};
          },
          nb::arg("dtype"), "The value as a number of that type.")
      .def_prop_ro(
          "dtype",
          [](const text_value& of) -> std::optional<std::string> {
            if (!of.node->type) return std::nullopt;
            return name_of(*of.node->type);
          },
          "The name of its type; None for a truth value.");
  nb::class_<text_kernel>(to, "Kernel", "A kernel that was made from a text.");
  to.def("elementwise_kernel", &kernel_of, nb::arg("name"), nb::arg("parameters"),
         nb::arg("results"), "A kernel that computes the results for each element.");
  to.def(
      "submit_kernel",
      [](const nb::handle& into, const text_kernel& kernel, const nb::list& arguments,
         const nb::dict& options) {
        return submit_kernel(into, kernel.definition, arguments, options);
      },
      nb::arg("into"), nb::arg("kernel"), nb::arg("arguments"), nb::arg("options"),
      "Submits a launch of a kernel.");
}

}  // namespace hocket::python
