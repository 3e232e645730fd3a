// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace hocket {

/// Starts a thread that calls body once. It is named after name, cut to 15 characters. body must
/// not throw. Throws error, which names the thread, if the system refuses it.
[[nodiscard]] std::thread start_thread(const std::string& name, std::function<void()> body);

}  // namespace hocket
