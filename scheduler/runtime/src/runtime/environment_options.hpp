// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/devices/registry.hpp>
#include <hocket/scheduler/runtime.hpp>

namespace hocket::detail {

/// The options, and what HOCKET_CLOCK, HOCKET_FAULTS and others say where they say nothing.
/// Throws usage_error.
[[nodiscard]] runtime_options with_environment(runtime_options given);

/// The configurations of backends that the options give, with those that HOCKET_BACKEND_SIM and its
/// like give where the options say nothing of a backend.
[[nodiscard]] backend_configurations with_environment(backend_configurations given,
                                                      const backend_list& backends);

/// The file that HOCKET_TRACE asks the runtime with this number for; empty for none. Numbers of
/// runtimes begin at one.
[[nodiscard]] std::string trace_file_of(std::uint64_t runtime);

}  // namespace hocket::detail
