// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include <hocket/scheduler/run_parameter.hpp>

#include "graphs/first_places.hpp"

namespace hocket::detail {

/// What the tasks of a recording can be told in each run, each parameter once.
class recorded_parameters {
 public:
  void add(const parameter_ref& used) {
    if (has(used)) return;
    all_.push_back(used);
    places_.push_back(used.get());
  }

  [[nodiscard]] bool has(const parameter_ref& which) const {
    return places_.find(which.get()) != places_.none;
  }
  [[nodiscard]] const std::vector<parameter_ref>& all() const noexcept { return all_; }

 private:
  std::vector<parameter_ref> all_;
  first_places<const parameter_state*> places_;
};

}  // namespace hocket::detail
