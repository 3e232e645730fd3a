// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include <hocket/scheduler/run_parameter.hpp>

#include <hocket/scheduler/detail/description.hpp>

#include "graphs/first_places.hpp"

namespace hocket::detail {

/// What the tasks of a recording can be told in each run, each parameter once.
class recorded_parameters {
 public:
  /// A task takes the number, which a parameter sets.
  void add(const number_argument& number) {
    add(number.set_by);
    for (const taken& each : taken_) {
      if (each.of == number.set_by && each.type == number.value.type) return;
    }
    taken_.push_back({number.set_by, number.value.type, number.convert});
  }
  /// A graph within this one takes the parameter.
  void add(const parameter_ref& used, const recorded_parameters& inner) {
    add(used);
    std::ranges::copy_if(inner.taken_, std::back_inserter(taken_),
                         [&](const taken& each) { return each.of == used; });
  }
  /// Throws usage_error if a task cannot take that number.
  void check(const setting& set) const {
    for (const taken& each : taken_) {
      if (each.of == set.of) (void)each.convert(set.value.bytes, each.type);
    }
  }

  [[nodiscard]] bool has(const parameter_ref& which) const {
    return places_.find(which.get()) != places_.none;
  }
  [[nodiscard]] const std::vector<parameter_ref>& all() const noexcept { return all_; }

 private:
  /// The type that a kernel has for the number.
  struct taken {
    parameter_ref of;
    element_type type;
    scalar_argument (*convert)(const void* value, element_type to);
  };

  void add(const parameter_ref& used) {
    if (has(used)) return;
    all_.push_back(used);
    places_.push_back(used.get());
  }

  std::vector<parameter_ref> all_;
  std::vector<taken> taken_;
  first_places<const parameter_state*> places_;
};

}  // namespace hocket::detail
