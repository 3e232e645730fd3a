// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/report.hpp>

namespace hocket::detail {

class runtime_core;

/// What the trace of the runtime holds. Connects the devices if that was not done.
[[nodiscard]] trace_snapshot trace_of(runtime_core& core);

}  // namespace hocket::detail
