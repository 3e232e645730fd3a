// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

/// Linked into every program that is built for a sanitizer: libraries stay in the process until
/// its end. A report about a library that has been unloaded names neither it nor its functions, so
/// that `tests/leaks.supp` and `tests/races.supp` could not tell a driver's faults from ours.
extern "C" int dlclose(void* /*library*/) { return 0; }
