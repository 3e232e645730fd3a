// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "host_seat.hpp"

#include "host_run.hpp"

namespace hocket::detail {

void host_seat::begins_to_wait() noexcept { run_->leave_alone(); }

}  // namespace hocket::detail
