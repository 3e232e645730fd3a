// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/seeded_bug.hpp"

namespace hocket::placement {

namespace {
int chosen = 0;  // one program runs one seeded bug, and sets it before it starts a thread
}

void plant(int number) { chosen = number; }
bool seeded_bug(bug which) { return chosen == static_cast<int>(which); }

}  // namespace hocket::placement
