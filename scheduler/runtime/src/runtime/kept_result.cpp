// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/kept_result.hpp>

#include "runtime/runtime_core.hpp"

namespace hocket::detail {

bool may_repeat_tasks(submitter& to) {
  return to.home().core()->options().resilience == resilience_kind::survive;
}

}  // namespace hocket::detail
