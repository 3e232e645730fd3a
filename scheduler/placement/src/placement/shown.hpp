// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "placement/action.hpp"

namespace hocket::placement {

/// Shows a test the actions that are about to be carried out. Only a build with HOCKET_SEEDED_BUGS
/// has such a test.
#ifdef HOCKET_SEEDED_BUGS
void show(const action_list& actions);
#else
inline void show(const action_list&) {}
#endif

}  // namespace hocket::placement
