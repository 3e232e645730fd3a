// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "heart/planted.hpp"

namespace hocket::heart {

namespace {
int chosen = 0;  // one program runs one planted bug, and sets it before it starts a thread
}

void plant(int number) { chosen = number; }
bool planted(bug which) { return chosen == static_cast<int>(which); }

}  // namespace hocket::heart
