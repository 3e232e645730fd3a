// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>

#include <hocket/core/error.hpp>

namespace hocket::placement {

/// Tells what became of something that was asked for; an empty failure means success.
using answer_call = std::function<void(const failure&)>;

}  // namespace hocket::placement
