// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/worker_slot.hpp"

#include "graphs/host_run.hpp"

namespace hocket::detail {

void worker_slot::begins_to_wait() noexcept { run_->workers().begin_wait(); }

}  // namespace hocket::detail
