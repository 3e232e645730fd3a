// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <hocket/scheduler/run_parameter.hpp>

#include <hocket/scheduler/detail/description.hpp>

#include "data/unfit_number.hpp"
#include "graphs/first_places.hpp"

namespace hocket::detail {

/// What the tasks of a recording can be told in each run, each parameter once.
class recorded_parameters {
 public:
  /// A task takes the number, which a parameter sets.
  void add(const number_argument& number) {
    add(number.set_by, {number.value.type, number.convert});
  }
  /// A graph within this one takes the parameter.
  void add(const parameter_ref& used, const recorded_parameters& inner) {
    for (const taken_type& each : inner.types_of(used)) add(used, each);
  }
  /// Throws usage_error if a task cannot take that number.
  void check(const setting& set) const {
    for (const taken_type& each : types_of(set.of)) {
      try {
        (void)each.convert(set.value.bytes, each.type);
      } catch (const unfit_number& given) {
        refuse_setting(*set.of, given);
      }
    }
  }

  [[nodiscard]] bool has(const parameter_ref& which) const {
    return places_.find(which.get()) != places_.none;
  }
  [[nodiscard]] const std::vector<parameter_ref>& all() const noexcept { return all_; }

 private:
  /// The type that a kernel has for a number.
  struct taken_type {
    element_type type;
    scalar_argument (*convert)(const void* value, element_type to);
  };

  void add(const parameter_ref& used, const taken_type& as) {
    std::size_t at = places_.find(used.get());
    if (at == places_.none) {
      at = all_.size();
      all_.push_back(used);
      types_.emplace_back();
      places_.push_back(used.get());
    }
    const auto is_same = [&](const taken_type& each) { return each.type == as.type; };
    if (std::ranges::none_of(types_[at], is_same)) types_[at].push_back(as);
  }
  [[nodiscard]] std::span<const taken_type> types_of(const parameter_ref& which) const {
    const std::size_t at = places_.find(which.get());
    if (at == places_.none) return {};
    return types_[at];
  }

  std::vector<parameter_ref> all_;
  /// Of each parameter, in the same order.
  std::vector<boost::container::small_vector<taken_type, 1>> types_;
  first_places<const parameter_state*> places_;
};

}  // namespace hocket::detail
