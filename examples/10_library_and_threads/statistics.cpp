// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "statistics.hpp"

#include <stdexcept>

#include <hocket/hocket.hpp>

namespace statistics {

using namespace hocket;

namespace {

const auto squared_distance = transform_reduction(
    "squared_distance", 0, [](auto a, auto b) { return a + b; },
    [](auto x, auto y) { return (x - y) * (x - y); });

}  // namespace

/// A runtime is an object: the program may have others, and so may other libraries.
struct calculator::state {
  runtime rt;
};

calculator::calculator() : state_(std::make_unique<state>()) {}

calculator::~calculator() = default;

moments calculator::moments_of(std::span<const float> values) const {
  if (values.empty()) throw std::invalid_argument("moments_of is given no values; it needs one.");
  runtime& rt = state_->rt;
  // Each call has its own data, so that calls of several threads do not wait for one another.
  const buffer<float> x{rt, values, "values"};
  const buffer<float> means{rt, values.size(), "means"};
  const future<float> mean = rt.submit(ops::mean, reads(x));
  rt.submit(ops::fill, mean, writes(means));
  const future<float> squares = rt.submit(squared_distance, reads(x), reads(means));
  return {mean.get(), squares.get() / static_cast<double>(values.size())};
}

}  // namespace statistics
