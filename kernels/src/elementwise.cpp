// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/elementwise.hpp>

#include <hocket/core/shape.hpp>
#include <hocket/kernels/ranges.hpp>

#include "elementwise_body.hpp"

namespace hocket::detail {

namespace {

/// The parameters of each kind in order: a body of one step.
elementwise_step only_step(const std::vector<parameter>& parameters,
                           std::shared_ptr<const elementwise_lambda> lambda) {
  elementwise_step made{std::move(lambda), {}, {}};
  for (const parameter& p : parameters) {
    auto& kind = p.is == parameter::kind::buffer ? made.arrays : made.scalars;
    kind.push_back(kind.size());
  }
  return made;
}

}  // namespace

std::function<body_width(const launch_shape&)> elementwise_width(
    const std::vector<parameter>& parameters) {
  std::size_t bytes = 0;
  for (const parameter& p : parameters) {
    if (p.is == parameter::kind::buffer) bytes += size_of(p.type);
  }
  return [bytes](const launch_shape& shape) {
    return static_cast<double>(bytes * volume(shape.front())) >= wide_bytes ? body_width::wide
                                                                            : body_width::serial;
  };
}

kernel_ref elementwise_definition(std::string name, std::vector<parameter> parameters,
                                  elementwise_lambda lambda) {
  const auto shared = std::make_shared<const elementwise_lambda>(std::move(lambda));
  auto made = std::make_shared<kernel_definition>();
  made->host = elementwise_body({only_step(parameters, shared)}, {});
  made->check = [name](const launch_shape& shape) { require_equal_extents(name, shape); };
  made->width = elementwise_width(parameters);
  made->in_place = true;
  made->positional = shared->takes_index;
  // A lambda for the host alone may hold anything.
  made->keeps_captures = shared->results.empty();
  made->sources = elementwise_sources(parameters, shared->results);
  if (!shared->results.empty()) made->lambda = shared;
  made->name = std::move(name);
  made->parameters = std::move(parameters);
  return made;
}

}  // namespace hocket::detail
