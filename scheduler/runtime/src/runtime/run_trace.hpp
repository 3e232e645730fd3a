// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/report.hpp>

namespace hocket::detail {

class runtime_core;

/// The content of the runtime's trace. Connects the devices if that was not done.
[[nodiscard]] trace_snapshot trace_of(runtime_core& core);

}  // namespace hocket::detail
