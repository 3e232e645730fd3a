// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/run_options.hpp>

#include "graphs/first_places.hpp"

namespace hocket::detail {

class placed_runtime;

/// What parameters are in a run, and in the run that it is part of.
class bindings {
 public:
  explicit bindings(settings own, std::shared_ptr<const bindings> outer = nullptr)
      : own_(std::move(own)), outer_(std::move(outer)) {
    for (const setting& each : own_) places_.push_back(each.of.get());
  }

  /// The setting of the parameter for the run itself; null if there is none.
  [[nodiscard]] const setting* find(const parameter_ref& which) const {
    const std::size_t place = places_.find(which.get());
    return place == places_.none ? nullptr : &own_[place];
  }
  /// Of the run that it is part of.
  [[nodiscard]] const bindings* outer() const noexcept { return outer_.get(); }

 private:
  settings own_;
  first_places<const parameter_state*> places_;
  std::shared_ptr<const bindings> outer_;
};

/// What all tasks of one run of a graph have in common.
struct run_frame {
  placed_runtime& home;
  host_context* scope = nullptr;  ///< that the tasks belong to; else to the runtime
  place_within within = {};       ///< for all of them
  std::int64_t priority = 0;      ///< is added to theirs
  std::shared_ptr<const bindings> with = nullptr;

  [[nodiscard]] host_context& context() const noexcept;

  /// What the parameter is; null if it is what it was made with.
  [[nodiscard]] const setting* find(const parameter_ref& which) const {
    for (const bindings* level = with.get(); level != nullptr; level = level->outer()) {
      if (const setting* const set = level->find(which)) return set;
    }
    return nullptr;
  }

  /// This frame, of a run within it for which these are set.
  [[nodiscard]] run_frame setting_also(const settings& more) const {
    run_frame made = *this;
    if (!more.empty()) made.with = std::make_shared<const bindings>(more, with);
    return made;
  }
};

}  // namespace hocket::detail
