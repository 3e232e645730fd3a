// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket::testing {

/// Of the allocations that the calling thread makes from now on so many succeed, and then one
/// fails. Those of all of a program that is linked with this.
void fail_after(int count) noexcept;
/// All succeed again. Returns whether one has failed.
bool fail_no_more() noexcept;

}  // namespace hocket::testing
