// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/run_options.hpp>

namespace hocket::detail {

class placed_runtime;

/// What parameters are in a run, and in the run that it is part of.
struct bindings {
  settings own;
  std::shared_ptr<const bindings> outer;
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
  [[nodiscard]] const setting* find(const parameter_ref& which) const noexcept {
    for (const bindings* level = with.get(); level != nullptr; level = level->outer.get()) {
      for (const setting& each : level->own) {
        if (each.of == which) return &each;
      }
    }
    return nullptr;
  }

  /// This frame, of a run within it for which these are set.
  [[nodiscard]] run_frame setting_also(const settings& more) const {
    run_frame made = *this;
    if (!more.empty()) made.with = std::make_shared<const bindings>(bindings{more, with});
    return made;
  }
};

}  // namespace hocket::detail
