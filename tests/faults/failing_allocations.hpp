// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

namespace hocket::testing {

/// Of the allocations that the calling thread makes from now on so many succeed, and then one
/// fails. Those of all of a program that is linked with this.
void fail_after(int count) noexcept;
/// All allocations that the calling thread makes from now on fail.
void fail_always() noexcept;
/// All succeed again. Returns whether one has failed, after fail_after().
bool fail_no_more() noexcept;

}  // namespace hocket::testing
