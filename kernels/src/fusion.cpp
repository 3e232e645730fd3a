// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/fusion.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "elementwise_body.hpp"

namespace hocket {

namespace {

using detail::expression;
using detail::expression_node;

/// Puts expressions in the place of parameters. Equal parts stay shared.
class substitution {
 public:
  explicit substitution(const std::vector<expression>& parameters) : parameters_(parameters) {}

  expression of(const expression& from) {
    if (from->what == detail::operation::parameter) return parameters_[from->number];
    if (from->operands.empty()) return from;
    if (const auto known = done_.find(from.get()); known != done_.end()) return known->second;
    std::vector<expression> operands;
    for (const expression& each : from->operands) operands.push_back(of(each));
    const expression made = detail::apply(from->what, from->type, std::move(operands));
    done_.emplace(from.get(), made);
    return made;
  }

 private:
  const std::vector<expression>& parameters_;
  std::unordered_map<const expression_node*, expression> done_;
};

/// Where each value is found: its place among the parameters of the fused kernel, and among those
/// of its kind. Local buffers come after all other buffers.
struct layout {
  explicit layout(const std::vector<fused_value>& values) {
    std::size_t buffers = 0, scalars = 0;
    for (const fused_value& each : values) {
      places.push_back(parameters.size());
      const bool scalar = each.as.is == parameter::kind::scalar;
      arguments.push_back(scalar ? scalars++ : each.local ? 0 : buffers++);
      if (!each.local) parameters.push_back(each.as);
    }
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (!values[v].local) continue;
      arguments[v] = buffers + locals.size();
      locals.push_back(values[v].as.type);
    }
  }

  std::vector<parameter> parameters;
  std::vector<std::size_t> places;
  std::vector<std::size_t> arguments;
  std::vector<element_type> locals;
};

detail::elementwise_step step_of(const fused_part& part, const layout& where) {
  detail::elementwise_step made{part.kernel->lambda, {}, {}};
  for (std::size_t p = 0; p < part.values.size(); ++p) {
    auto& kind =
        part.kernel->parameters[p].is == parameter::kind::buffer ? made.arrays : made.scalars;
    kind.push_back(where.arguments[part.values[p]]);
  }
  return made;
}

/// What the parts leave in the parameters of the fused kernel. Between parts a value is as wide as
/// in memory, so that nothing is rounded less often.
std::vector<detail::traced_result> results_of(const std::vector<fused_part>& parts,
                                              const std::vector<fused_value>& values,
                                              const layout& where) {
  // A part may write a local without giving it a value: then it has any.
  const auto any_value = [](element_type type) {
    return type == element_type::boolean ? detail::make_truth(false) : detail::make_literal({type});
  };
  std::vector<expression> now;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const element_type type = values[v].as.type;
    now.push_back(values[v].local ? any_value(type)
                                  : detail::make_parameter(type, where.places[v]));
  }
  const std::vector<expression> before = now;
  for (const fused_part& part : parts) {
    std::vector<expression> parameters;
    for (const std::size_t v : part.values) parameters.push_back(now[v]);
    substitution put(parameters);
    for (const detail::traced_result& each : part.kernel->lambda->results) {
      now[part.values[each.parameter]] = put.of(each.value);
    }
  }
  std::vector<detail::traced_result> made;
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (!values[v].local && now[v] != before[v]) made.push_back({where.places[v], now[v]});
  }
  return made;
}

/// The operations of all parts, and the bytes of the fused kernel's own parameters.
std::function<launch_work(const launch_shape&)> estimate_of(
    const std::vector<fused_part>& parts, const std::vector<parameter>& parameters) {
  kernel_definition plain;
  plain.parameters = parameters;
  return [plain, parts](const launch_shape& shape) {
    launch_work total = plain.work_of(shape);
    total.flops = 0;
    for (const fused_part& part : parts) {
      const launch_shape same(part.values.size(), shape.front());
      total.flops += part.kernel->work_of(same).flops;
    }
    return total;
  };
}

}  // namespace

bool can_be_fused(const kernel_definition& kernel) noexcept { return kernel.lambda != nullptr; }

kernel_ref fused(const std::vector<fused_part>& parts, const std::vector<fused_value>& values,
                 std::span<const kernel_format> formats) {
  const layout where(values);
  auto made = std::make_shared<kernel_definition>();
  std::vector<detail::elementwise_step> steps;
  for (const fused_part& part : parts) {
    made->name += (made->name.empty() ? "" : "+") + part.kernel->name;
    made->positional |= part.kernel->positional;
    steps.push_back(step_of(part, where));
  }
  made->parameters = where.parameters;
  made->host = detail::elementwise_body(std::move(steps), where.locals);
  made->sources =
      detail::elementwise_sources(where.parameters, results_of(parts, values, where), formats);
  made->width = detail::elementwise_width(where.parameters);
  made->estimate = estimate_of(parts, where.parameters);
  return made;
}

}  // namespace hocket
