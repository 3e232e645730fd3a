// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/report.hpp>

namespace hocket::detail {

class runtime_core;

/// The content of the runtime's trace. Connects the devices if that was not done.
[[nodiscard]] trace_snapshot trace_of(runtime_core& core);

/// If HOCKET_TRACE asks for that. A failure is told on the standard error output.
void write_trace_file(runtime_core& core) noexcept;

}  // namespace hocket::detail
