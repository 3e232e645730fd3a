// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program.hpp"
#include "run.hpp"

namespace hocket::seeded {

/// The faults of a trial, and the results that are right.
enum class trial_kind : std::uint8_t {
  plain,     ///< bodies that throw, cancellations, timeouts, full memories, delays
  faults,    ///< devices fail too: tasks may fail with them, and no result is wrong
  survive,   ///< devices fail, and every result is as if they had not
  in_place,  ///< the host alone, without a placement engine
  crowd,     ///< as survive, with phases of many small tasks, and devices lost one after the other
};
inline constexpr std::size_t trial_kinds = 5;

[[nodiscard]] std::string_view to_string(trial_kind kind) noexcept;

/// The settings that all trials of a search share.
struct trial_settings {
  std::optional<trial_kind> kind;  ///< absent: each seed draws one
  std::size_t tasks = 0;           ///< of each program; 0: as its seed says
  run_settings run;
  /// Of the real devices, the host first; empty on simulated machines.
  std::vector<std::string> device_names = {};
};

/// A random program with its faults, and how it is run.
struct trial {
  program made;
  run_settings run;
};

/// A device of this machine.
struct real_device {
  std::string name;
  bool computes = true;  ///< it runs the kernels of trials, which need integers of 64 bits
};

/// The devices of these names, as in runtime_options::devices.
[[nodiscard]] std::vector<real_device> find_real_devices(const std::string& names);

/// All of it comes from the seed.
[[nodiscard]] trial make_trial(std::uint64_t seed, const trial_settings& settings);

}  // namespace hocket::seeded
