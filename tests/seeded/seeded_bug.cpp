// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/seeded_bug.hpp"

namespace hocket::detail {

namespace {
int chosen = 0;  // one program runs one seeded bug, and sets it before it starts a thread
}

void seed_bug(int number) { chosen = number; }
bool seeded_bug(bug which) { return chosen == static_cast<int>(which); }

}  // namespace hocket::detail
