// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

namespace hocket::testing {

/// A fault of a call of open, write, fsync, rename or unlink.
enum class call_fault {
  fails,        ///< with ENOSPC; nothing is done
  is_short,     ///< a write takes half of its bytes, then the next one fails; others fail
  ends_before,  ///< the process ends before the call, as if it were killed
  ends_after    ///< or after it
};

/// Of the calls that the calling thread makes from now on so many succeed, and then the fault
/// happens. Those of all of a program that is linked with this.
void fault_after(std::size_t count, call_fault what) noexcept;
/// All succeed again. Returns whether the fault has happened.
bool fault_no_more() noexcept;

/// With this code a process ends at a fault.
inline constexpr int exit_code_of_fault = 77;

}  // namespace hocket::testing
