// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>

#include "program.hpp"

namespace hocket::seeded {

/// The program without steps, faults and options that it does not need to fail. Tries one smaller
/// program after the other and keeps each that still fails; once nothing fails any more, because
/// the time is over, that ends.
[[nodiscard]] program shrink(program failing, const std::function<bool(const program&)>& fails);

}  // namespace hocket::seeded
