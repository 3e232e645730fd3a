// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hocket/devices/fault_plan.hpp>

#include "program.hpp"

namespace hocket::seeded {

/// A program of wide phases: many small tasks that do not depend on one another, some of them on
/// devices that they name, and then a task that waits for all of them. Memories hold little more
/// than one task needs, or all. Everything comes from the seed, by streams of its own: the programs
/// of make_program stay as they are.
[[nodiscard]] program make_crowd(std::uint64_t seed, const program_shape& shape = {});

/// Faults for such a program: devices that are lost one after the other, the later ones while a
/// recovery has many tasks that are ready, and copies that fail all the time. The names of devices
/// are without the host's.
[[nodiscard]] std::vector<fault_rule> crowd_faults(std::uint64_t seed,
                                                   const std::vector<std::string>& devices,
                                                   bool only_launches);

}  // namespace hocket::seeded
