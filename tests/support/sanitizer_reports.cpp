// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Sanitizers report where the program's errors went when it started. Tests that look at what is
// printed put a file in the place of stderr, and a report that ends the program would go with it.

#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include <cstdint>

namespace hocket::testing {

namespace {

[[maybe_unused]] const bool reports_are_kept = [] {
  const int errors = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (errors < 0) return false;
  // The interface takes the number of the file as a pointer.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  ::__sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(errors)));
  return true;
}();

}  // namespace

}  // namespace hocket::testing
