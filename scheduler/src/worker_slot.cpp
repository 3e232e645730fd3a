// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "worker_slot.hpp"

#include "host_run.hpp"

namespace hocket::detail {

void worker_slot::begins_to_wait() noexcept { run_->leave_alone(); }

}  // namespace hocket::detail
