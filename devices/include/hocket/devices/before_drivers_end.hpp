// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>

namespace hocket {

/// Calls the function when the program ends, or when the shared library is closed that Hocket is
/// part of, in any case before the destructors run of what was constructed before this call: in
/// particular those of the static objects of drivers that are open. Functions are called in the
/// reverse order, by the thread that ends the program. A function cannot be taken back, so it has
/// to bear that what it is about is gone. It is not called in a forked child.
void before_drivers_end(std::function<void()> function);

}  // namespace hocket
