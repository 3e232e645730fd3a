// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <string>

namespace hocket {

/// Runs work once, in a thread of its own that nobody joins. The thread is named after name, cut to
/// 15 characters. The end of the process waits for it, but not longer than five seconds. work must
/// not throw. Throws error if the thread cannot be started.
void run_detached(const std::string& name, std::function<void()> work);

}  // namespace hocket
