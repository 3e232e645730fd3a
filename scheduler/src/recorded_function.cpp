// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/recorded_function.hpp>

namespace hocket::detail {

recorded_functions::~recorded_functions() {
  // Their memory goes with its resource.
  for (recorded_function* each : list_) each->~recorded_function();
}

void recorded_functions::take_back() noexcept {
  list_.back()->~recorded_function();
  list_.pop_back();
}

}  // namespace hocket::detail
